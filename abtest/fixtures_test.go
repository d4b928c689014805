package abtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

var following = []rundir.CompletionPlan{{Name: "done", Operation: "create_order", Sample: 1, TimeoutNS: 10e9}}

// follow gives a trial completions: done at ms, in steps of width, and some that time out.
func follow(x *factstest.Trial, ms, width float64, done, timedOut int) {
	x.Record.Completions = following
	for i := range done {
		at := ms * (1 + .001*float64(i%20))
		x.Completions = append(x.Completions, rundir.CompletionLine{Index: int64(i), Completion: "done", Measured: true, Outcome: "ok", Polls: 1,
			LowerNS: int64((at - width) * 1e6), UpperNS: int64(at * 1e6)})
	}
	for range timedOut {
		x.Completions = append(x.Completions, rundir.CompletionLine{Completion: "done", Measured: true, Outcome: "timeout", Polls: 50, UpperNS: 10e9})
	}
}

// Published results of one such harness, each of which drew a conclusion that its own
// numbers do not carry. None of them may yield better, worse or same on what it claimed.
func TestPublishedMistakes(t *testing.T) {
	for _, c := range []struct {
		name    string
		primary []string
		pairs   int
		make    func(x *factstest.Trial, label string, pair int)
		metric  string // the one that was claimed
		code    string // the warning that must say why
		status  string
		said    string // in the sentence
	}{
		{"both sides ran with the same memory limit", []string{"create_order p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			x.Record.Asked, x.Record.Observed = nil, []rundir.Setting{{Where: "shop", Name: "memory", Value: "512MiB"}}
			if label == "B" {
				x.Record.Asked = []rundir.Setting{{Where: "shop", Name: "memory", Value: "1024MiB"}}
			}
		}, "", verdict.Treatment, result.NotComparable, "No test took place: tpc ran with shop memory = 512MiB (asked 1024MiB)."},
		{"the setting never reached anything", []string{"create_order p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			x.Record.Observed = nil
		}, "", verdict.Treatment, result.NotComparable, "No test took place: community ran with shop engine = nothing (asked community)."},
		{"two variants, one system", []string{"create_order p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			x.Record.Asked = []rundir.Setting{{Where: "shop", Name: "engine", Value: "v"}}
			x.Record.Observed = x.Record.Asked
		}, "", verdict.Treatment, result.NotComparable, "No test took place: nothing observed differs between community and tpc."},
		{"accepted in 19 ms, 0.36 % ever completed", []string{"done p95"}, 8, func(x *factstest.Trial, label string, _ int) {
			follow(x, 300, 1, 2, 548)
		}, "done p95", verdict.Incomplete, result.NotComparable, "done p95: not comparable"},
		{"200 ms polls, done at the first", []string{"done p50", "done p95"}, 12, func(x *factstest.Trial, label string, pair int) {
			ms := 219.0 + float64(pair%3)
			if label == "B" {
				ms++
			}
			follow(x, ms, ms, 540, 0)
		}, "done p50", verdict.PollQ, result.Unclear, "Can't tell"},
		{"a p95 that is the timeout", []string{"done p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			follow(x, 300, 1, 81, 459)
		}, "done p95", verdict.Censored, result.NotComparable, "done p95: not comparable; in both variants it lies beyond every measured time (A > 10 s, B > 10 s)."},
		{"one run each, wins 3 of 4", []string{"create_order p95"}, 1, func(x *factstest.Trial, label string, _ int) {
			ms := map[string]float64{"A": 24.8, "B": 24.15}[label]
			x.Operations[0].OK = slices.Repeat([]float64{ms}, 500)
		}, "create_order p95", verdict.FewRuns, result.Unclear, "Can't tell whether tpc differs from community: 1 of the 4 pairs that the first look needs."},
		{"one run each, +13 %", []string{"create_order p95"}, 1, func(x *factstest.Trial, label string, _ int) {
			ms := map[string]float64{"A": 24.8, "B": 28}[label]
			x.Operations[0].OK = slices.Repeat([]float64{ms}, 500)
		}, "create_order p95", verdict.FewRuns, result.Unclear, "1 of the 4 pairs"},
		{"50/s against 100/s of which 48 % were never sent", []string{"create_order p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			if label == "B" {
				x.Operations[0] = factstest.Operation{Name: "create_order", OK: slices.Repeat([]float64{30}, 520), Others: map[string]int64{"unsent": 480}}
			}
		}, "create_order p95", verdict.Unequal, result.NotComparable, "Not comparable: A was scheduled at 200/s and sent 100.0 %, B at 250/s and sent 80.8 %."},
		{"the generator's own limit", []string{"create_order p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			x.Record.CapHit, x.Record.InFlightMax = 100, 200
		}, "create_order p95", verdict.GenSat, result.Unclear, "Can't tell whether tpc differs from community: 0 of the 4 pairs"},
		{"only B is at the limit", []string{"create_order p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			if label == "B" {
				x.Record.CapHit, x.Record.InFlightMax = 100, 200
			}
		}, "create_order p95", verdict.GenSat, result.NotComparable, "Not comparable: tpc could not sustain 50/s: 12 of its runs had all 200 requests in flight."},
		{"18 % never sent, on both sides", []string{"create_order p50"}, 12, func(x *factstest.Trial, label string, pair int) {
			ms := 20 + float64(pair%3)
			if label == "B" {
				ms *= .8
			}
			x.Operations[0] = factstest.Operation{Name: "create_order", OK: slices.Repeat([]float64{ms}, 410), Others: map[string]int64{"unsent": 90}}
		}, "create_order p50", verdict.NotAtLoad, result.NotComparable, "create_order p50: not comparable; a run of A was sent 95.5 % of its arrivals."},
		{"108 tracked sagas have a p95", []string{"done p95"}, 12, func(x *factstest.Trial, label string, _ int) {
			follow(x, 100, 1, 108, 0)
		}, "done p95", verdict.FewSamples, result.NotComparable, "done p95: not comparable; only 5 samples beyond it in a run"},
	} {
		s := sessionOf(t, planOf(t, c.primary, standard...))
		for p := 1; p <= c.pairs; p++ {
			for _, label := range order(p%4 < 2) {
				x := trialOf(slotOf(p, label, p%4 < 2), 20+float64(p%3))
				c.make(&x, label, p)
				s.Add(x.Facts())
			}
		}
		r := judged1(t, s)
		if c.metric != "" {
			if got := metricOf(t, r, c.metric).Verdict; got == result.Better || got == result.Worse || got == result.Same {
				t.Errorf("%s: %s is %s", c.name, c.metric, got)
			}
		}
		if !slices.Contains(codes(r), c.code) || r.Verdict.Status != c.status || r.Verdict.Exit != 3 || !strings.Contains(r.Verdict.Sentence, c.said) {
			t.Errorf("%s: %s, exit %d, %q, codes %v", c.name, r.Verdict.Status, r.Verdict.Exit, r.Verdict.Sentence, codes(r))
		}
		stopped := strings.HasPrefix(c.said, "No test took place: ") || strings.HasPrefix(c.said, "Not comparable: ")
		if valid := r.Verdict.Valid; valid == stopped {
			t.Errorf("%s: valid %v", c.name, valid)
		}
	}
}

