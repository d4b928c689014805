package verdict_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

func sec(s float64) int64 { return int64(s * 1e9) }

// When errors were seen, told from the first and the last of them.
func TestErrorPatterns(t *testing.T) {
	for _, c := range []struct {
		count       int64
		first, last float64
		want        string
	}{
		{1000, 0, 100, "steady"}, {1000, 10, 90, "steady"}, {1000, 10.1, 90, "from 0:10 on"}, {1000, 10, 89.9, "until 1:29"}, {1000, 10.1, 89.9, "from 0:10 to 1:29"},
		{1000, 62, 66.9, "burst at 1:02"}, {1000, 62, 67, "from 1:02 to 1:07"}, {4, 0, 100, "single ones"}, {5, 0, 100, "steady"},
	} {
		x := healthy()
		x.Record.MeasureNS = sec(100)
		x.Record.Errors = []rundir.ErrorEntry{{Operation: "op", Outcome: "system", Signature: "500", Count: c.count, FirstNS: sec(c.first), LastNS: sec(c.last)}}
		if got := verdict.Arm("A", "a", "", []*facts.Trial{x.Facts()}).Errors[0].Pattern; got != c.want {
			t.Errorf("%d from %v to %v: %q, want %q", c.count, c.first, c.last, got, c.want)
		}
	}
}

