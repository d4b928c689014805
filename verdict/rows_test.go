package verdict_test

import (
	"fmt"
	"math"
	"testing"
	"time"

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

func TestSpectrum(t *testing.T) {
	var trials []*facts.Trial
	for i := range 3 {
		x := healthy()
		x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(40*math.Pow(2, float64(i-1)), 990), Others: map[string]int64{"timeout": 10}}
		trials = append(trials, x.Facts())
	}
	s := verdict.Spectrum("A", "op", trials)
	if s.N != 3000 || math.Abs(s.Timeout-.01) > 1e-12 || len(s.Points) != 48 {
		t.Fatalf("n %d, %v without a value, %d points", s.N, s.Timeout, len(s.Points))
	}
	last := s.Points[len(s.Points)-1]
	if math.Abs(last.Q-.99) > 1e-12 || math.Abs(last.MS-40) > .08 { // geometric mean of 20, 40, 80
		t.Errorf("last point %+v", last)
	}
	// t(2, .975) ln 2 / sqrt 3
	if h := math.Log(*last.Hi / last.MS); math.Abs(h-4.302652729911*math.Ln2/math.Sqrt(3)) > 2e-3 || math.Abs(math.Log(last.MS / *last.Lo)-h) > 1e-9 {
		t.Errorf("band %v", h)
	}
	if two := verdict.Spectrum("A", "op", trials[:2]); two.Points[0].Lo != nil {
		t.Error("a band from two runs")
	}
	if none := verdict.Spectrum("A", "other", trials); none.N != 0 || none.Points == nil || len(none.Points) != 0 {
		t.Errorf("got %+v", none)
	}
}

// A constant rate stays constant in the drawing, also in a last, shorter step.
func TestTimeline(t *testing.T) {
	for _, seconds := range []int64{100, 500} {
		dir, err := rundir.Create(t.TempDir(), "run", "x", time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		var trials []*facts.Trial
		for i := range 2 {
			x := factstest.Trial{Record: rundir.Trial{Name: fmt.Sprint(i), WarmupEndNS: 3e9, MeasureNS: seconds * 1e9}, WarmupMS: 900,
				Operations: []factstest.Operation{{Name: "op", OK: repeat(20, int(100*seconds)), Others: map[string]int64{"system": 2 * seconds, "functional": seconds}}}}
			if err := x.Write(dir); err != nil {
				t.Fatal(err)
			}
			f, err := facts.Load(dir, fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			trials = append(trials, f)
		}
		tl := verdict.Timeline("A", "op", trials)
		step := (seconds + 239) / 240
		if tl.StepS != float64(step) || int64(len(tl.Scheduled)) != (seconds+step-1)/step {
			t.Fatalf("%d s: step %v, %d points", seconds, tl.StepS, len(tl.Scheduled))
		}
		for i := range tl.Scheduled {
			if math.Abs(tl.Scheduled[i]-103) > 1e-9 || math.Abs(tl.Achieved[i]-101) > 1e-9 || math.Abs(tl.Failed[i]-2) > 1e-9 || tl.P95MS[i] == nil || math.Abs(*tl.P95MS[i]-20) > .02 {
				t.Fatalf("%d s, point %d: %v %v %v %v", seconds, i, tl.Scheduled[i], tl.Achieved[i], tl.Failed[i], tl.P95MS[i])
			}
		}
	}
	if tl := verdict.Timeline("A", "op", nil); len(tl.Scheduled) != 0 || tl.P95MS == nil {
		t.Errorf("got %+v", tl)
	}
}

func TestDocument(t *testing.T) {
	for ns, want := range map[int64]string{0: "0s", 45e9: "45s", 90e9: "1m30s", 180e9: "3m", 7200e9: "2h", 500e6: "500ms"} {
		if got := verdict.Duration(ns); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if _, err := verdict.StoredScenario(rundir.Manifest{ScenarioFile: "x.yaml", Scenario: "perfctl: 1\nx: 1\n"}); err == nil || err.Error()[:32] != "the run directory's scenario: x.y"[:32] {
		t.Errorf("got %v", err)
	}
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	m := rundir.Manifest{ID: "id", Command: []string{"perfctl", "run", "", "it's"}, Started: at, Ended: at.Add(90 * time.Second), State: rundir.Interrupted, Git: "abc", Tier: "process",
		ScenarioFile: "x.yaml", ScenarioSHA256: "0123456789abcdef0123", Host: rundir.Host{CPU: "c", Cores: 2, MemoryMB: 3, OS: "linux", Kernel: "6", Governor: "performance"},
		Plan: rundir.Plan{Rate: "50/s", Arrivals: "poisson", MaxInFlight: 9, Quick: true}, ScenarioName: "x", Seed: 5, Perfctl: "1"}
	sc, err := verdict.StoredScenario(rundir.Manifest{ScenarioFile: "x.yaml", Scenario: minimal})
	if err != nil {
		t.Fatal(err)
	}
	want := result.Run{ID: "id", Started: at, Seconds: 90, Seed: 5, Scenario: "x", Tier: "process", Git: "abc", Perfctl: "1", Host: "c, 2 cores, 3 MiB, linux 6",
		ScenarioSHA256: m.ScenarioSHA256, Repeat: `perfctl run '' 'it'\''s'`, Interrupted: true, Quick: true}
	if diff := cmp.Diff(want, verdict.RunOf(m, sc)); diff != "" {
		t.Error(diff)
	}
	last := healthy().Facts()
	last.Facts = []rundir.Setting{{Where: "shop", Name: "version", Value: "2"}}
	wantEnv := []result.Setting{{Name: "perfctl", Value: "1"}, {Name: "machine", Value: "c, 2 cores, 3 MiB"}, {Name: "system", Value: "linux 6"}, {Name: "tier", Value: "process"},
		{Name: "load", Value: "50/s, poisson arrivals, at most 9 in flight"}, {Name: "seed", Value: "5"}, {Name: "scenario", Value: "x.yaml, sha256 0123456789abcdef"},
		{Name: "CPU governor", Value: "performance"}, {Name: "git", Value: "abc"}, {Name: "shop version", Value: "2"}}
	if diff := cmp.Diff(wantEnv, verdict.Environment(m, last)); diff != "" {
		t.Error(diff)
	}
	if got := verdict.Environment(m, nil); len(got) != 9 {
		t.Errorf("got %v", got)
	}
	if r, err := verdict.RateOf(m.Plan); err != nil || r.PerSecond() != 50 {
		t.Errorf("got %v, %v", r, err)
	}
}

const minimal = `perfctl: 1
name: shop
target: { external: true }
services:
  shop: { url: http://127.0.0.1:1 }
operations:
  op: { post: shop:/buy, weight: 1 }
load: { rate: 100/s, duration: 10s }
`

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
