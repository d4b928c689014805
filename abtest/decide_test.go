package abtest

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// The verdict of the whole from those of the primary metrics.
func TestStatusAndExit(t *testing.T) {
	const (
		unclear = stats.Unclear
		better  = stats.Better
		worse   = stats.Worse
		same    = stats.Same
		nothing = stats.NotComparable
	)
	for _, c := range []struct {
		of     []stats.Verdict
		status string
		exit   int
		said   string // start of the headline
		tally  string
	}{
		{[]stats.Verdict{worse}, "worse", 1, "create_order p95 is", "tpc: worse on 1 of 1."},
		{[]stats.Verdict{worse, better, same, unclear, nothing}, "worse", 1, "create_order p95 is", "tpc: worse on 1 of 5, better on 1, same on 1, unclear on 1, not comparable on 1."},
		{[]stats.Verdict{better}, "better", 0, "create_order p95 is", "tpc: better on 1 of 1."},
		{[]stats.Verdict{same, better, same}, "better", 0, "create_order p95 is", "tpc: better on 1 of 3, same on 2."},
		{[]stats.Verdict{better, unclear}, "unclear", 3, "Can't tell whether tpc differs", "tpc: better on 1 of 2, unclear on 1."},
		{[]stats.Verdict{better, nothing}, "not comparable", 3, "create_order p95: not comparable; why.", "tpc: better on 1 of 2, not comparable on 1."},
		{[]stats.Verdict{unclear, nothing, same}, "unclear", 3, "Can't tell whether tpc differs", "tpc: same on 1 of 3, unclear on 1, not comparable on 1."},
		{[]stats.Verdict{same, same}, "same", 0, "No meaningful difference between community and tpc; create_order p95: tpc is", "tpc: same on 2 of 2."},
		{[]stats.Verdict{same, nothing}, "not comparable", 3, "create_order p95: not comparable; why.", "tpc: same on 1 of 2, not comparable on 1."},
		{[]stats.Verdict{nothing}, "not comparable", 3, "create_order p95: not comparable; why.", "tpc: not comparable on 1 of 1."},
	} {
		s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
		var fs []finding
		for _, v := range c.of {
			f := exact(t, "create_order p95", v1a, v1b, v1order, 2)
			if f.decision.Verdict = v; v == nothing {
				f.why = "why"
			}
			fs = append(fs, f)
		}
		st := Standing{Look: 2, Primary: fs, Pairs: make([]pair, 8)}
		for _, failing := range []bool{false, true} {
			for _, stop := range []bool{false, true} {
				for _, cut := range []bool{false, true} {
					r := &result.Result{Run: result.Run{Interrupted: cut}}
					if failing {
						r.Warnings = append(r.Warnings, result.Warning{Code: verdict.Failed, Level: verdict.Limit, Seen: "B: x < 1ms is 2 ms, n=5"})
					}
					if stop {
						r.Warnings = append(r.Warnings, result.Warning{Code: verdict.Unequal, Level: verdict.Stop, Seen: "seen"})
					}
					want := result.Verdict{Status: c.status, Exit: c.exit, Valid: true, Sentence: c.said, Tally: c.tally}
					if failing {
						want.Exit = 1
					}
					if stop {
						want = result.Verdict{Status: "not comparable", Exit: 3, Sentence: "Not comparable: seen.", Tally: c.tally}
					}
					if cut {
						want.Exit = 130
					}
					got := s.verdict(st, r)
					if got.Status != want.Status || got.Exit != want.Exit || got.Valid != want.Valid || !strings.HasPrefix(got.Sentence, want.Sentence) || got.Tally != want.Tally {
						t.Errorf("%v, failing %v, stop %v, cut %v: got %+v, want %+v", c.of, failing, stop, cut, got, want)
					}
					if n := utf8.RuneCountInString(got.Sentence); n > 140 {
						t.Errorf("%d characters: %s", n, got.Sentence)
					}
					if lines := len(c.of); failing && !stop && (len(got.Detail) != lines+1 || got.Detail[0] != "A threshold failed. B: x < 1ms is 2 ms, n=5.") || (!failing || stop) && len(got.Detail) != lines {
						t.Errorf("%v: detail %q", c.of, got.Detail)
					}
				}
			}
		}
	}
}