// What makes two runs different tests, one thing at a time.
func TestUnequal(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(x *factstest.Trial)
		want   string
	}{
		{"nothing", func(*factstest.Trial) {}, ""},
		{"window", func(x *factstest.Trial) { x.Record.MeasureNS = 9e9 }, "B measured 9s after 1s, the plan says 10s after 1s"},
		{"warm-up", func(x *factstest.Trial) { x.Record.WarmupEndNS = 2e9 }, "B measured 10s after 2s, the plan says 10s after 1s"},
		{"rate", func(x *factstest.Trial) { x.Operations[0].OK = append(x.Operations[0].OK, 20) }, "A was scheduled at 200/s and sent 100.0 %, B at 200.1/s and sent 100.0 %"},
		{"mix", func(x *factstest.Trial) {
			x.Operations[0].OK, x.Operations[1].OK = x.Operations[0].OK[1:], append(x.Operations[1].OK, 5)
		}, "the mix differs: A scheduled 500 of create_order, B 499"},
		{"seed", func(x *factstest.Trial) { x.Record.Slot.Seed = 77 }, "A and B were sent different requests (another seed)"},
		{"data", func(x *factstest.Trial) { x.Record.Seeded = map[string]int{"products": 90} }, "the data differ: A had map[products:100], B map[products:90]"},
		{"completion", func(x *factstest.Trial) {
			x.Record.Completions = []rundir.CompletionPlan{{Name: "done", TimeoutNS: 5e9}}
		}, "A and B followed completions differently (sample or timeout)"},
		{"timeout", func(x *factstest.Trial) { x.Record.Operations[0].TimeoutNS = 5e9 }, "create_order timed out after 10s in A, 5s in B"},
		{"share", func(x *factstest.Trial) { x.Record.Operations[1].Share = .4 }, "the mix differs: A sent reserve_stock (75 %), B reserve_stock (40 %)"},
		{"operations", func(x *factstest.Trial) { x.Record.Operations = x.Record.Operations[:1] }, "A sent 2 operations, B 1"},
	} {
		s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
		for p := 1; p <= 4; p++ {
			for _, label := range order(true) {
				x := trialOf(slotOf(p, label, true), 20)
				x.Record.Seeded = map[string]int{"products": 100}
				x.Record.Completions = following
				x.Record.Operations = []rundir.OperationPlan{{Name: "create_order", Share: .25, TimeoutNS: 10e9}, {Name: "reserve_stock", Share: .75, TimeoutNS: 10e9}}
				if label == "B" && p == 3 {
					c.change(&x)
				}
				s.Add(x.Facts())
			}
		}
		r := judged1(t, s)
		w := warningOf(r, verdict.Unequal)
		if w.Seen != c.want || c.want != "" && (w.Level != verdict.Stop || w.Trial != "05-A, 06-B" || r.Verdict.Status != result.NotComparable || r.Verdict.Valid) {
			t.Errorf("%s: %+v, want %q; %+v", c.name, w, c.want, r.Verdict)
		}
	}
}

