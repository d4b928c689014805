package orderflow

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/perfctl/perfctl/orderflow/meter"
)

// registerKernel exposes what the kernel knows about the process.
func registerKernel(r *meter.Registry) {
	r.GaugeFunc("process_resident_memory_bytes", "Resident memory.", residentMemory)
	r.CounterFunc("process_cpu_seconds_total", "User and system processor time.", func() float64 { return cpuTime().Seconds() })
}

// residentMemory reads the second field of /proc/self/statm, in pages.
func residentMemory() float64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize())
}

func cpuTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
