package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

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
