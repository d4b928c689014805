package stats

import (
	"fmt"
	"math"
	"slices"
)

// A quantile q of n values rests on the n(1-q) values beyond it. Below MinShown
// it is biased by percents and must not be printed; below MinJudged it must not
// be compared.
const (
	MinShown  = 10
	MinJudged = 20
)

// Beyond returns n(1-q), how many of n values lie beyond the quantile q.
func Beyond(q float64, n int64) float64 { return float64(n) * (1 - q) }

// Shown reports whether the quantile q of n values may be printed.
func Shown(q float64, n int64) bool { return Beyond(q, n)*(1+ulps) >= MinShown }

// Judged reports whether the quantile q of n values may be compared.
func Judged(q float64, n int64) bool { return Beyond(q, n)*(1+ulps) >= MinJudged }

// ulps absorbs the rounding of q and of one product, so that .9 of 200 leaves 20
// values beyond, not 19.999999999999996, and rank .07 of 100 is 7, not 8.
const ulps = 1e-15

// Rank returns the nearest rank of the quantile q among n values, counted from
// 1: ceil(q n), at least 1 (type 1 of Hyndman and Fan 1996).
func Rank(q float64, n int64) (int64, error) {
	if !(q > 0 && q <= 1) {
		return 0, fmt.Errorf("quantile %v: want a number above 0 and at most 1", q)
	}
	if n < 1 {
		return 0, fmt.Errorf("quantile %v of %d values: want at least one value", q, n)
	}
	r := int64(math.Ceil(q * float64(n) * (1 - ulps)))
	return min(max(r, 1), n), nil
}

// Quantile returns the value at the nearest rank of q. A value of +Inf stands
// for one that was never seen to end; the result is then +Inf when the rank
// falls among those. The values need not be sorted and are left as they are.
func Quantile(values []float64, q float64) (float64, error) {
	r, err := Rank(q, int64(len(values)))
	if err != nil {
		return 0, err
	}
	for i, v := range values {
		if math.IsNaN(v) {
			return 0, fmt.Errorf("quantile %v: value %d is not a number", q, i)
		}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[r-1], nil
}

// A Bucket counts the values from Low to High.
type Bucket struct {
	Low, High float64
	Count     int64
}

// QuantileOfBuckets returns the quantile q of the values in ascending buckets
// and of beyond further values above them all. The rank is taken over all of
// them, so failing or dropping never improves the result; when the rank falls
// beyond, it is +Inf. Inside a bucket values are taken as evenly spread.
func QuantileOfBuckets(buckets []Bucket, beyond int64, q float64) (float64, error) {
	if beyond < 0 {
		return 0, fmt.Errorf("quantile %v: %d values beyond: want 0 or more", q, beyond)
	}
	n := beyond
	for i, b := range buckets {
		if b.Count < 0 || !(b.Low <= b.High) || i > 0 && b.Low < buckets[i-1].High {
			return 0, fmt.Errorf("quantile %v: bucket %d (%v to %v, count %d): want ascending buckets with counts of 0 or more",
				q, i, b.Low, b.High, b.Count)
		}
		n += b.Count
	}
	r, err := Rank(q, n)
	if err != nil {
		return 0, err
	}
	for _, b := range buckets {
		if r <= b.Count {
			within := (float64(r) - 0.5) / float64(b.Count)
			return b.Low + (b.High-b.Low)*within, nil
		}
		r -= b.Count
	}
	return math.Inf(1), nil
}
