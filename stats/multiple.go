package stats

import (
	"cmp"
	"slices"
)

// Holm says which of the primary p values are rejected at look k, and at which
// level each was held. In ascending order the r-th (from 0) of M is rejected
// while p <= Level(M-r, k); at the first failure the procedure stops (Holm 1979).
func (l Looks) Holm(k int, p []float64) (rejected []bool, level []float64) {
	rejected, level = make([]bool, len(p)), make([]float64, len(p))
	stopped := false
	for r, i := range ascending(p) {
		level[i] = l.Level(len(p)-r, k)
		if !(p[i] <= level[i]) {
			stopped = true
		}
		rejected[i] = !stopped
	}
	return rejected, level
}

// HolmAdjusted returns the p values adjusted for their number: in ascending
// order max over s <= r of (M-s) p_s, at most 1.
func HolmAdjusted(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	running := 0.0
	for r, i := range ascending(p) {
		running = max(running, min(1, float64(len(p)-r)*p[i]))
		adjusted[i] = running
	}
	return adjusted
}

// BenjaminiHochberg returns the p values adjusted to bound the share of false
// discoveries (Benjamini and Hochberg 1995): in ascending order
// min over s >= r of M p_s/(s+1), at most 1.
func BenjaminiHochberg(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	running := 1.0
	for r, i := range slices.Backward(ascending(p)) {
		running = min(running, float64(len(p))*p[i]/float64(r+1))
		adjusted[i] = running
	}
	return adjusted
}

// ascending returns the indices of p in ascending order of p.
func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order
}
