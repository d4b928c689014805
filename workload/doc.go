// Package workload answers: what is sent, and what does the answer mean?
//
// A [Mix] turns an arrival's index into a request. Everything random in it comes
// from a stream of its own, seeded by (seed, purpose, index), so that the same seed gives
// the same operations, the same values and the same bytes whatever the concurrency and
// whichever variant answers:
//
//	k = mix(seed ^ mix(purpose))
//	stream(i) = PCG(mix(k ^ i), mix(k + c (i+1)))
//
// where mix is splitmix64's finaliser and c an odd constant.
//
// Values that the system under test hands out (ids of seeded data, saved values)
// differ between variants; which of them is picked does not.
//
// [Plant] creates the scenario's data through the system's own API and keeps the
// ids. It stops at the first that could not be created.
package workload
