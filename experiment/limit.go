package experiment

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	mostInFlight  = 20000 // goroutines and buffers of about 300 MiB
	leastInFlight = 64
	portsShare    = 8 // of 10
)

// MaxInFlight is the safety cap that "auto" means here: what file descriptors and client
// ports of this machine allow, with a fifth to spare. It is a cap, not a setting of
// the load: concurrency is an outcome.
func MaxInFlight() int {
	limit := mostInFlight
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && files.Cur < 1<<30 {
		limit = min(limit, int(files.Cur)*portsShare/10)
	}
	if ports := clientPorts("/proc/sys/net/ipv4/ip_local_port_range"); ports > 0 {
		limit = min(limit, ports*portsShare/10)
	}
	return max(limit, leastInFlight)
}

// clientPorts is the size of the range from which the kernel gives ports to outgoing
// connections, or 0 when it cannot be read.
func clientPorts(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	f := strings.Fields(string(data))
	if len(f) != 2 {
		return 0
	}
	lo, err1 := strconv.Atoi(f[0])
	hi, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil || hi < lo {
		return 0
	}
	return hi - lo + 1
}
