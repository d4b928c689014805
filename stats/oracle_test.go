package stats

import (
	"math"
	"math/bits"
	"slices"
)

// signFlipP enumerates all 2^n sign patterns of d: the exact two-sided p of the
// mean under symmetry.
func signFlipP(d []float64) float64 {
	observed := math.Abs(sum(d))
	var extreme int
	for mask := range 1 << len(d) {
		var s float64
		for i, x := range d {
			if mask>>i&1 == 1 {
				x = -x
			}
			s += x
		}
		if math.Abs(s) >= observed*(1-1e-12) {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(d))
}

// hodgesLehmann returns the median of the Walsh averages of d, the interval of
// the signed-rank test at 95 %, and its exact two-sided p.
func hodgesLehmann(d []float64) (estimate, lo, hi, p float64) {
	var walsh []float64
	var positiveSum int
	for i := range d {
		for j := range i + 1 {
			average := (d[i] + d[j]) / 2
			walsh = append(walsh, average)
			if average > 0 {
				positiveSum++
			}
		}
	}
	slices.Sort(walsh)
	m := len(walsh)
	estimate = (walsh[(m-1)/2] + walsh[m/2]) / 2

	// Null distribution of the signed-rank statistic, by enumeration.
	count := make([]float64, m+1)
	for mask := range uint(1) << len(d) {
		var w int
		for rest := mask; rest != 0; rest &= rest - 1 {
			w += bits.TrailingZeros(rest) + 1
		}
		count[w]++
	}
	total := math.Pow(2, float64(len(d)))
	cumulative := func(k int) float64 { return sum(count[:k+1]) / total }
	k := 0
	for cumulative(k) <= 0.025 {
		k++
	}
	p = min(1, 2*cumulative(min(positiveSum, m-positiveSum)))
	return estimate, walsh[k-1], walsh[m-k], p
}

// mannWhitneyP enumerates all splits of the pooled values (no ties): the exact
// two-sided p of U.
func mannWhitneyP(a, b []float64) float64 {
	pooled := append(slices.Clone(a), b...)
	u := func(inA func(int) bool) float64 {
		var u float64
		for i, x := range pooled {
			for j, y := range pooled {
				if inA(i) && !inA(j) && x > y {
					u++
				}
			}
		}
		return u
	}
	centre := float64(len(a)*len(b)) / 2
	observed := math.Abs(u(func(i int) bool { return i < len(a) }) - centre)
	var extreme, all float64
	for mask := range uint(1) << len(pooled) {
		if bits.OnesCount(mask) != len(a) {
			continue
		}
		all++
		if math.Abs(u(func(i int) bool { return mask>>i&1 == 1 })-centre) >= observed {
			extreme++
		}
	}
	return extreme / all
}

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}
