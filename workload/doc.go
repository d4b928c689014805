// Package workload answers: what is sent, and what does the answer mean?
//
// A [Mix] turns an arrival's index into a request. Everything random in it comes
// from a stream of its own, seeded by (seed, index), so that the same seed gives the
// same operations, the same values and the same bytes whatever the concurrency and
// whichever variant answers:
//
//	stream(i) = PCG(splitmix64(seed ^ i'), splitmix64(seed + i''))
//
// Values that the system under test hands out (ids of seeded data, saved values)
// differ between variants; which of them is picked does not.
//
// [Plant] creates the scenario's data through the system's own API and keeps the
// ids. It fails when fewer were created than asked.
package workload
