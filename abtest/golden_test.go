package abtest

import (
	"math"
	"testing"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// Golden vectors of the method: V1 worse, V2 same, V3 unclear with an order effect.
var (
	v1a = []float64{24.80, 25.35, 23.34, 24.10, 25.02, 24.55, 23.90, 25.10}
	v1b = []float64{27.45, 27.90, 26.10, 26.05, 27.80, 27.30, 26.65, 27.20}
	v2a = []float64{15.34, 15.60, 15.83, 15.47, 15.71, 15.55, 15.62, 15.49}
	v2b = []float64{15.41, 15.52, 15.90, 15.58, 15.66, 15.63, 15.50, 15.57}
	v3a = []float64{20.0, 22.6, 22.1, 24.9, 24.0, 27.0}
	v3b = []float64{21.8, 21.3, 23.6, 23.2, 25.9, 25.2}
)

const (
	v1order = "+--++-+-"
	v2order = "+-+-+-+-"
	v3order = "+-+-+-"
)

func TestGoldenVectorsExactly(t *testing.T) {
	for _, c := range []struct {
		name, metric string
		a, b         []float64
		order        string
		k            int
		m, p         float64
		ci, eq       stats.Interval // ratio, log
		dn, dm       float64
		want         stats.Verdict
	}{
		{"V1", "create_order p95", v1a, v1b, v1order, 2, 0.0984672839, 1.150958674e-07, stats.Interval{Lo: 1.086960188, Hi: 1.120247436},
			stats.Interval{Lo: 0.0858901, Hi: 0.1110444678}, 0.04879016417, 0.0953101798, stats.Worse},
		{"V2", "create_order p50", v2a, v2b, v2order, 2, 0.001286502515, 0.5423863172, stats.Interval{},
			stats.Interval{Lo: -0.004256130681, Hi: 0.006829135711}, 0.03159698999, 0.06222611382, stats.Same},
		{"V3", "create_order p95", v3a, v3b, v3order, 1, 0.004847451376, 0.8854306834, stats.Interval{},
			stats.Interval{Lo: -0.1077406908, Hi: 0.1174355936}, 0.04879016417, 0.0953101798, stats.Unclear},
	} {
		f := exact(t, c.metric, c.a, c.b, c.order, c.k)
		d := f.decision
		for what, x := range map[string][2]float64{"m": {f.evidence.Mean, c.m}, "p": {f.evidence.P, c.p}, "equivalence lo": {d.Equivalence.Lo, c.eq.Lo},
			"equivalence hi": {d.Equivalence.Hi, c.eq.Hi}, "name at": {d.NameAt, c.dn}, "rule out": {d.RuleOut, c.dm}} {
			if !close9(x[0], x[1]) {
				t.Errorf("%s %s: %v, want %v", c.name, what, x[0], x[1])
			}
		}
		// the vector was computed at the untabled level, .0129 instead of .01318
		if c.ci.Lo != 0 && (math.Abs(math.Exp(d.CI.Lo)-c.ci.Lo) > 1e-4 || math.Abs(math.Exp(d.CI.Hi)-c.ci.Hi) > 1e-4) {
			t.Errorf("%s: CI %v to %v", c.name, math.Exp(d.CI.Lo), math.Exp(d.CI.Hi))
		}
		if d.Verdict != c.want {
			t.Errorf("%s: %v, want %v", c.name, d.Verdict, c.want)
		}
	}
}

// The same from trials to the document; histograms keep three digits.
func TestGoldenV1FromTrials(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95", "errors"}, standard...))
	fill(s, v1a, v1b, v1order)
	r := judged1(t, s)
	m := metricOf(t, r, "create_order p95")
	near := func(what string, got *float64, want, within float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > within {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("change %", m.ChangePct, 10.3478302, .1)
	near("change ms", m.Change, 2.536407568, .025)
	near("CI low", &m.CI95[0], 8.6960188, .1)
	near("CI high", &m.CI95[1], 12.0247436, .1)
	near("A", m.A.Mean, 24.511, .025)
	near("CV of A", m.A.CVPct, 2.78, .1)
	if m.Verdict != "worse" || !m.Primary || m.Pairs != 8 || m.NameAt < 4.99 || m.NameAt > 5.01 || m.RuleOut < 9.9 || m.RuleOut > 10.1 || *m.PHolm > .0001 || m.PairsNeed != 0 || len(m.A.Runs) != 8 {
		t.Errorf("got %+v", m)
	}
	if r.Verdict.Status != result.Worse || r.Verdict.Exit != 1 || !r.Verdict.Valid || r.Verdict.Tally != "tpc: worse on 1 of 2, same on 1." {
		t.Errorf("got %+v", r.Verdict)
	}
	if want := "create_order p95 is 10.4 % worse with tpc: +2.54 ms (95 % CI +2.14 ms to +2.95 ms), 8 pairs."; r.Verdict.Sentence != want {
		t.Errorf("got %q, want %q", r.Verdict.Sentence, want)
	}
	if len(r.Looks) != 3 || r.Looks[2].Pairs != 8 || !r.Looks[2].Stop || r.Looks[2].Levels["row 1"] != .01318 || len(r.Trials) != 16 || r.Arms[0].Trials != 8 || r.Arms[0].Generator.Cap != 200 {
		t.Errorf("looks %+v", r.Looks)
	}
}

func TestGoldenV2FromTrials(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p50"}, standard...))
	fill(s, v2a, v2b, v2order)
	r := judged1(t, s)
	if r.Verdict.Status != result.Same || r.Verdict.Exit != 0 {
		t.Errorf("got %+v", r.Verdict)
	}
	want := "No meaningful difference; create_order p50: tpc is between 0.4 % faster and 0.7 % slower (limit 1 ms, here 6.42 %)."
	if r.Verdict.Sentence != want {
		t.Errorf("got %q, want %q", r.Verdict.Sentence, want)
	}
}

func TestGoldenV3FromTrials(t *testing.T) {
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	fill(s, v3a, v3b, v3order)
	r := judged1(t, s)
	m := metricOf(t, r, "create_order p95")
	if r.Verdict.Status != result.Unclear || r.Verdict.Exit != 3 || m.Verdict != "unclear" || m.PairsNeed < 7 {
		t.Errorf("got %+v\n%+v", r.Verdict, m)
	}
	w := warningOf(r, verdict.Order)
	if w.Level != verdict.Note || w.Seen != "second runs of a pair were +7.4 %" || w.Effect != "the balanced order removed it; the order-adjusted change is +0.5 %" {
		t.Errorf("got %+v", w)
	}
}

// A pair of which one run was made again later ran in another order than planned.
func TestTheOrderIsThatOfTheRuns(t *testing.T) {
	f := exact(t, "create_order p95", v3a, v3b, v3order, 1)
	var pairs, swapped []pair
	for j := range v3a {
		first := v3order[j] == '+'
		a, b := trialOf(slotOf(j+1, "A", first), 1).Facts(), trialOf(slotOf(j+1, "B", first), 1).Facts()
		pairs = append(pairs, pair{a, b})
		late := trialOf(slotOf(j+1, "A", first), 1)
		if first {
			late.Record.Start = b.Start.Add(1000e9) // A was run again, after B
		} else {
			late.Record.Start = b.Start.Add(-1000e9)
		}
		swapped = append(swapped, pair{late.Facts(), b})
	}
	x, ok := f.orderFit(pairs)
	y, ok2 := f.orderFit(swapped)
	if !ok || !ok2 || !close9(x.Order, -y.Order) || x.Order < .07 || !close9(x.Mean, 0.004847451376) {
		t.Errorf("planned order %+v, run order %+v", x, y)
	}
}
