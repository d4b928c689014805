package verdict_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/stats"
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

var subjects = verdict.Subjects{Operations: []string{"op"}, Completions: []string{"done"}}

func TestParseMetric(t *testing.T) {
	for name, want := range map[string]verdict.Metric{
		"op p50":         {Kind: verdict.OperationQuantile, Subject: "op", Stat: "p50", Q: .5, Unit: "ms", Metric: stats.Metric{NameAt: stats.Margin{Rel: .03, Abs: .5}, RuleOut: stats.Margin{Rel: .05, Abs: 1}}},
		"op p95":         {Kind: verdict.OperationQuantile, Subject: "op", Stat: "p95", Q: .95, Unit: "ms", Metric: stats.Metric{NameAt: stats.Margin{Rel: .05, Abs: 1}, RuleOut: stats.Margin{Rel: .1, Abs: 2}}},
		"op p99":         {Kind: verdict.OperationQuantile, Subject: "op", Stat: "p99", Q: .99, Unit: "ms", Metric: stats.Metric{NameAt: stats.Margin{Rel: .1, Abs: 2}, RuleOut: stats.Margin{Rel: .2, Abs: 4}}},
		"op p99.9":       {Kind: verdict.OperationQuantile, Subject: "op", Stat: "p99.9", Q: .999, Unit: "ms", Metric: stats.Metric{NameAt: stats.Margin{Rel: .1, Abs: 2}, RuleOut: stats.Margin{Rel: .2, Abs: 4}}},
		"done p50":       {Kind: verdict.CompletionQuantile, Subject: "done", Stat: "p50", Q: .5, Unit: "ms", Metric: stats.Metric{NameAt: stats.Margin{Rel: .03, Abs: 10}, RuleOut: stats.Margin{Rel: .05, Abs: 20}}},
		"done completed": {Kind: verdict.Completed, Subject: "done", Stat: "completed", Unit: "%", Metric: stats.Metric{Direction: stats.HigherIsBetter, Scale: stats.Difference, NameAt: stats.Margin{Abs: .005}, RuleOut: stats.Margin{Abs: .01}}},
		"system_errors":  {Kind: verdict.Errors, Stat: "errors", Unit: "%", Metric: stats.Metric{Scale: stats.Difference, NameAt: stats.Margin{Abs: .001}, RuleOut: stats.Margin{Abs: .002}}},
	} {
		got, err := verdict.ParseMetric(name, subjects)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	for _, name := range []string{"errors", "cpu", "memory", "done misses", "op p90", "done p95"} {
		m, err := verdict.ParseMetric(name, subjects)
		if err != nil || m.Validate() != nil || m.Name() != name {
			t.Errorf("%s: %q, %v, %v", name, m.Name(), err, m.Validate())
		}
	}
}

func TestParseMetricErrors(t *testing.T) {
	for name, want := range map[string]string{
		"":             `metric "": write NAME STAT, such as "create_order p95", or errors, cpu or memory`,
		"op p95 now":   `metric "op p95 now": write NAME STAT`,
		"latency":      `metric "latency": write NAME STAT ("create_order p95"), errors, cpu or memory`,
		"ob p95":       `metric "ob p95": no operation or completion named "ob"; known: op, done`,
		"op completed": `statistic "completed": write p50, p95 or p99.9`,
		"op max":       `statistic "max": write p50, p95 or p99.9`,
		"op pNaN":      `statistic "pNaN": write p50`,
		"op p-5":       `statistic "p-5": write p50`,
		"op p1e1":      `statistic "p1e1": write p50`,
		"op p0":        `statistic "p0": a percentile lies between 0 and 100`,
		"op p100":      `statistic "p100": a percentile lies between 0 and 100`,
		"op p0.000001": `statistic "p0.000001": a percentile lies between 0 and 100`,
	} {
		if name == "op p0.000001" {
			if _, err := verdict.ParseMetric(name, subjects); err != nil {
				t.Errorf("%s: %v", name, err) // a millionth of a percent is still one
			}
			continue
		}
		_, err := verdict.ParseMetric(name, subjects)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

// Own margins of a completion keep the floor that polling sets.
func TestWithMargins(t *testing.T) {
	for name, want := range map[string]stats.Margin{"op p95": {Rel: .02, Abs: 1}, "done p95": {Rel: .02, Abs: 10}} {
		m, err := verdict.ParseMetric(name, subjects)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.WithMargins(stats.Margin{Rel: .02, Abs: 1}, m.RuleOut).NameAt; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

var follow = rundir.CompletionPlan{Name: "done", Operation: "op", Sample: 1, TimeoutNS: 10e9}

func followed(outcome string, polls, misses int, ms int64) rundir.CompletionLine {
	return rundir.CompletionLine{Completion: "done", Measured: true, Outcome: outcome, Polls: polls, Misses: misses, UpperNS: ms * 1e6}
}

func measure(t *testing.T, name string, x *facts.Trial) verdict.Measure {
	t.Helper()
	m, err := verdict.ParseMetric(name, subjects)
	if err != nil {
		t.Fatal(err)
	}
	return m.Measure(x)
}

func TestMeasure(t *testing.T) {
	x := healthy()
	x.Record.Completions = []rundir.CompletionPlan{follow}
	x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(40, 900), Others: map[string]int64{"functional": 50, "system": 20, "timeout": 10, "unsent": 20}}
	x.Completions = []rundir.CompletionLine{followed("ok", 2, 1, 100), followed("timeout", 2, 0, 10e3), followed("functional", 0, 0, 1), followed("system", 0, 0, 1)}
	x.Resources = []rundir.ResourceLine{{Name: "a", OffsetNS: 0, Working: 100 << 20}, {Name: "a", OffsetNS: 10e9, CPUNS: 1.9e9, Working: 50 << 20},
		{Name: "b", OffsetNS: 0, Working: 1 << 20}, {Name: "b", OffsetNS: 10e9, Working: 20 << 20}}
	f := x.Facts()
	for name, want := range map[string]float64{"errors": .05, "done completed": 1. / 3, "done misses": .25, "cpu": 2, "memory": 120} {
		if got := measure(t, name, f); math.Abs(got.Value-want) > 1e-12 || got.Missing != "" {
			t.Errorf("%s: got %+v, want %v", name, got, want)
		}
	}
	if got := measure(t, "op p50", f); math.Abs(got.Value-40) > .04 || got.N != 950 {
		t.Errorf("op p50: %+v", got)
	}
	if got := measure(t, "op p95", f); !math.IsInf(got.Value, 1) || got.Text != "> 10 s" || got.Missing != "" {
		t.Errorf("op p95: %+v", got)
	}
	if got := measure(t, "op p99", f); !math.IsNaN(got.Value) || got.Missing != "only 10 samples beyond it in a run, 10 are needed to show it" {
		t.Errorf("op p99: %+v", got)
	}
	empty := factstest.Trial{Record: rundir.Trial{Completions: []rundir.CompletionPlan{follow}}, Operations: []factstest.Operation{{Name: "op"}}}.Facts()
	for name, want := range map[string]string{"op p95": "no arrivals", "done p95": "no arrivals", "done completed": "never sampled", "done misses": "never polled",
		"errors": "no arrivals", "cpu": "no process was sampled", "memory": "no process was sampled"} {
		if got := measure(t, name, empty); got.Missing != want || !math.IsNaN(got.Value) || got.Text != "-" {
			t.Errorf("%s of nothing: %+v, want %q", name, got, want)
		}
	}
	bare := factstest.Trial{}.Facts()
	for name, want := range map[string]string{"op p95": "never sent", "done p95": "never sampled"} {
		if got := measure(t, name, bare); got.Missing != want {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
	x.Resources = x.Resources[:3]
	if got := measure(t, "cpu", x.Facts()); got.Missing != "the samples of b do not reach over the whole window" {
		t.Errorf("cpu: %+v", got)
	}
	x.Resources, x.Operations = x.Resources[:2], []factstest.Operation{{Name: "op", Others: map[string]int64{"system": 5}}}
	if got := measure(t, "cpu", x.Facts()); got.Missing != "no operation completed" {
		t.Errorf("cpu: %+v", got)
	}
}

func TestThresholds(t *testing.T) {
	x := healthy()
	x.Record.Completions = []rundir.CompletionPlan{follow}
	x.Operations = []factstest.Operation{{Name: "op", OK: append(repeat(40, 970), repeat(12_000, 10)...), Others: map[string]int64{"functional": 100, "system": 5, "timeout": 10, "unsent": 5}},
		{Name: "few", OK: repeat(1, 10)}, {Name: "none"}}
	for range 90 {
		x.Completions = append(x.Completions, followed("ok", 1, 0, 100))
	}
	for range 5 {
		x.Completions = append(x.Completions, followed("timeout", 1, 0, 10e3), followed("system", 0, 0, 1))
	}
	f := x.Facts()
	type row struct{ Value, Status string }
	got, want := map[string]row{}, map[string]row{
		"op p50 < 39ms": {"40.0 ms", "fail"}, "op p50 < 41ms": {"40.0 ms", "pass"}, "op p50 >= 39ms": {"40.0 ms", "pass"}, "op p50 > 41ms": {"40.0 ms", "fail"},
		"op p95 <= 41ms": {"40.0 ms", "pass"}, "op p99 < 20s": {"> 10 s", "fail"}, "op p99 > 1ms": {"> 10 s", "pass"}, "op max < 20s": {"failed", "fail"},
		"few p95 < 5ms": {"- (n=10)", "nodata"}, "few max < 5ms": {"1.00 ms", "pass"}, "none p95 < 5ms": {"-", "nodata"}, "none ok > 5%": {"-", "nodata"},
		"op ok >= 89%": {"89.09 %", "pass"}, "op system_errors < 1%": {"1.82 %", "fail"}, "op functional_errors < 9%": {"9.09 %", "fail"},
		"op timeouts < 1%": {"0.91 %", "pass"}, "system_errors < 2%": {"1.80 %", "pass"}, "delivered >= 99%": {"99.55 %", "pass"}, "timeouts > 5%": {"0.90 %", "fail"},
		"done completed >= 90%": {"90.00 %", "pass"}, "done completed > 90%": {"90.00 %", "fail"}, "done timeouts < 6%": {"5.26 %", "pass"},
		"done p50 < 1s": {"100 ms", "pass"}, "done p95 < 1s": {"- (n=100)", "nodata"},
	}
	units := map[string]string{"ms": "ms", "s": "ms", "%": "%"}
	var ts []scenario.Threshold
	for text := range want {
		w := strings.Fields(text)
		th := scenario.Threshold{Text: text, Stat: w[len(w)-3], Op: w[len(w)-2]}
		if len(w) == 4 {
			th.Subject = w[0]
		}
		number := strings.TrimRight(w[len(w)-1], "ms%")
		unit := strings.TrimPrefix(w[len(w)-1], number)
		for _, c := range number {
			th.Value = 10*th.Value + float64(c-'0')
		}
		if unit == "s" {
			th.Value *= 1000
		}
		th.Unit = units[unit]
		ts = append(ts, th)
	}
	for _, r := range verdict.Thresholds("A", ts, []*facts.Trial{f}) {
		got[r.Text] = row{r.Value, r.Status}
		if r.Label != "A" {
			t.Errorf("label %q", r.Label)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	odd := verdict.Thresholds("A", []scenario.Threshold{{Text: "x", Subject: "op", Stat: "mean", Op: "<", Unit: "ms"}}, []*facts.Trial{f})
	if odd[0].Status != "nodata" || !strings.Contains(odd[0].Value, `statistic "mean"`) {
		t.Errorf("got %+v", odd)
	}
	if got := verdict.Thresholds("A", ts[:1], nil); got[0].Status != "nodata" {
		t.Errorf("without trials: %+v", got)
	}
}

func TestThresholdOn(t *testing.T) {
	ts := []scenario.Threshold{{Subject: "op", Unit: "ms", Op: "<", Value: 9}, {Subject: "op", Unit: "ms", Op: "<=", Value: 5}, {Subject: "op", Unit: "ms", Op: ">", Value: 1},
		{Subject: "op", Unit: "%", Op: "<", Value: 2}, {Subject: "other", Unit: "ms", Op: "<", Value: 3}}
	if got := verdict.ThresholdOn(ts, "op"); got == nil || *got != 5 {
		t.Errorf("got %v", got)
	}
	if got := verdict.ThresholdOn(ts, "none"); got != nil {
		t.Errorf("got %v", *got)
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
