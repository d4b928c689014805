//go:build unix

package experiment

import "syscall"

// descriptors is how many files this process may have open, or 0 when that is not known.
func descriptors() uint64 {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return 0
	}
	return uint64(files.Cur)
}