// Five pairs of a session whose first look is after six say nothing, however far apart.
func TestNothingIsDecidedBeforeTheFirstLook(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, 6, 8))
	fill(s, v1a[:5], v1b[:5], v1order)
	r := judged1(t, s)
	m := metricOf(t, r, "create_order p95")
	if m.Verdict != "unclear" || m.PHolm != nil || m.CI95 != nil || m.Pairs != 5 || len(r.Looks) != 0 || r.Verdict.Exit != 3 {
		t.Errorf("got %+v, %+v", m, r.Verdict)
	}
	if want := "Can't tell whether tpc differs from community: 5 of the 6 pairs that the first look needs."; r.Verdict.Sentence != want {
		t.Errorf("got %q", r.Verdict.Sentence)
	}
	for _, x := range r.Metrics {
		if x.Verdict == "better" || x.Verdict == "worse" || x.Verdict == "same" {
			t.Errorf("%s is %s", x.Name, x.Verdict)
		}
	}
}

// With two pairs there is an interval and no verdict.
func TestTwoPairs(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, 2))
	fill(s, v1a[:2], v1b[:2], v1order)
	r := judged1(t, s)
	m := metricOf(t, r, "create_order p95")
	if m.Verdict != "unclear" || len(m.CI95) != 2 || r.Verdict.Status != "unclear" || warningOf(r, verdict.FewRuns).Seen != "2 pairs of runs complete" {
		t.Errorf("got %+v, %+v", m, r.Verdict)
	}
}

// A session of five pairs whose looks are after 4 and 6 is judged by the first four: in the
// table, the arms and the curves alike.
func TestOnlyTheJudgedPairsAreShown(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	fill(s, v1a[:5], v1b[:5], v1order)
	r := judged1(t, s)
	m := metricOf(t, r, "create_order p95")
	if m.Pairs != 4 || len(m.A.Runs) != 4 || r.Arms[0].Trials != 4 || r.Arms[1].Operations[0].Scheduled != 2000 || r.Spectra[0].N != 2000 || len(r.Trials) != 10 ||
		!strings.HasPrefix(r.Run.Scope, "4+4 runs in random ABBA/BAAB blocks, 10s each after 1s warm-up, 50/s constant") {
		t.Errorf("pairs %d, runs %d, arm %d, spectrum %d, %q", m.Pairs, len(m.A.Runs), r.Arms[0].Trials, r.Spectra[0].N, r.Run.Scope)
	}
}

func TestFailedThresholdsAreNeverExit0(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	s.scenario = parse(t, shop+"thresholds: [ create_order p95 < 15ms, create_order p95 < 30ms, done p95 < 1s ]\n")
	fill(s, slices.Repeat([]float64{20}, 4), slices.Repeat([]float64{14}, 4), v1order)
	r := judged1(t, s)
	if r.Verdict.Status != "better" || r.Verdict.Exit != 1 || !strings.HasPrefix(r.Verdict.Detail[0], "A threshold failed. A: create_order p95 < 15ms is 20.0 ms, n=2000") {
		t.Errorf("got %+v", r.Verdict)
	}
	for _, c := range r.Validity {
		if c.Name == "thresholds" && (c.Status != "fail" || c.Text != "A: create_order p95 < 15ms is 20.0 ms, n=2000") {
			t.Errorf("got %+v", c)
		}
	}
}

// Adjusted p values say the same as the procedure at every look: at most .05 where rejected.
func TestAdjustedP(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95", "create_order p50", "errors", "cpu"}, standard...))
	for k := range standard {
		for _, p := range [][]float64{{.001, .2, .004, .9}, {.002, .002, .006, .01}, {.0001, .02, .03, .001}, {.006, .006, .006, .006}} {
			rejected, level := s.procedure.Looks().Holm(k, p)
			fs := make([]finding, len(p))
			for i := range p {
				fs[i].decision = stats.Decision{P: p[i], Level: level[i]}
			}
			for i, adjusted := range adjustedP(fs) {
				if (adjusted <= .05) != rejected[i] || adjusted < p[i] || adjusted > 1 {
					t.Errorf("look %d, %v: %v for p %v, rejected %v", k, p, adjusted, p[i], rejected[i])
				}
			}
		}
	}
}

