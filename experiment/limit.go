package experiment

import (
	"os"
	"strconv"
	"strings"
)

const (
	mostInFlight  = 20000 // goroutines and buffers of about 300 MiB
	leastInFlight = 64
	portRange     = "/proc/sys/net/ipv4/ip_local_port_range"
)

// MaxInFlight is the safety cap that "auto" means here: what file descriptors and client
// ports of this machine allow, with a fifth to spare. It is a cap, not a setting of
// the load: concurrency is an outcome.
func MaxInFlight() int { return allowed(descriptors(), clientPorts(portRange)) }

// allowed is four fifths of the scarcer; 0 stands for not known.
func allowed(descriptors uint64, ports int) int {
	limit := uint64(mostInFlight)
	for _, n := range []uint64{descriptors, uint64(ports)} {
		if n > 0 {
			limit = min(limit, n/10*8+n%10*8/10) // n*8 may overflow
		}
	}
	return max(int(limit), leastInFlight)
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
	lo, err1 := strconv.ParseUint(f[0], 10, 16)
	hi, err2 := strconv.ParseUint(f[1], 10, 16)
	if err1 != nil || err2 != nil || hi < lo {
		return 0
	}
	return int(hi-lo) + 1
}
