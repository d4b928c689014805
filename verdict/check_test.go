package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

func repeat(ms float64, n int) []float64 { return slices.Repeat([]float64{ms}, n) }

// healthy is a trial that counts: 10,000 arrivals of 40 ms.
func healthy() factstest.Trial {
	return factstest.Trial{
		Record: rundir.Trial{Name: "01-A", Slot: rundir.Slot{Variant: "a"},
			Lateness:  rundir.Quantiles{N: 10000, P50: 30e3, P99: 900e3, Max: 5e6},
			Generator: rundir.Self{CPUNS: 2e9, WallNS: 10e9, Cores: 2},
			HostUse:   rundir.HostUse{Known: true, OtherKnown: true}},
		Operations: []factstest.Operation{{Name: "op", OK: repeat(40, 10000)}},
	}
}

// Every limit, just inside and just outside.
func TestCheckLimits(t *testing.T) {
	ms, pct := int64(time.Millisecond), .01
	for _, c := range []struct {
		name   string
		change func(*factstest.Trial)
		why    string // "" when the trial counts
	}{
		{"healthy", func(*factstest.Trial) {}, ""},
		{"late, share of the median", func(x *factstest.Trial) { x.Record.Lateness.P99 = 1999 * ms / 1000 }, ""},
		{"late, above the share", func(x *factstest.Trial) { x.Record.Lateness.P99 = 2010 * ms / 1000 }, "LATE: lateness p99 2.01 ms, above 2.00 ms"},
		{"late, floor", func(x *factstest.Trial) { x.Operations[0].OK = repeat(2, 10000); x.Record.Lateness.P99 = ms }, ""},
		{"late, above the floor", func(x *factstest.Trial) { x.Operations[0].OK = repeat(2, 10000); x.Record.Lateness.P99 = ms + 1 }, "LATE: lateness p99 1.00 ms, above 1.00 ms"},
		{"late, of the fastest operation", func(x *factstest.Trial) {
			x.Operations = append(x.Operations, factstest.Operation{Name: "fast", OK: repeat(2, 100)})
			x.Record.Lateness.P99 = 1500 * ms / 1000
		}, "LATE: lateness p99 1.50 ms, above 1.00 ms"},
		{"late, no median", func(x *factstest.Trial) {
			x.Operations = []factstest.Operation{{Name: "op", Others: map[string]int64{"system": 100}}}
			x.Record.Lateness.P99 = 2 * ms
		}, "LATE: lateness p99 2.00 ms, above 1.00 ms"},
		{"cap", func(x *factstest.Trial) { x.Record.CapHit, x.Record.InFlightMax = 1, 200 }, "GENSAT: 1 arrivals waited for the limit of requests in flight (200 at once)"},
		{"own CPU", func(x *factstest.Trial) { x.Record.Generator.CPUNS = 16e9 }, ""},
		{"own CPU above", func(x *factstest.Trial) { x.Record.Generator.CPUNS = 16.2e9 }, "GENSAT: the generator used 81 % of its 2 cores"},
		{"own CPU unknown", func(x *factstest.Trial) { x.Record.Generator = rundir.Self{CPUNS: 99e9} }, ""},
		{"client failure", func(x *factstest.Trial) { x.Operations[0].Others = map[string]int64{"client": 1} }, "GENSAT: 1 requests failed in the generator itself"},
		{"steal", func(x *factstest.Trial) { x.Record.HostUse.StealShare = 2 * pct }, ""},
		{"steal above", func(x *factstest.Trial) { x.Record.HostUse.StealShare = 2.1 * pct }, "HOST: the hypervisor withheld 2.1 % of the CPU"},
		{"foreign CPU", func(x *factstest.Trial) { x.Record.HostUse.OtherShare = 10 * pct }, ""},
		{"foreign CPU above", func(x *factstest.Trial) { x.Record.HostUse.OtherShare = 10.1 * pct }, "HOST: other programs used 10.1 % of the CPU"},
		{"foreign CPU not known", func(x *factstest.Trial) { x.Record.HostUse.OtherShare, x.Record.HostUse.OtherKnown = .5, false }, ""},
		{"swap", func(x *factstest.Trial) { x.Record.HostUse.SwapBytes = 1 << 20 }, "HOST: 1.0 MiB were swapped"},
		{"clock", func(x *factstest.Trial) { x.Record.HostUse.ClockStep = -10 * ms }, ""},
		{"clock step", func(x *factstest.Trial) { x.Record.HostUse.ClockStep = -11 * ms }, "HOST: the clock was set by 11ms"},
		{"host not known", func(x *factstest.Trial) { x.Record.HostUse = rundir.HostUse{StealShare: 1, SwapBytes: 1} }, ""},
		{"not complete", func(x *factstest.Trial) { x.Record.State = rundir.Running }, "the trial did not end: running"},
		{"failed", func(x *factstest.Trial) { x.Record.State, x.Record.Error = rundir.FailedState, "exit 137" }, "the trial did not end: exit 137"},
		{"two causes", func(x *factstest.Trial) { x.Record.CapHit, x.Record.HostUse.SwapBytes = 2, 1<<20 },
			"GENSAT: 2 arrivals waited for the limit of requests in flight (0 at once); HOST: 1.0 MiB were swapped"},
	} {
		x := healthy()
		c.change(&x)
		got := verdict.Check(x.Facts())
		if got.Valid != (c.why == "") || got.Why != c.why {
			t.Errorf("%s: valid %v, %q, want %q", c.name, got.Valid, got.Why, c.why)
		}
		if own := !got.Valid && !strings.HasPrefix(c.why, "the trial did not end"); got.Own != own {
			t.Errorf("%s: the generator's own fault: %v", c.name, got.Own)
		}
	}
}