func TestQuickNote(t *testing.T) {
	p := planOf(t, []string{"create_order p95", "errors"}, 4, 6)
	p.Quick = true
	s := sessionOf(t, p)
	fill(s, slices.Repeat([]float64{100}, 4), slices.Repeat([]float64{100}, 4), v1order)
	r := judged1(t, s)
	want := "Quick session: 10s windows show large differences only; with 4 pairs a change below 5.00 % could have been missed on some primary metric. " +
		"Slow effects (collector cycles, growth, warm caches) do not show in seconds; run without --quick to decide."
	if got := r.Verdict.Detail[len(r.Verdict.Detail)-1]; got != want {
		t.Errorf("got %q", got)
	}
	s = sessionOf(t, p)
	fill(s, v1a[:1], v1b[:1], v1order)
	if got := s.quickNote(Standing{}); strings.Contains(got, "missed") {
		t.Errorf("got %q", got)
	}
}

type invalidCase struct {
	name         string
	ownA, ownB   int // spoilt by the host
	failA, failB int
	interrupted  int
	level, seen  string
	a, b         int // all trials
}

func (invalidCase) spoil(x *factstest.Trial, i, own, failed, interrupted int) {
	switch {
	case i < own:
		x.Record.HostUse = rundir.HostUse{Known: true, StealShare: .5}
	case i < own+failed:
		x.Record.State = rundir.FailedState
	case i < own+failed+interrupted:
		x.Record.State = rundir.Interrupted
	}
}

// What failed by itself, not by the generator or the host, may leave no fair sample.
func TestInvalidRuns(t *testing.T) {
	for _, c := range []invalidCase{
		{"none", 0, 0, 0, 0, 0, "", "", 8, 8},
		{"host", 5, 0, 0, 0, 0, verdict.Limit, "5 runs did not count (A 5, B 0)", 8, 8},
		{"two of eight failed", 0, 0, 0, 2, 0, verdict.Limit, "2 runs did not count (A 0, B 2)", 8, 8},
		{"more than a quarter", 0, 0, 0, 2, 0, verdict.Stop, "2 runs failed (A 0, B 2)", 7, 7},
		{"three more than the other", 0, 0, 0, 3, 0, verdict.Stop, "3 runs failed (A 0, B 3)", 12, 12},
		{"as many in both", 0, 0, 3, 3, 0, verdict.Limit, "6 runs did not count (A 3, B 3)", 12, 12},
		{"interrupted", 0, 0, 0, 0, 1, verdict.Limit, "1 run did not count (A 1, B 0)", 1, 1},
	} {
		s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
		add := func(label string, i int, change func(x *factstest.Trial)) {
			x := trialOf(slotOf(i+1, label, true), 20)
			change(&x)
			s.Add(x.Facts())
		}
		for i := range c.a {
			add("A", i, func(x *factstest.Trial) { c.spoil(x, i, c.ownA, c.failA, c.interrupted) })
		}
		for i := range c.b {
			add("B", i, func(x *factstest.Trial) { c.spoil(x, i, c.ownB, c.failB, 0) })
		}
		got := result.Warning{}
		if ws := s.invalidWarnings(); len(ws) > 0 {
			got = ws[0]
		}
		if got.Level != c.level || got.Seen != c.seen {
			t.Errorf("%s: %+v, want %s %q", c.name, got, c.level, c.seen)
		}
	}
}

func TestSessionNotes(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	m := manifest(s.plan)
	m.GitDirty, m.Earlier, m.State, m.Reason = true, 2, rundir.Running, "power"
	var got []string
	for _, w := range s.sessionNotes(m) {
		got = append(got, w.Code+": "+w.Seen)
	}
	want := []string{"DIRTY: the working tree has uncommitted changes", "REPEATED: 2 sessions of these variants before this one in the same folder", "INTERRUPTED: the session was cut short: power"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	r := judged1(t, s)
	for _, c := range r.Validity {
		if c.Status == result.Pass && c.Name != "thresholds" {
			t.Errorf("without a pair %s passes: %q", c.Name, c.Text)
		}
	}
}
