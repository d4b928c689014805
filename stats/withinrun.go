package stats

import (
	"fmt"
	"math"
)

// MinBlocks is the smallest number of blocks a design effect is taken from.
const MinBlocks = 12

// A BlockCount says how many of a block's Total values lie Above a quantile.
type BlockCount struct{ Above, Total int64 }

// WithinRun measures how much less the values of one run tell about its
// quantile than independent ones would. It describes a run; no verdict uses it,
// since it knows nothing of the spread between runs.
type WithinRun struct {
	Share  float64 // p: share of all values above the quantile
	Effect float64 // design effect, at least 1
	N      int64
	Blocks int
}

// NewWithinRun computes the design effect from B blocks in time, with c_b of m_b
// values above the quantile and n values in all:
//
//	deff = max(1, [sum (c_b - m_b p)^2 / (B-1)] / [n/B p(1-p)])
func NewWithinRun(blocks []BlockCount) (WithinRun, error) {
	if len(blocks) < MinBlocks {
		return WithinRun{}, fmt.Errorf("design effect of %d blocks: want at least %d", len(blocks), MinBlocks)
	}
	w := WithinRun{Effect: 1, Blocks: len(blocks)}
	var above int64
	for i, b := range blocks {
		if b.Above < 0 || b.Above > b.Total {
			return WithinRun{}, fmt.Errorf("block %d: %d of %d values above: want 0 to all of them", i, b.Above, b.Total)
		}
		above += b.Above
		w.N += b.Total
	}
	if w.N == 0 {
		return WithinRun{}, fmt.Errorf("design effect: no values in %d blocks", len(blocks))
	}
	w.Share = float64(above) / float64(w.N)
	if above == 0 || above == w.N {
		return w, nil
	}
	var ss float64
	for _, b := range blocks {
		r := float64(b.Above) - float64(b.Total)*w.Share
		ss += r * r
	}
	count := float64(len(blocks))
	binomial := float64(w.N) / count * w.Share * (1 - w.Share)
	w.Effect = max(1, ss/(count-1)/binomial)
	return w, nil
}

// EffectiveN is the number of independent values worth as much: n/deff.
func (w WithinRun) EffectiveN() float64 { return float64(w.N) / w.Effect }

// HalfWidth returns the half-width of the 95 % interval of a share q of values:
// t_(B-1,.975) sqrt(q(1-q) deff/n).
func (w WithinRun) HalfWidth(q float64) float64 {
	return TCritical(0.05, float64(w.Blocks-1)) * math.Sqrt(q*(1-q)/w.EffectiveN())
}

// Ranks returns the ranks, from 1, of the values that bound the 95 % interval of
// the quantile q: n(q ± HalfWidth(q)), outwards. A hi of N+1 says that the values
// give no upper bound, a lo of 0 that they give no lower one.
func (w WithinRun) Ranks(q float64) (lo, hi int64) {
	half := w.HalfWidth(q)
	n := float64(w.N)
	return max(0, int64(math.Floor(n*(q-half)))), min(w.N+1, int64(math.Ceil(n*(q+half))))
}
