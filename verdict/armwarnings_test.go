package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

// The published completions: 85 % end within 0.3 s, the rest never. That is loss, not a tail.
func TestTwoModes(t *testing.T) {
	for _, c := range []struct {
		name           string
		fast, slow, to int // at 150 ms, at 2 s, timed out
		want           bool
	}{
		{"published at 50/s: 27 % time out", 730, 0, 270, true},
		{"a tail of 1 % between", 970, 10, 30, false},
		{"just under 1 %", 991, 9, 30, true},
		{"1.9 % time out", 981, 0, 19, false},
		{"2 % time out", 980, 0, 20, true},
		{"nothing ended", 0, 0, 100, false},
	} {
		x := healthy()
		x.Record.Completions = []rundir.CompletionPlan{follow}
		for range c.fast {
			x.Completions = append(x.Completions, followed("ok", 1, 0, 150))
		}
		for range c.slow {
			x.Completions = append(x.Completions, followed("ok", 1, 0, 2000))
		}
		for range c.to {
			x.Completions = append(x.Completions, followed("timeout", 1, 0, 10e3))
		}
		got := false
		for _, w := range verdict.ArmWarnings("A", "a", []*facts.Trial{x.Facts()}) {
			got = got || w.Code == verdict.TwoModes && w.Seen == "done within 450 ms or not at all (A)"
		}
		if got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestArmWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*factstest.Trial)
		code   string
		seen   string // "" when the code must not be there
	}{
		{"5 % fail", func(x *factstest.Trial) {
			x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(1, 950), Others: map[string]int64{"system": 50}}
		}, verdict.Failing, ""},
		{"more fail", func(x *factstest.Trial) {
			x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(1, 949), Others: map[string]int64{"system": 20, "timeout": 20, "unsent": 11}}
		}, verdict.Failing, "5.1 % of 1000 arrivals failed, timed out or were not sent (A)"},
		{"business errors", func(x *factstest.Trial) {
			x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(1, 900), Others: map[string]int64{"functional": 100}}
		}, verdict.FuncErrors, "10.00 % declared business errors of 1000 (A)"},
		{"95 % complete", func(x *factstest.Trial) { x.Completions = mixed(95, 5, 0) }, verdict.Incomplete, ""},
		{"less complete", func(x *factstest.Trial) { x.Completions = mixed(94, 6, 0) }, verdict.Incomplete, "94 of 100 followed arrivals completed (94.0 %) (A)"},
		{"10 % of the polls miss", func(x *factstest.Trial) { x.Completions = mixed(100, 0, 10) }, verdict.PollMisses, ""},
		{"more miss", func(x *factstest.Trial) { x.Completions = mixed(100, 0, 11) }, verdict.PollMisses, "11.0 % of 100 polls found nothing there (404) (A)"},
		{"disagreement", func(x *factstest.Trial) {
			x.Completions = mixed(100, 0, 0)
			x.Completions[3].Disagreements = 2
		}, verdict.Disagree, "2 polls found nothing after one that had (A)"},
		{"note", func(x *factstest.Trial) { x.Record.Notes = []string{"n"} }, verdict.Remark, "n (A)"},
		{"unproven", func(x *factstest.Trial) { x.Record.Unproven = []string{"u"} }, verdict.Unproven, "u (A)"},
	} {
		x := healthy()
		x.Record.Completions = []rundir.CompletionPlan{follow}
		c.change(&x)
		var got string
		for _, w := range verdict.ArmWarnings("A", "a", []*facts.Trial{x.Facts()}) {
			if w.Code == c.code {
				got = w.Seen
			}
		}
		if got != c.seen {
			t.Errorf("%s: %q, want %q", c.name, got, c.seen)
		}
	}
	x := healthy().Facts()
	x.Cut = true
	x.Operations["op"].Outcomes["system"] = 100
	for range 100 {
		x.Operations["op"].Failed.AddValue(int64(19 * time.Millisecond))
	}
	var codes []string
	for _, w := range verdict.ArmWarnings("A", "a", []*facts.Trial{x}) {
		codes = append(codes, w.Code)
		if w.Code == verdict.FastFail && w.Seen != "failures end in 19.0 ms, successes in 40.0 ms (medians) (A)" {
			t.Errorf("got %q", w.Seen)
		}
	}
	if diff := cmp.Diff([]string{verdict.FastFail, verdict.Interrupted}, codes); diff != "" {
		t.Error(diff)
	}
	if got := verdict.ArmWarnings("A", "a", nil); got != nil {
		t.Errorf("without trials: %v", got)
	}
}

func mixed(ok, timeouts, misses int) []rundir.CompletionLine {
	var out []rundir.CompletionLine
	for i := range ok + timeouts {
		outcome, miss := "ok", 0
		if i >= ok {
			outcome = "timeout"
		}
		if i < misses {
			miss = 1
		}
		out = append(out, followed(outcome, 1, miss, 100))
	}
	return out
}
