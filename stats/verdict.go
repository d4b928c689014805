package stats

import "math"

// Verdict is what may be said of B against A.
type Verdict int

const (
	Unclear Verdict = iota
	Better
	Worse
	Same
	NotComparable
)

func (v Verdict) String() string {
	return [...]string{"unclear", "better", "worse", "same", "not comparable"}[v]
}

// A Decision is the verdict on one metric at one look, with the figures it rests
// on. Intervals and margins are on the scale of the evidence (log ratio or
// difference); Evidence.Ratio and Evidence.Delta turn them into words.
type Decision struct {
	Verdict     Verdict
	P           float64  // compared with Level: corrected for number and looks where Level is not
	Level       float64  // of the row this metric had in Holm's procedure, or of the secondary family
	Rejected    bool     // "no difference" is rejected
	CI          Interval // repeated 95 % interval: valid at every look
	Equivalence Interval // must lie inside ±RuleOut for "same"
	NameAt      float64
	RuleOut     float64
	Measurable  bool     // same, but CI excludes 0: measurable, too small to matter
	Coarse      bool     // the resolution exceeds NameAt: "same" is barred
	Detectable  float64  // the smallest effect these pairs find with power .80, at the level of CI
	Forecast    Forecast // when unclear
}

// Settled reports whether more pairs have nothing to add.
func (d Decision) Settled() bool { return d.Verdict != Unclear }

// test is the outcome of the multiple-testing procedure for one metric.
type test struct {
	p, level float64
	rejected bool
}

// judge applies the verdict rules to one metric at look k.
func (m Metric) judge(e Evidence, t test, l Looks, k int) Decision {
	d := Decision{P: t.p, Level: t.level, Rejected: t.rejected}
	if e.Vetoed || e.Bound == Incomparable {
		d.Verdict = NotComparable
		return d
	}
	d.CI, d.Equivalence = e.Interval(l.Level(1, k)), e.Interval(l.Equivalence(k))
	d.NameAt, d.RuleOut = m.NameAt.on(e), m.RuleOut.on(e)
	d.Coarse = m.Resolution > e.Delta(d.NameAt)
	d.Detectable = Detectable(e.N, e.SD, l.Level(1, k))
	size := math.Abs(e.Mean)
	switch {
	case e.N < MinPairs:
	case t.rejected && size >= d.NameAt && (!d.Coarse || math.Abs(e.Delta(e.Mean)) > m.Resolution):
		d.Verdict = m.named(e.Mean)
	case size < d.NameAt && d.Equivalence.within(d.RuleOut) && mayBeSame(e, d):
		d.Verdict = Same
		d.Measurable = !d.CI.Contains(0)
	}
	if d.Verdict == Unclear {
		d.Forecast = forecast(e.SD, max(size, d.NameAt), d.RuleOut)
	}
	return d
}

// mayBeSame reports whether the kind of evidence allows "same" at all.
func mayBeSame(e Evidence, d Decision) bool {
	if e.Bound != Uncensored || d.Coarse {
		return false
	}
	return e.Scale != Difference || e.SD > 0 || e.ruleOfThree() < d.RuleOut
}

func (m Metric) named(mean float64) Verdict {
	if (mean > 0) == (m.Direction == LowerIsBetter) {
		return Worse
	}
	return Better
}