func TestTreatmentRows(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	set := func(name, value string) rundir.Setting {
		return rundir.Setting{Where: "shop", Name: name, Value: value}
	}
	for p := 1; p <= 4; p++ {
		for _, label := range order(true) {
			x := trialOf(slotOf(p, label, true), 20)
			x.Record.Asked = append(x.Record.Asked, set("empty", ""))
			x.Record.Observed = append(x.Record.Observed, set("empty", ""), set("same", "1"))
			x.Record.Facts = []rundir.Setting{set("version", "1"), set("port", fmt.Sprint(p))}
			if label == "B" {
				x.Record.Observed = append(x.Record.Observed, set("replicas", "2"))
				x.Record.Facts = append(x.Record.Facts, set("extra", "x"))
				x.Record.Facts[0].Value = "2"
			}
			s.Add(x.Facts())
		}
	}
	r := judged1(t, s)
	want := []result.Treatment{
		{Where: "shop", Setting: "engine", AAsked: "community", AObserved: "community", BAsked: "tpc", BObserved: "tpc", OK: true},
		{Where: "shop", Setting: "empty", AAsked: "(empty)", AObserved: "(empty)", BAsked: "(empty)", BObserved: "(empty)", OK: true},
		{Where: "shop", Setting: "same", AObserved: "1", BObserved: "1", OK: true},
		{Where: "shop", Setting: "replicas", BObserved: "2", OK: true, Confound: true},
	}
	if !slices.Equal(want, r.Treatment) {
		t.Errorf("got %+v", r.Treatment)
	}
	if diff := []result.Difference{{Name: "shop version", A: "1", B: "2"}, {Name: "shop extra", A: "nothing", B: "x"}}; !slices.Equal(diff, r.Difference) {
		t.Errorf("got %+v", r.Difference)
	}
	if w := warningOf(r, verdict.Confound); w.Level != verdict.Limit || w.Seen != "shop replicas differs (A nothing, B 2) and was not asked for" {
		t.Errorf("got %+v", w)
	}
	if !strings.Contains(r.Verdict.Sentence, "No meaningful difference") {
		t.Errorf("got %+v", r.Verdict)
	}
}

// A setting that was observed in some runs only was not proven.
func TestTreatmentOfEveryRun(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	for p := 1; p <= 4; p++ {
		for _, label := range order(true) {
			x := trialOf(slotOf(p, label, true), 20)
			if p == 3 && label == "B" {
				x.Record.Observed = nil
			}
			s.Add(x.Facts())
		}
	}
	r := judged1(t, s)
	if want := "No test took place: tpc ran with shop engine = varies (asked tpc)."; r.Verdict.Sentence != want || r.Treatment[0].OK {
		t.Errorf("got %q, %+v", r.Verdict.Sentence, r.Treatment)
	}
}

// Before B ran there is nothing to say about what differs.
func TestTreatmentOfHalfASession(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	s.Add(trialOf(slotOf(1, "A", true), 20).Facts())
	r := judged1(t, s)
	if got := codes(r); slices.Contains(got, verdict.Treatment) || slices.Contains(got, verdict.Confound) || r.Verdict.Exit != 3 {
		t.Errorf("got %v, %+v", got, r.Verdict)
	}
	s = sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	for _, label := range order(true) {
		x := trialOf(slotOf(1, label, true), 20)
		x.Record.Asked, x.Record.Observed = nil, nil
		s.Add(x.Facts())
	}
	if w := warningOf(judged1(t, s), verdict.Unproven); w.Level != verdict.Limit || w.Seen != "neither community nor tpc asks for a setting" {
		t.Errorf("got %+v", w)
	}
}
