package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawPairs draws n pairs of positive values in the order of a plan.
func drawPairs(t *rapid.T, n int) []Pair {
	slots, err := Plan(rapid.Uint64().Draw(t, "seed"), n)
	if err != nil {
		t.Fatal(err)
	}
	value := rapid.Float64Range(5, 50)
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{value.Draw(t, "a"), value.Draw(t, "b"), slots[2*i].Variant == A}
	}
	return pairs
}

func close12(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }

func judgeOne(t *rapid.T, m Metric, pairs []Pair) (Evidence, Decision) {
	e, err := LogRatios(pairs)
	if err != nil {
		t.Fatal(err)
	}
	looks, err := NewLooks(len(pairs))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSession(looks, []Metric{m})
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Judge(0, []Evidence{e})
	if err != nil {
		t.Fatal(err)
	}
	return e, j.Decisions[0]
}

var relativeMetric = Metric{NameAt: Margin{Rel: 0.05}, RuleOut: Margin{Rel: 0.10}}

func TestSwappingSidesSwapsTheVerdict(t *testing.T) {
	opposite := map[Verdict]Verdict{Better: Worse, Worse: Better, Same: Same, Unclear: Unclear}
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t, rapid.IntRange(4, 12).Draw(t, "n"))
		shift := rapid.Float64Range(0.2, 5).Draw(t, "shift")
		swapped := make([]Pair, len(pairs))
		for i := range pairs {
			pairs[i].B *= shift
			swapped[i] = Pair{A: pairs[i].B, B: pairs[i].A, AFirst: !pairs[i].AFirst}
		}
		e1, d1 := judgeOne(t, relativeMetric, pairs)
		e2, d2 := judgeOne(t, relativeMetric, swapped)
		if !close12(e1.Mean, -e2.Mean) || !close12(e1.P, e2.P) || !close12(d1.CI.Lo, -d2.CI.Hi) {
			t.Fatalf("%+v\n%+v", e1, e2)
		}
		if d2.Verdict != opposite[d1.Verdict] {
			t.Fatalf("%v becomes %v", d1.Verdict, d2.Verdict)
		}
	})
}

func TestTheUnitDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t, rapid.IntRange(4, 12).Draw(t, "n"))
		c := math.Exp(rapid.Float64Range(-10, 10).Draw(t, "ln c"))
		scaled := slices.Clone(pairs)
		for i := range scaled {
			scaled[i].A *= c
			scaled[i].B *= c
		}
		m, mScaled := p95, p95
		mScaled.NameAt.Abs *= c
		mScaled.RuleOut.Abs *= c
		e1, d1 := judgeOne(t, m, pairs)
		e2, d2 := judgeOne(t, mScaled, scaled)
		if !close12(e1.Mean, e2.Mean) || !close12(e1.P, e2.P) || d1.Verdict != d2.Verdict {
			t.Fatalf("%+v %v\n%+v %v", e1, d1.Verdict, e2, d2.Verdict)
		}
		if got, want := e2.Delta(e2.Mean), c*e1.Delta(e1.Mean); math.Abs(got-want) > 1e-9*max(c, math.Abs(want)) {
			t.Fatalf("delta %v, want %v", got, want)
		}
	})
}

// A drift of g per run on the log scale cancels in whole blocks; the order term
// finds it.
func TestLinearDriftLeavesTheMeanAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t, 2*rapid.IntRange(2, 6).Draw(t, "blocks"))
		drift := rapid.Float64Range(-0.1, 0.1).Draw(t, "drift per run")
		drifted := slices.Clone(pairs)
		for i := range drifted {
			atA, atB := 2*i, 2*i+1
			if !pairs[i].AFirst {
				atA, atB = atB, atA
			}
			drifted[i].A *= math.Exp(drift * float64(atA))
			drifted[i].B *= math.Exp(drift * float64(atB))
		}
		e1, _ := judgeOne(t, relativeMetric, pairs)
		e2, _ := judgeOne(t, relativeMetric, drifted)
		if !close12(e1.Mean, e2.Mean) {
			t.Fatalf("mean %v becomes %v", e1.Mean, e2.Mean)
		}
		f1, err := FitOrder(pairs)
		if err != nil {
			t.Fatal(err)
		}
		f2, err := FitOrder(drifted)
		if err != nil {
			t.Fatal(err)
		}
		if !close12(f2.Order, f1.Order+drift) || !close12(f1.SE, f2.SE) || !close12(f1.OrderSE, f2.OrderSE) {
			t.Fatalf("order term %+v becomes %+v after a drift of %v", f1, f2, drift)
		}
	})
}

func TestTheSequenceOfPairsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := drawPairs(t, rapid.IntRange(4, 12).Draw(t, "n"))
		shuffled := slices.Clone(pairs)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		e1, d1 := judgeOne(t, relativeMetric, pairs)
		e2, d2 := judgeOne(t, relativeMetric, shuffled)
		if !close12(e1.Mean, e2.Mean) || !close12(e1.SD, e2.SD) || !close12(e1.P, e2.P) || d1.Verdict != d2.Verdict {
			t.Fatalf("%+v %v\n%+v %v", e1, d1.Verdict, e2, d2.Verdict)
		}
	})
}

// With a term for the order, the estimate is the mean of the two order groups'
// means and the order term half of their difference; both have the standard
// error of a two-sample comparison with pooled variance, halved.
func TestOrderFitIsATwoSampleComparison(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(-1, 1)
		second := rapid.SliceOfN(value, 1, 8).Draw(t, "d with B first")
		first := rapid.SliceOfN(value, 2, 8).Draw(t, "d with A first")
		d, aFirst := slices.Concat(first, second), make([]bool, len(first)+len(second))
		for i := range first {
			aFirst[i] = true
		}
		f, err := fitOrder(d, aFirst)
		if err != nil {
			t.Fatal(err)
		}
		squares := func(group []float64) (ss float64) {
			for _, x := range group {
				ss += (x - average(group)) * (x - average(group))
			}
			return ss
		}
		n1, n2 := float64(len(first)), float64(len(second))
		pooled := math.Sqrt((squares(first) + squares(second)) / (n1 + n2 - 2))
		se := pooled * math.Sqrt(1/n1+1/n2) / 2
		if !close12(f.Mean, (average(first)+average(second))/2) || !close12(f.Order, (average(first)-average(second))/2) {
			t.Fatalf("got %+v for means %v and %v", f, average(first), average(second))
		}
		if pooled > 1e-6 && (!close12(f.SE, se) || !close12(f.OrderSE, se)) {
			t.Fatalf("got %+v, want standard errors %v", f, se)
		}
	})
}

func TestOrderFitOfAnExactModel(t *testing.T) {
	var d []float64
	first := []bool{true, false, false, true, true}
	for _, f := range first {
		o := -1.0
		if f {
			o = 1
		}
		d = append(d, 0.5+0.25*o)
	}
	f, err := fitOrder(d, first)
	if err != nil {
		t.Fatal(err)
	}
	want := OrderFit{DF: 3, Mean: 0.5, Order: 0.25}
	if f.residualVar = 0; f != want {
		t.Errorf("got %+v, want %+v", f, want)
	}
	if ci := f.Interval(0.05); ci != (Interval{0.5, 0.5}) || !f.Noted() {
		t.Errorf("interval %v, noted %v", ci, f.Noted())
	}
	flat, err := fitOrder(make([]float64, 5), first)
	if err != nil {
		t.Fatal(err)
	}
	if flat != (OrderFit{DF: 3, P: 1, OrderP: 1}) {
		t.Errorf("no difference at all: %+v", flat)
	}
}

// The paired t and the exact sign-flip permutation test must tell the same story.
func TestPairedTAgreesWithSignFlips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := make([]float64, 12)
		for i := range d {
			d[i] = 0.2*random.NormFloat64() + rapid.Float64Range(0, 0.3).Draw(t, "shift")*0.5
		}
		_, _, _, _, p := moments(d)
		if exact := signFlipP(d); math.Abs(p-exact) > 0.12 {
			t.Fatalf("t says p %v, sign flips say %v", p, exact)
		}
	})
}

func TestHolmAdjustedAgreesWithTheStepDown(t *testing.T) {
	looks := mustLooks(t, 8) // one look: rows are exactly .05/m
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 0.06), 1, 8).Draw(t, "p")
		rejected, _ := looks.Holm(0, p)
		for i, adjusted := range HolmAdjusted(p) {
			if rejected[i] != (adjusted <= alpha) && math.Abs(adjusted-alpha) > 1e-12 {
				t.Fatalf("p %v: rejected %v, adjusted %v", p, rejected, HolmAdjusted(p))
			}
		}
	})
}
