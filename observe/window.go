package observe

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/perfctl/perfctl/rundir"
)

// A Window is the measured window as the machine and the generator see it.
type Window struct {
	proc procfs
	from instant
}

// An instant holds the counters at one end of a window.
type instant struct {
	at       time.Time
	wall     time.Time // the same without its monotonic reading
	own      time.Duration
	ownKnown bool
	pauses   *metrics.Float64Histogram
	cpu      cpuTotals
	swapped  int64 // bytes
	known    bool  // cpu and swapped
}

// OpenWindow takes the counters at the start of the measured window.
func OpenWindow() *Window {
	w := &Window{proc: procfs{root: "/proc", clock: processClock}}
	w.from = w.proc.instant()
	return w
}

// Close takes the counters at the end. Under is the CPU time that the system under test
// used on this machine in the window; known is false when that was not observed, and
// then the share used by others is not known either.
func (w *Window) Close(under time.Duration, known bool) (rundir.Self, rundir.HostUse) {
	to := w.proc.instant()
	return self(w.from, to, w.proc.ownRSS()), hostUse(w.from, to, under, known)
}

func (p procfs) instant() instant {
	now := time.Now()
	i := instant{at: now, wall: now.Round(0)}
	i.own, i.ownKnown = ownCPU()
	i.pauses = gcPauses()
	i.cpu, i.swapped, i.known = p.machine()
	return i
}

// machine reads the machine's CPU times and swapped bytes.
func (p procfs) machine() (cpuTotals, int64, bool) {
	text, err := os.ReadFile(filepath.Join(p.root, "stat"))
	if err != nil {
		return cpuTotals{}, 0, false
	}
	cpu, err := parseCPUTotals(text)
	if err != nil {
		return cpuTotals{}, 0, false
	}
	if text, err = os.ReadFile(filepath.Join(p.root, "vmstat")); err != nil {
		return cpuTotals{}, 0, false
	}
	pages, err := parseSwaps(text)
	if err != nil {
		return cpuTotals{}, 0, false
	}
	return cpu, pages * int64(os.Getpagesize()), true
}

// ownRSS is the generator's resident set, 0 where it cannot be read.
func (p procfs) ownRSS() int64 {
	text, err := os.ReadFile(p.file(os.Getpid(), "status"))
	if err != nil {
		return 0
	}
	m, err := parseStatus(text)
	if err != nil {
		return 0
	}
	return m.rss
}

// self is the generator's own use between two instants. Its cores are those it may run
// on: GOMAXPROCS, and no more than the process's affinity.
func self(from, to instant, rss int64) rundir.Self {
	return rundir.Self{
		CPUNS:   int64(to.own - from.own),
		WallNS:  int64(to.at.Sub(from.at)),
		Cores:   min(runtime.GOMAXPROCS(0), runtime.NumCPU()),
		GCMaxNS: int64(longest(from.pauses, to.pauses)),
		RSS:     rss,
	}
}

// hostUse is the machine's use between two instants.
func hostUse(from, to instant, under time.Duration, known bool) rundir.HostUse {
	use := rundir.HostUse{ClockStep: int64(to.wall.Sub(from.wall) - to.at.Sub(from.at))}
	all := to.at.Sub(from.at) * time.Duration(to.cpu.cores)
	if !from.known || !to.known || all <= 0 || from.cpu.cores != to.cpu.cores {
		return use
	}
	steal := max(0, to.cpu.steal-from.cpu.steal)
	idle := max(0, to.cpu.idle-from.cpu.idle) // iowait may fall, by the kernel's own account
	use.Known = true
	use.StealShare = float64(steal) / float64(all)
	use.SwapBytes = to.swapped - from.swapped
	if known && from.ownKnown && to.ownKnown {
		other := all - idle - steal - (to.own - from.own) - under
		use.OtherKnown = true
		use.OtherShare = max(0, float64(other)/float64(all))
	}
	return use
}

// gcPauses reads the collector's stop-the-world pauses of this process so far.
func gcPauses() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return s[0].Value.Float64Histogram()
}

// longest returns the upper edge of the highest bucket that grew between two readings:
// no pause was longer, and the longest was at most a bucket (25 %) shorter.
func longest(from, to *metrics.Float64Histogram) time.Duration {
	if from == nil || to == nil || len(from.Counts) != len(to.Counts) {
		return 0
	}
	for i := len(to.Counts) - 1; i >= 0; i-- {
		if to.Counts[i] == from.Counts[i] {
			continue
		}
		edge := to.Buckets[i+1]
		if math.IsInf(edge, 1) {
			edge = to.Buckets[i]
		}
		return time.Duration(edge * float64(time.Second))
	}
	return 0
}
