package stats

import (
	"fmt"
	"math"
)

// A Pair holds the values of the two runs of a pair, and which ran first.
type Pair struct {
	A, B   float64
	AFirst bool
}

// LogRatios analyses pairs of positive values by the paired t on
// d_j = ln(B_j / A_j).
func LogRatios(pairs []Pair) (Evidence, error) {
	d, err := logDifferences(pairs)
	if err != nil {
		return Evidence{}, err
	}
	e := Evidence{Scale: LogRatio, N: len(d)}
	e.Mean, e.SD, e.SE, e.T, e.P = moments(d)
	var lnA float64
	for _, p := range pairs {
		lnA += math.Log(p.A)
	}
	e.Base = math.Exp(lnA / float64(len(pairs)))
	return e, nil
}

// CensoredLogRatios is LogRatios for values that may be +Inf, which says "above
// limit". Limit stands in for them, so the mean becomes a bound: with censored
// runs of B only, the true ratio is at least the one shown.
func CensoredLogRatios(pairs []Pair, limit float64) (Evidence, error) {
	if !positive(limit) {
		return Evidence{}, fmt.Errorf("censoring limit %v: want a positive number", limit)
	}
	filled := make([]Pair, len(pairs))
	var inA, inB int
	for i, p := range pairs {
		if math.IsInf(p.A, 1) {
			p.A = limit
			inA++
		}
		if math.IsInf(p.B, 1) {
			p.B = limit
			inB++
		}
		filled[i] = p
	}
	e, err := LogRatios(filled)
	if err != nil {
		return Evidence{}, err
	}
	switch n := len(pairs); {
	case 2*inA > n && 2*inB > n:
		e.Bound = Incomparable
	case inA > 0 && inB > 0:
		e.Bound = Unbounded
	case inB > 0:
		e.Bound = AtLeast
	case inA > 0:
		e.Bound = AtMost
	}
	return e, nil
}

func logDifferences(pairs []Pair) ([]float64, error) {
	if len(pairs) == 0 {
		return nil, fmt.Errorf("no complete pairs: want at least one")
	}
	d := make([]float64, len(pairs))
	for i, p := range pairs {
		if !positive(p.A) || !positive(p.B) {
			return nil, fmt.Errorf("pair %d (A %v, B %v): a log ratio wants two positive, finite values", i+1, p.A, p.B)
		}
		d[i] = math.Log(p.B) - math.Log(p.A)
	}
	return d, nil
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
