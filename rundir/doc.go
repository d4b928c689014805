// Package rundir answers: what was measured, and where is it written?
//
// A run directory holds facts only. Trials append to it while they run; judging
// reads it, possibly a year later on another machine, and adds result.json and the
// reports.
//
//	manifest.json                 what was planned, with what, and how it ended
//	scenario.yaml                 the scenario's text, secrets masked
//	trials/01-A/trial.json        variant, window, settings asked and observed, totals
//	trials/01-A/latency.hlog      HdrHistogram interval log V2, one line per second and series
//	trials/01-A/ledger.ndjson     per second: scheduled, sent, outcomes, in flight
//	trials/01-A/completions.ndjson  followed work as intervals (not yet, done)
//	trials/01-A/resources.ndjson  processes: cumulative CPU, memory, threads
//	trials/01-A/events.ndjson     start, ready, exit, restart, warnings
//	trials/01-A/slow.ndjson       the slowest measured arrivals
//	trials/01-A/metrics.om        scraped series, OpenMetrics text
//	trials/01-A/logs/             output of the programs
//
// The tag of a histogram line is operation|outcome|kind, where kind is response
// (done - intended start), service (done - sent) or lateness (sent - intended
// start; its operation is "all" and its outcome "sent"). Values are in nanoseconds.
// The interval's start is the whole second of the trial's start plus the second of
// the schedule, so second k of the schedule is exact.
//
// Lines are written as seconds close and pushed to the kernel at once; files are
// synced at the end of each trial; manifest.json and trial.json are replaced by
// rename. A crash therefore leaves whole lines and at most one cut one, which
// readers skip and name.
package rundir
