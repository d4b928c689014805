// Package process brings a variant up as programs on this machine and answers: is
// nothing left of the trial before, are all services ready, and does the variant differ
// as it was asked to?
//
// # What a program is given
//
// Its environment is built anew: PATH, HOME, USER, TMPDIR and LANG of perfctl's own
// environment, then the program's variables, then the variant's. Nothing else passes, so
// a stray GOMEMLIMIT in the user's shell cannot change a variant. A variable of the
// variant written PROGRAM.NAME is for that program only. A program also gets
// PERFCTL_INSTANCE, a mark by which all its descendants are known; it is not a setting.
// Programs run in perfctl's working directory, without input, and write to
// DIR/logs/PROGRAM.log.
//
// # Ports
//
// A service at port "auto" gets a free port below the range from which the kernel gives
// ports to outgoing connections, so that none of the load's own connections can take it
// between two trials. It is chosen once: both variants have the same.
//
// # The end of a program
//
// Each program leads a session of its own. On Linux the kernel kills it when perfctl
// dies in whatever way. Down sends SIGTERM to all processes of the instance, waits for a
// grace period, sends SIGKILL to those that are left, and then proves that no process of
// the session or with the mark is there and that no port of a service is taken.
//
// What still survives perfctl (a program's own children, when perfctl was killed) is found
// by the next Up: a state file in the user's cache folder, written before the first
// program starts, has the mark, and the pid, start time and executable of each program.
// Only processes that match it are ended, and an event says so. The state file of a
// perfctl that is alive is left alone.
//
// Elsewhere than on Linux there is no /proc: programs are ended as process groups, and
// environments, orphans and holders of ports are not observable.
package process
