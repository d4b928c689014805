package stats

import "math"

// MinPairs is the number of complete pairs below which every verdict is unclear.
const MinPairs = 4

// negligible is the spread of pair values (in log units, or in proportions) below
// which all pairs are taken as equal: far under the resolution of any
// measurement, above the rounding of logarithms.
const negligible = 1e-12

// Scale says what the pair values of an Evidence are.
type Scale int

const (
	LogRatio   Scale = iota // d_j = ln(B_j / A_j)
	Difference              // d_j = B_j - A_j, of proportions
)

// Bound says how censored values limit what an Evidence can show.
type Bound int

const (
	Uncensored   Bound = iota // every value was measured
	AtLeast                   // B has censored values: the true mean is at least Mean
	AtMost                    // A has censored values: the true mean is at most Mean
	Unbounded                 // both have some: the mean is bounded on neither side
	Incomparable              // each has them in more than half of the pairs
)

// Evidence is what the pairs of one metric say.
type Evidence struct {
	Vetoed bool // the caller found the two sides not comparable

	Scale  Scale
	Bound  Bound
	N      int     // complete pairs
	Mean   float64 // m, mean of the pair values
	SD     float64 // s, with n-1
	SE     float64 // s/sqrt(n)
	T      float64 // m/SE; for Rates the t of the transformed rates
	P      float64 // two-sided, n-1 degrees of freedom
	Base   float64 // LogRatio: geometric mean of A, in the unit of the values
	Trials int64   // Difference: trials of the variant that has fewer
}

// Veto is the evidence of a metric that the caller found not comparable.
func Veto() Evidence { return Evidence{Vetoed: true} }

// An Interval is closed, on the scale of the Evidence it came from.
type Interval struct{ Lo, Hi float64 }

// Contains reports whether x lies in the interval.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// within reports whether the interval lies inside (-limit, +limit).
func (i Interval) within(limit float64) bool { return -limit < i.Lo && i.Hi < limit }

// Interval returns Mean ± t_(n-1, 1-level/2) SE. With one pair it is unbounded.
func (e Evidence) Interval(level float64) Interval {
	if e.N < 2 {
		return Interval{math.Inf(-1), math.Inf(1)}
	}
	if e.SE == 0 {
		return Interval{e.Mean, e.Mean}
	}
	half := TCritical(level, float64(e.N-1)) * e.SE
	return Interval{e.Mean - half, e.Mean + half}
}

// Ratio turns a value x on the log scale into B/A: exp(x).
func (e Evidence) Ratio(x float64) float64 { return math.Exp(x) }

// Delta turns x, a mean or an end of an interval, into the difference B - A in
// the unit of the values: Base (exp(x) - 1) for log ratios, x for differences.
func (e Evidence) Delta(x float64) float64 {
	if e.Scale == Difference {
		return x
	}
	return e.Base * math.Expm1(x)
}

// claimP returns the p value this evidence brings to Holm's procedure: P, or 1
// when no difference could be claimed whatever P is.
func (e Evidence) claimP() float64 {
	switch {
	case e.Vetoed, e.N < MinPairs, e.Bound == Unbounded, e.Bound == Incomparable,
		e.Bound == AtLeast && e.Mean <= 0,
		e.Bound == AtMost && e.Mean >= 0,
		e.T*e.Mean < 0: // the transformed rates point the other way
		return 1
	}
	return e.P
}

// moments returns the mean of d, its standard deviation (n-1) and the two-sided
// p of the paired t. Equal values need no test: the mean alone decides.
func moments(d []float64) (mean, sd, se, t, p float64) {
	n := float64(len(d))
	mean = average(d)
	var ss float64
	for _, x := range d {
		ss += (x - mean) * (x - mean)
	}
	if len(d) < 2 {
		return mean, 0, 0, 0, 1
	}
	sd = math.Sqrt(ss / (n - 1))
	if sd <= negligible {
		if math.Abs(mean) <= negligible {
			return mean, 0, 0, 0, 1
		}
		return mean, 0, 0, math.Inf(int(math.Copysign(1, mean))), 0
	}
	se = sd / math.Sqrt(n)
	t = mean / se
	return mean, sd, se, t, TTwoSided(t, n-1)
}

func average(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
