//go:build unix

package observe

import (
	"time"

	"golang.org/x/sys/unix"
)

// ownCPU is the CPU time of all threads of this process.
func ownCPU() (time.Duration, bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}

// kernel is the release of the running kernel.
func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