func TestDamagedTrialsDoNotCount(t *testing.T) {
	x := healthy().Facts()
	x.Damage = "op: 1 ok in the ledger, 0 in the histograms"
	got := verdict.Check(x)
	if got.Valid || got.Own || got.Why != "DAMAGED: its files contradict each other: op: 1 ok in the ledger, 0 in the histograms" {
		t.Errorf("got %+v", got)
	}
}

// A cap that is reached by a healthy generator is the system's doing.
func TestCapped(t *testing.T) {
	x := healthy()
	x.Record.CapHit, x.Record.Lateness.P99 = 5, 1e9
	if got := verdict.Check(x.Facts()); !got.Capped {
		t.Errorf("got %+v", got)
	}
	x.Record.Generator.CPUNS = 19e9
	if got := verdict.Check(x.Facts()); got.Capped {
		t.Error("a busy generator is not healthy")
	}
	x = healthy()
	x.Record.CapHit, x.Record.HostUse.StealShare = 5, .5
	if got := verdict.Check(x.Facts()); got.Capped {
		t.Error("a machine without CPU is not healthy")
	}
}

func TestNotAtLoad(t *testing.T) {
	for sent, want := range map[int64]bool{9900: true, 9899: false} {
		x := healthy()
		x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(40, int(sent)), Others: map[string]int64{"unsent": 10000 - sent}}
		v := verdict.Check(x.Facts())
		if !v.Valid || verdict.AtLoad(x.Facts()) != want || (len(v.Warnings) == 0) != want {
			t.Errorf("%d of 10000 sent: %+v", sent, v)
		}
	}
}

// What the system under test does is flagged and counts.
func TestBehaviourCounts(t *testing.T) {
	x := healthy()
	line := func(pid int, at int64, mib int64) rundir.ResourceLine {
		return rundir.ResourceLine{Name: "shop", PID: pid, OffsetNS: at * 1e9, Working: mib << 20, Limit: 1000 << 20}
	}
	x.Resources = []rundir.ResourceLine{line(1, 0, 979), line(1, 10, 979)}
	if v := verdict.Check(x.Facts()); !v.Valid || len(v.Warnings) != 0 {
		t.Errorf("below the limit: %+v", v)
	}
	x.Resources = []rundir.ResourceLine{line(1, 0, 980), line(2, 5, 10), line(2, 10, 10)}
	v := verdict.Check(x.Facts())
	var got []string
	for _, w := range v.Warnings {
		got = append(got, w.Code+" "+w.Seen)
	}
	want := []string{"RESTART shop restarted 1 times", "CEILING shop reached its memory limit (980 of 1000 MiB)"}
	if diff := cmp.Diff(want, got); diff != "" || !v.Valid {
		t.Errorf("valid %v\n%s", v.Valid, diff)
	}
}

func TestMerge(t *testing.T) {
	w := func(code, trial, seen string) result.Warning {
		return result.Warning{Code: code, Trial: trial, Seen: seen}
	}
	got := verdict.Merge([]result.Warning{w("LATE", "01-A", "p99 2.01 ms"), w("HOST", "01-A", "steal 2 %"), w("LATE", "02-B", "p99 17 ms"), w("LATE", "01-A", "p99 3 ms"),
		w("LATE", "", "p99 9 ms"), w("HOST", "", "swap 3 MiB"), w("HOST", "03-B", "swap 4 MiB")})
	want := []result.Warning{w("LATE", "01-A, 02-B", "p99 2.01 ms"), w("HOST", "01-A", "steal 2 %"), w("HOST", "03-B", "swap 3 MiB")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSortedAndStops(t *testing.T) {
	ws := []result.Warning{{Code: "a", Level: verdict.Note}, {Code: "b", Level: verdict.Limit}, {Code: "c", Level: verdict.Note}}
	if verdict.Stops(ws) {
		t.Error("notes and limits stop")
	}
	ws = verdict.Sorted(append(ws, result.Warning{Code: "d", Level: verdict.Stop}))
	var got string
	for _, w := range ws {
		got += w.Code
	}
	if got != "dbac" || !verdict.Stops(ws) || verdict.Sorted(nil) == nil {
		t.Errorf("got %q", got)
	}
}
