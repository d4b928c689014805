// Package experiment carries one experiment out: it checks everything that can be
// checked while nothing is started yet, opens the run directory, runs the trials, and
// judges and renders what the directory then holds, however the trials ended.
//
//	check -> run directory -> trials -> judge -> reports
//
// It is the only place that knows both the live side and the judging side; between the
// two there is nothing but the files.
package experiment
