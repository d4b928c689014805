package observe

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// processClock reads the CPU clock of another process: nanoseconds used by all its
// threads. The clock id is the kernel's: the inverted pid, then "process-wide, by the
// scheduler's account" (2) in the low three bits.
func processClock(pid int) (time.Duration, bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|2, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// isNoProcess is the error of a file of /proc that was open when its process ended.
func isNoProcess(err error) bool { return errors.Is(err, unix.ESRCH) }
