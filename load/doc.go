// Package load answers: what happened to every arrival of one load run?
//
// The load is open: arrivals come by a schedule that knows nothing of the answers, as
// customers do (Schroeder, Wierman and Harchol-Balter 2006). Each has three times:
//
//	response time = done - intended start   the headline: what a customer waited
//	service time  = done - sent             what the system took once it was asked
//	lateness      = sent - intended start   what the generator or its limit added
//
// Concurrency is an outcome, not a setting. A limit exists for the generator's own
// safety; an arrival that meets it waits in line, first in first out, is counted, still
// sent, and its response time still begins at its intended start. Because the schedule
// is a function of the arrival's number, the line is a range of numbers and holds no
// memory.
//
// Nothing vanishes, and the run ends with an error if it did:
//
//	planned = sent + unsent,  sent = ok + functional + system + timeout + client
//
// An arrival without an answer at the end of the drain is a timeout, censored at what
// it had waited; one still in line is unsent. Facts are booked to the second of the
// intended start and handed over when each arrival of that second is over, so the
// memory of a run does not grow with its length.
//
// A sampled arrival may have a completion: it is polled until done, on a scheduler of
// its own, in intervals that grow with the time waited. The poll's answer only says
// "not yet" or "done by now", so a completion is an interval, never a point.
package load
