package engine

import "golang.org/x/sys/unix"

// pinToProcessor binds the calling thread to the i-th processor it may use and reports whether
// the kernel allowed it.
func pinToProcessor(i int) bool {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil || allowed.Count() == 0 {
		return false
	}
	i %= allowed.Count()
	for cpu := range len(allowed) * 64 {
		if !allowed.IsSet(cpu) {
			continue
		}
		if i == 0 {
			var one unix.CPUSet
			one.Set(cpu)
			return unix.SchedSetaffinity(0, &one) == nil
		}
		i--
	}
	return false
}
