package observe

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/rundir"
)

func TestHostUse(t *testing.T) {
	at := time.Now()
	from := instant{at: at, wall: at, own: time.Second, ownKnown: true, known: true, swapped: 4096,
		cpu: cpuTotals{cores: 2, idle: 50 * time.Second, steal: time.Second}}
	// 20 s of CPU time on two cores: 8 idle, 1 stolen, 3 ours, 5 of the system, 3 others'.
	to := instant{at: at.Add(10 * time.Second), wall: at.Add(10 * time.Second), own: 4 * time.Second, ownKnown: true, known: true, swapped: 4096 + 8192,
		cpu: cpuTotals{cores: 2, idle: 58 * time.Second, steal: 2 * time.Second}}
	whole := rundir.HostUse{Known: true, StealShare: 0.05, OtherShare: 0.15, OtherKnown: true, SwapBytes: 8192}
	with := func(change func(*rundir.HostUse)) rundir.HostUse {
		w := whole
		change(&w)
		return w
	}
	unknown, still, unowned, grown := to, to, to, to
	unknown.known = false
	still.at, still.wall = from.at, from.wall
	grown.cpu.cores = 4
	unowned.ownKnown = false
	for _, c := range []struct {
		name  string
		to    instant
		under time.Duration
		known bool
		want  rundir.HostUse
	}{
		{"all known", to, 5 * time.Second, true, whole},
		{"system not observed", to, 0, false, with(func(h *rundir.HostUse) { h.OtherShare, h.OtherKnown = 0, false })},
		{"own time not observed", unowned, 5 * time.Second, true, with(func(h *rundir.HostUse) { h.OtherShare, h.OtherKnown = 0, false })},
		{"ticks short of the exact clocks", to, 9 * time.Second, true, with(func(h *rundir.HostUse) { h.OtherShare = 0 })},
		{"machine not observed", unknown, 5 * time.Second, true, rundir.HostUse{}},
		{"cores were added", grown, 5 * time.Second, true, rundir.HostUse{}},
		{"no time passed", still, 0, true, rundir.HostUse{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, hostUse(from, c.to, c.under, c.known)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClockStep(t *testing.T) {
	at := time.Now()
	for _, c := range []struct {
		name string
		wall time.Duration // passed on the wall clock in 10 s
		want time.Duration
	}{
		{"none", 10 * time.Second, 0},
		{"set forward", 3610 * time.Second, time.Hour},
		{"set back", 9 * time.Second, -time.Second},
	} {
		from := instant{at: at, wall: at.Round(0)}
		to := instant{at: at.Add(10 * time.Second), wall: at.Round(0).Add(c.wall)}
		if got := time.Duration(hostUse(from, to, 0, true).ClockStep); got != c.want {
			t.Errorf("%s: step %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLongestPause(t *testing.T) {
	h := func(counts ...uint64) *metrics.Float64Histogram {
		return &metrics.Float64Histogram{Counts: counts, Buckets: []float64{math.Inf(-1), 0, 0.001, 0.002, math.Inf(1)}}
	}
	for _, c := range []struct {
		name     string
		from, to *metrics.Float64Histogram
		want     time.Duration
	}{
		{"none in the window", h(0, 9, 9, 0), h(0, 9, 9, 0), 0},
		{"a longer one before it", h(0, 1, 5, 0), h(0, 2, 5, 0), time.Millisecond},
		{"the highest that grew", h(0, 1, 5, 0), h(0, 2, 6, 0), 2 * time.Millisecond},
		{"beyond the buckets", h(0, 0, 0, 0), h(0, 0, 0, 1), 2 * time.Millisecond},
		{"not observed", nil, h(0, 0, 0, 1), 0},
	} {
		if got := longest(c.from, c.to); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWindowOfThisProcess burns a known amount of CPU time and collects garbage once.
func TestWindowOfThisProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the machine is read on Linux only")
	}
	w := OpenWindow()
	began, _ := ownCPU()
	for {
		if now, _ := ownCPU(); now-began > 100*time.Millisecond {
			break
		}
	}
	runtime.GC()
	got, host := w.Close(0, true)
	t.Logf("%+v %+v", got, host)
	if got.CPUNS < int64(100*time.Millisecond) || got.CPUNS > got.WallNS*int64(runtime.NumCPU()+1) {
		t.Errorf("own CPU %v in %v, at least 100ms were burnt", time.Duration(got.CPUNS), time.Duration(got.WallNS))
	}
	if got.GCMaxNS <= 0 || got.RSS < 1<<20 || got.Cores < 1 || got.Cores > runtime.NumCPU() {
		t.Errorf("self %+v", got)
	}
	if !host.Known || !host.OtherKnown || host.StealShare < 0 || host.StealShare > 1 || host.OtherShare < 0 || host.OtherShare > 1 {
		t.Errorf("host use %+v", host)
	}
}

func TestMachineNotReadable(t *testing.T) {
	whole := map[string]string{"stat": "cpu 1 1 1 1 1 1 1 1 0 0\ncpu0\n", "vmstat": "pswpin 1\npswpout 2\n"}
	root := t.TempDir()
	files(t, root, whole)
	cpu, swapped, ok := procfs{root: root}.machine()
	if !ok || cpu != (cpuTotals{cores: 1, idle: 20 * time.Millisecond, steal: 10 * time.Millisecond}) || swapped != 3*int64(os.Getpagesize()) {
		t.Errorf("machine %+v %d %v", cpu, swapped, ok)
	}
	for name, text := range map[string]string{"stat": "cpu\n", "vmstat": "pswpin 1\n"} {
		root := t.TempDir()
		files(t, root, whole)
		files(t, root, map[string]string{name: text})
		if _, _, ok := (procfs{root: root}).machine(); ok {
			t.Errorf("known although %s is broken", name)
		}
	}
	if _, _, ok := (procfs{root: t.TempDir()}).machine(); ok {
		t.Error("known although there are no files")
	}
}

func TestHost(t *testing.T) {
	proc, sys := t.TempDir(), t.TempDir()
	files(t, proc, map[string]string{
		"cpuinfo": "model name : Fast CPU\n",
		"meminfo": "MemTotal: 2097152 kB\n",
	})
	files(t, sys, map[string]string{"devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n"})
	got := host(proc, sys)
	got.Hostname, got.Kernel = "", ""
	want := rundir.Host{OS: runtime.GOOS + "/" + runtime.GOARCH, CPU: "Fast CPU", Cores: runtime.NumCPU(),
		MemoryMB: 2048, Governor: "performance", GoMax: runtime.GOMAXPROCS(0)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	bare := host(t.TempDir(), t.TempDir())
	if bare.CPU != "" || bare.MemoryMB != 0 || bare.Governor != "" {
		t.Errorf("host %+v, want nothing that was not read", bare)
	}
	if live := Host(); runtime.GOOS == "linux" && (live.Kernel == "" || live.MemoryMB == 0 || live.Hostname == "") {
		t.Errorf("this host is %+v", live)
	}
}
