package verdict_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

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
	if got := measure(t, "op p99", f); !math.IsNaN(got.Value) || got.Missing != "only 9 samples beyond it in a run, 10 are needed to show it" {
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
