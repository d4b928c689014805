package observe

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/perfctl/perfctl/rundir"
)

// Host describes this machine. What cannot be read is left empty.
func Host() rundir.Host { return host("/proc", "/sys") }

func host(proc, sys string) rundir.Host {
	h := rundir.Host{
		OS:     runtime.GOOS + "/" + runtime.GOARCH,
		Kernel: kernel(),
		Cores:  runtime.NumCPU(),
		GoMax:  runtime.GOMAXPROCS(0),
	}
	if name, err := os.Hostname(); err == nil {
		h.Hostname = name
	}
	if text, err := os.ReadFile(filepath.Join(proc, "cpuinfo")); err == nil {
		h.CPU = parseModel(text)
	}
	if text, err := os.ReadFile(filepath.Join(proc, "meminfo")); err == nil {
		if bytes, err := parseMemTotal(text); err == nil {
			h.MemoryMB = bytes >> 20
		}
	}
	if text, err := os.ReadFile(filepath.Join(sys, "devices/system/cpu/cpu0/cpufreq/scaling_governor")); err == nil {
		h.Governor = strings.TrimSpace(string(text))
	}
	return h
}