func TestErrorRows(t *testing.T) {
	x, y := healthy(), healthy()
	x.Record.Completions = []rundir.CompletionPlan{follow}
	x.Completions = []rundir.CompletionLine{followed("ok", 1, 0, 5), followed("system", 0, 0, 5)}
	entry := func(op, outcome, sig string, n int64, from, to float64) rundir.ErrorEntry {
		return rundir.ErrorEntry{Operation: op, Outcome: outcome, Signature: sig, Count: n, FirstNS: sec(from), LastNS: sec(to), Example: sig + "!"}
	}
	x.Record.Errors = []rundir.ErrorEntry{entry("op", "system", "500", 60, 1, 9.5), entry("op", "system", "x", 9, 0, 10), entry("done.poll", "functional", "404", 5, 0, 10), entry("done", "system", "x", 1, 2, 2)}
	y.Record.Errors = []rundir.ErrorEntry{entry("op", "system", "500", 40, .5, 9.5), entry("op", "functional", "x", 9, 4, 4.1), entry("op", "system", "x", 91, 4, 4.1)}
	fx := x.Facts()
	fx.Operations["done.poll"] = &facts.Operation{Name: "done.poll", Outcomes: map[string]int64{"ok": 5, "functional": 5}}
	got := verdict.Arm("A", "a", "", []*facts.Trial{fx, y.Facts()}).Errors
	want := []result.Error{
		{Class: "system", Operation: "op", Signature: "500", Count: 100, SharePct: .5, FirstS: .5, Pattern: "steady", Example: "500!"},
		{Class: "system", Operation: "op", Signature: "x", Count: 100, SharePct: .5, FirstS: 0, Pattern: "differs between runs", Example: "x!"},
		{Class: "functional", Operation: "op", Signature: "x", Count: 9, SharePct: .045, FirstS: 4, Pattern: "burst at 0:04", Example: "x!"},
		{Class: "functional", Operation: "done.poll", Signature: "404", Count: 5, SharePct: 50, Pattern: "steady", Example: "404!"},
		{Class: "system", Operation: "done", Signature: "x", Count: 1, SharePct: 50, FirstS: 2, Pattern: "single ones", Example: "x!"},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
}

func value(ms float64) *float64 { return &ms }

func TestArm(t *testing.T) {
	var trials []*facts.Trial
	for i := range 2 {
		x := healthy()
		x.Operations = []factstest.Operation{{Name: "op", OK: repeat(40, 500), Others: map[string]int64{"functional": 20, "system": 3, "timeout": 2, "unsent": 5}}}
		x.Record.Completions = []rundir.CompletionPlan{follow}
		for range 10 {
			x.Completions = append(x.Completions, rundir.CompletionLine{Completion: "done", Measured: true, Outcome: "ok", Polls: 2, Misses: 1, LowerNS: 90e6, UpperNS: 100e6})
		}
		x.Completions = append(x.Completions, followed("timeout", 3, 0, 10e3))
		x.Record.Generator.CPUNS = int64(2e9 * (i + 1))
		x.Record.InFlightMax, x.Record.CapHit, x.Record.Dialed, x.Record.Path = int64(5*i), 1, 2, "direct"
		x.Resources = []rundir.ResourceLine{{Name: "p", OffsetNS: 0, Working: 10 << 20, Threads: 4, Limit: 64 << 20}, {Name: "p", OffsetNS: 10e9, CPUNS: 5e9, Working: 20 << 20, Threads: 5, Limit: 64 << 20}}
		f := x.Facts()
		f.Slow = []rundir.SlowLine{{Operation: "op", Outcome: "ok", IntendedNS: 1e9, SentNS: 1e9 + 1e6, DoneNS: 1e9 + int64(i+2)*1e6, Reused: i == 0, Status: 200}}
		trials = append(trials, f)
	}
	got := verdict.Arm("A", "a", "title", trials)
	op := got.Operations[0]
	quantiles := op.Quantiles
	op.Quantiles, op.Service = nil, nil
	if diff := cmp.Diff(result.Operation{Name: "op", WeightPct: 100, Scheduled: 1060, Sent: 1050, PerSecond: 52.5, OK: 1000, Functional: 40, System: 6, Timeout: 4, Unsent: 10}, op); diff != "" {
		t.Error(diff)
	}
	var text []string
	for _, q := range quantiles {
		text = append(text, q.Name+" "+q.Text)
	}
	if diff := cmp.Diff([]string{"p50 40.0", "p90 40.0", "p95 40.0", "p99 failed", "p99.9 - (n=1020)", "max failed"}, text); diff != "" {
		t.Error(diff)
	}
	c := got.Completions[0]
	c.Quantiles = nil
	if diff := cmp.Diff(result.Completion{Name: "done", Operation: "op", Sampled: 22, Accepted: 22, Succeeded: 20, TimedOut: 2, Polls: 46, Misses: 20,
		Resolution: "known to within 10.0 ms (median), 10.0 ms (p95)", ResolutionMS: 10, TimeoutMS: 10e3}, c, cmpopts.EquateApprox(1e-3, 0)); diff != "" {
		t.Error(diff)
	}
	g := got.Generator
	// 2 and 4 s of CPU in 10 s each, on two cores: a mean of .3 cores, 15 % of what it may use
	want := result.Generator{Scheduled: 1060, Sent: 1050, SentPct: 100 * 1050. / 1060, Unsent: 10, LateMaxMS: 5, InFlightMax: 5, CapHit: 2, CPUCores: .3, CPUPct: 15, Dialed: 4, Path: "direct"}
	if diff := cmp.Diff(want, g, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]result.Resource{{Name: "p", CPUMeanCores: .5, CPUMaxCores: .5, CPUPerOpMS: 5000. / 520, MemStartMiB: 10, MemEndMiB: 20, MemMaxMiB: 20, LimitMiB: value(64), Threads: 5, Samples: 4}},
		got.Resources, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]result.Slow{{Trial: "01-A", AtS: 1, Operation: "op", Outcome: "ok", MS: 3, ServiceMS: 2, LateMS: 1, Status: 200, Connection: "new"},
		{Trial: "01-A", AtS: 1, Operation: "op", Outcome: "ok", MS: 2, ServiceMS: 1, LateMS: 1, Status: 200, Connection: "reused"}}, got.Slowest); diff != "" {
		t.Error(diff)
	}
	if empty := verdict.Arm("A", "a", "", nil); empty.Trials != 0 || empty.Operations == nil || empty.Generator.SentPct != 0 {
		t.Errorf("got %+v", empty)
	}
}

func TestTrialRow(t *testing.T) {
	x := healthy()
	x.Record.Slot = rundir.Slot{Index: 3, Block: 1, Pair: 2, Label: "B", Variant: "b"}
	x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(40, 850), Others: map[string]int64{"functional": 50, "system": 50, "unsent": 50}}
	f := x.Facts()
	got := verdict.TrialRow(f, verdict.Check(f))
	want := result.Trial{Name: "01-A", Slot: 3, Block: 1, Pair: 2, Label: "B", Variant: "b", Start: f.Start, Valid: true, SentPct: 95, OKPct: 90, LateP99: .9,
		Values: map[string]float64{}, Warnings: []string{verdict.NotAtLoad}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none := verdict.TrialRow(factstest.Trial{}.Facts(), verdict.Validity{}); math.IsNaN(none.OKPct) || math.IsNaN(none.SentPct) {
		t.Errorf("got %+v", none)
	}
}
