package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func verdicts(decisions []Decision) []Verdict {
	var out []Verdict
	for _, d := range decisions {
		out = append(out, d.Verdict)
	}
	return out
}

func TestSessionEndsWhenEveryPrimaryIsSettled(t *testing.T) {
	s, err := NewSession(StandardLooks(), []Metric{p95, p95, p95})
	if err != nil {
		t.Fatal(err)
	}
	worse := mustLogRatios(t, pairsOf(100, eight(0.3, 0.02)...))
	same := mustLogRatios(t, pairsOf(100, eight(0, 0.02)...))
	noisy := mustLogRatios(t, pairsOf(100, eight(0, 0.5)...))
	tests := []struct {
		name     string
		look     int
		evidence []Evidence
		want     []Verdict
		done     bool
	}{
		{"all settled", 2, []Evidence{worse, same, Veto()}, []Verdict{Worse, Same, NotComparable}, true},
		{"one open", 2, []Evidence{worse, same, noisy}, []Verdict{Worse, Same, Unclear}, false},
		{"one open at the last look", 4, []Evidence{worse, same, noisy}, []Verdict{Worse, Same, Unclear}, true},
	}
	for _, tt := range tests {
		j, err := s.Judge(tt.look, tt.evidence)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, verdicts(j.Decisions)); diff != "" || j.Done != tt.done {
			t.Errorf("%s: done %v, verdicts (-want +got):\n%s", tt.name, j.Done, diff)
		}
	}
}

