package trial

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// slice is the share of a core that a thread of the generator asks for at a time, in
// ns: the shortest that the kernel grants.
const slice = 100_000

// shortSlices asks for short time slices for every thread of this process. Under the
// EEVDF scheduler (Linux 6.6, slices from 6.12 on) a thread that asks for less at a
// time has the earlier deadline when it wakes, so it does not wait behind the system
// under test for milliseconds; it gets no larger share. It needs no privilege, and is
// not passed on to programs that are started. Where the kernel refuses, lateness is larger,
// and measured.
func shortSlices() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		attr, err := unix.SchedGetAttr(tid, 0)
		if err != nil || attr.Policy != unix.SCHED_NORMAL || attr.Runtime == slice {
			continue
		}
		attr.Runtime = slice
		attr.Flags = unix.SCHED_FLAG_RESET_ON_FORK
		_ = unix.SchedSetAttr(tid, attr, 0)
	}
}
