// Package tier answers: is the variant under test really up, and is it really the one
// that was asked for?
//
// A tier brings one variant up and proves three things of it before any load is sent:
//
//	clean      nothing of an earlier trial is left
//	ready      every service answers its health path with 200
//	different  every setting the variant asks for is observed on the live system
//
// A setting is observed by a probe, an HTTP GET of which one JSONPath (RFC 9535) selects
// exactly one value, compared as text; or, when the tier can, in the environment of the
// live process. A setting that was asked for and not observed is a [Difference]; the
// caller stops on it, for two variants that do not differ as asked cannot be compared.
//
// The probes of every variant are read whichever one is up, so that a report can show
// what each setting was on both sides.
//
// This package holds the words that tiers share: an [Instance], what is proven of it,
// readiness and probes. tier/process starts programs on this machine, tier/external
// looks at what somebody else started. It knows nothing of trials or load.
package tier