// Three metrics with p .001, .003, .005 at the first look: Holm's rows are
// .00184, .00279, .00555. The third may not pass after the second has failed.
func TestSessionUsesHolmWithItsStop(t *testing.T) {
	s, err := NewSession(StandardLooks(), []Metric{p95, p95, p95})
	if err != nil {
		t.Fatal(err)
	}
	var evidence []Evidence
	for _, p := range []float64{.005, .001, .003} {
		// Four pairs, mean .2, the spread that gives this p.
		se := 0.2 / TCritical(p, 3)
		x := se * math.Sqrt(3)
		evidence = append(evidence, mustLogRatios(t, pairsOf(100, 0.2+x, 0.2-x, 0.2+x, 0.2-x)))
	}
	j, err := s.Judge(0, evidence)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Verdict{Unclear, Worse, Unclear}, verdicts(j.Decisions)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Fresh corrected p of .0002, .004 and .5 at the first look: 9p is .0018, .036
// and 1, and Benjamini-Hochberg over three gives .0054, .054 and 1.
func TestSecondaryMetricsAreCorrectedTwice(t *testing.T) {
	s, err := NewSession(StandardLooks(), []Metric{p95})
	if err != nil {
		t.Fatal(err)
	}
	var evidence []Evidence
	for _, p := range []float64{.0002, .004, .5} {
		evidence = append(evidence, Evidence{N: 4, Mean: 0.3, SD: 0.2, SE: 0.1, T: 1, P: p, Base: 100})
	}
	got, err := s.JudgeSecondary(0, []Metric{p95, p95, p95}, evidence)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Verdict{Worse, Unclear, Unclear}, verdicts(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	check(t, "adjusted", []float64{got[0].P, got[1].P, got[2].P, got[0].Level}, .0054, .054, 1, .05)
}

func TestSessionErrors(t *testing.T) {
	looks := StandardLooks()
	session := func(l Looks, m ...Metric) error { _, err := NewSession(l, m); return err }
	with := func(change func(*Metric)) Metric { m := p95; change(&m); return m }
	wantErrors(t, []errorCase{
		{"no looks", session(Looks{}, p95), "no looks"},
		{"no primaries", session(looks), "0 primary metrics"},
		{"nine primaries", session(looks, make([]Metric, 9)...), "9 primary metrics"},
		{"no margins", session(looks, Metric{}), "metric 0: margins"},
		{"negative margin", session(looks, p95, with(func(m *Metric) { m.NameAt.Rel = -0.1 })), "metric 1: margins"},
		{"infinite margin", session(looks, with(func(m *Metric) { m.RuleOut.Abs = math.Inf(1) })), "margins"},
		{"NaN margin", session(looks, with(func(m *Metric) { m.RuleOut.Abs = math.NaN() })), "margins"},
		{"rule out below name at", session(looks, with(func(m *Metric) { m.RuleOut.Rel = 0.04 })), "below name at"},
		{"rate without absolute", session(looks, Metric{Scale: Difference, NameAt: Margin{Rel: 0.1}, RuleOut: Margin{Abs: 0.1}}), "absolute margins"},
		{"negative resolution", session(looks, with(func(m *Metric) { m.Resolution = -1 })), "resolution -1"},
	})

	s, err := NewSession(looks, []Metric{p95})
	if err != nil {
		t.Fatal(err)
	}
	judge := func(k int, e ...Evidence) error { _, err := s.Judge(k, e); return err }
	secondary := func(k int, m Metric, e ...Evidence) error {
		_, err := s.JudgeSecondary(k, []Metric{m}, e)
		return err
	}
	e := mustLogRatios(t, v1)
	wantErrors(t, []errorCase{
		{"look before the first", judge(-1, e), "look -1"},
		{"look after the last", judge(5, e), "looks 0 to 4"},
		{"metric missing", judge(2), "evidence on 0 metrics"},
		{"more pairs than the look", judge(1, e), "8 pairs: this look judges the first 6"},
		{"wrong scale", judge(2, Evidence{Scale: Difference, N: 8}), "different scales"},
		{"secondary without margins", secondary(2, Metric{}, e), "secondary metric 0"},
		{"secondary metric missing", secondary(2, p95), "evidence on 0 metrics"},
	})
}

func TestEvidenceErrors(t *testing.T) {
	logs := func(pairs ...Pair) error { _, err := LogRatios(pairs); return err }
	censored := func(limit float64, pairs ...Pair) error { _, err := CensoredLogRatios(pairs, limit); return err }
	ofRates := func(pairs ...RatePair) error { _, err := Rates(pairs); return err }
	fit := func(pairs ...Pair) error { _, err := FitOrder(pairs); return err }
	good := Pair{A: 1, B: 2}
	wantErrors(t, []errorCase{
		{"no pairs", logs(), "no complete pairs"},
		{"zero", logs(good, Pair{A: 0, B: 1}), "pair 2 (A 0, B 1)"},
		{"negative", logs(Pair{A: 1, B: -1}), "positive"},
		{"infinite", logs(Pair{A: math.Inf(1), B: 1}), "finite"},
		{"NaN", logs(Pair{A: 1, B: math.NaN()}), "positive"},
		{"censored without limit", censored(0, good), "censoring limit 0"},
		{"censored at NaN", censored(math.NaN(), good), "censoring limit"},
		{"censored, infinite limit", censored(math.Inf(1), good), "censoring limit"},
		{"censored, no pairs", censored(10), "no complete pairs"},
		{"no rates", ofRates(), "no complete pairs"},
		{"no trials", ofRates(RatePair{Count{0, 0}, Count{0, 1}}), "pair 1 (A 0 of 0"},
		{"more events than trials", ofRates(RatePair{Count{0, 5}, Count{6, 5}}), "B 6 of 5"},
		{"negative events", ofRates(RatePair{Count{-1, 5}, Count{0, 5}}), "A -1 of 5"},
		{"order of two pairs", fit(good, Pair{A: 1, B: 2, AFirst: true}), "at least 3 pairs"},
		{"one order only", fit(good, good, good), "3 pairs, 0 of them A first"},
		{"order of zeros", fit(Pair{}), "positive"},
	})
}

func TestOnePairHasNoInterval(t *testing.T) {
	e := mustLogRatios(t, []Pair{{A: 1, B: 2}})
	want := Interval{math.Inf(-1), math.Inf(1)}
	if got := e.Interval(0.05); got != want || e.P != 1 {
		t.Errorf("interval %v, p %v, want %v, 1", got, e.P, want)
	}
}
