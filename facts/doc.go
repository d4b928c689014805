// Package facts answers: what do the files of one trial say, as numbers?
//
// It reads a trial of a run directory and reduces it to what judging needs. The one
// rule for quantiles holds here and nowhere else:
//
//	n    = scheduled arrivals of the measured window, declared business errors apart
//	rank = ceil(q n)                       (nearest rank)
//	values = the OK ones in order, then those that timed out, then those that failed
//	         or were never sent
//
// so failing fast, shedding load and timing out never improve a quantile: a rank
// that falls among the timed-out ones reads "> timeout", among the rest "failed".
// For a completion n is the number of sampled arrivals, whether accepted or not, again
// without those that a declared business error declined.
package facts
