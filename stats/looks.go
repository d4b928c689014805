package stats

import (
	"fmt"
	"math"
	"slices"
)

// Looks is the schedule of judgements: after how many pairs the session is
// judged. Build one with NewLooks; the last look ends the session.
type Looks struct {
	pairs  []int
	tabled bool // the standard schedule, whose levels are exact
}

// StandardLooks are the looks with exact levels.
func StandardLooks() Looks { return Looks{pairs: []int{4, 6, 8, 10, 12}, tabled: true} }

// NewLooks returns the schedule that judges after the given numbers of pairs.
func NewLooks(pairs ...int) (Looks, error) {
	if len(pairs) == 0 {
		return Looks{}, fmt.Errorf("looks: want at least one number of pairs")
	}
	for i, n := range pairs {
		if n < 2 {
			return Looks{}, fmt.Errorf("looks: look %d after %d pairs: want at least 2", i+1, n)
		}
		if i > 0 && n <= pairs[i-1] {
			return Looks{}, fmt.Errorf("looks: look %d after %d pairs follows one after %d: want ascending numbers", i+1, n, pairs[i-1])
		}
	}
	standard := StandardLooks()
	if slices.Equal(pairs, standard.pairs) {
		return standard, nil
	}
	return Looks{pairs: slices.Clone(pairs)}, nil
}

// Len is the number of looks.
func (l Looks) Len() int { return len(l.pairs) }

// Pairs is the number of pairs at look k, counted from 0.
func (l Looks) Pairs(k int) int { return l.pairs[k] }

// Max is the number of pairs at the last look.
func (l Looks) Max() int { return l.pairs[len(l.pairs)-1] }

// alpha is the error spent over a whole session on one primary hypothesis;
// equivalenceAlpha is two-sided, so one-sided .05.
const (
	alpha            = 0.05
	equivalenceAlpha = 0.10
)

// Level returns the two-sided level of row m of Holm's procedure (m from 1,
// overall level .05/m) at look k, counted from 0.
//
// For the standard looks it is the exact table, with ln a interpolated in ln m
// for rows between. For all others it is the increment of the spending function,
// f(n_k) - f(n_(k-1)) with f(n) = (.05/m)(n/N)^2, valid by the union bound.
func (l Looks) Level(m, k int) float64 {
	last := levelRows[len(levelRows)-1].m
	if !l.tabled || m > last {
		return l.increment(alpha/float64(m), k)
	}
	i, found := slices.BinarySearchFunc(levelRows, m, func(r levelRow, m int) int { return r.m - m })
	if found {
		return levelRows[i].level[k]
	}
	below, above := levelRows[i-1], levelRows[i]
	w := math.Log(float64(m)/float64(below.m)) / math.Log(float64(above.m)/float64(below.m))
	return math.Exp((1-w)*math.Log(below.level[k]) + w*math.Log(above.level[k]))
}

// Equivalence returns the two-sided level of the interval that must lie inside
// the rule-out margin at look k: overall one-sided .05.
func (l Looks) Equivalence(k int) float64 {
	if l.tabled {
		return equivalenceLevels[k]
	}
	return l.increment(equivalenceAlpha, k)
}

// Secondary returns the p value of a secondary metric corrected for the looks:
// min(1, c_k p), where c_k is the price of judging at look k.
func (l Looks) Secondary(k int, p float64) float64 {
	c := alpha / l.increment(alpha, k)
	if l.tabled {
		c = secondaryFactors[k]
	}
	return min(1, c*p)
}

func (l Looks) increment(a float64, k int) float64 {
	f := func(n int) float64 {
		share := float64(n) / float64(l.Max())
		return a * share * share
	}
	if k == 0 {
		return f(l.pairs[0])
	}
	return f(l.pairs[k]) - f(l.pairs[k-1])
}

type levelRow struct {
	m     int
	level [5]float64
}

// levelRows are the levels for a paired t looked at after 4, 6, 8, 10 and 12
// pairs, spending (.05/m)(n/12)^2, from 3e6 simulated sessions.
var levelRows = []levelRow{
	{1, [5]float64{.00555, .00812, .01318, .02012, .02896}},
	{2, [5]float64{.00279, .00395, .00624, .00946, .01348}},
	{3, [5]float64{.00184, .00259, .00406, .00601, .00861}},
	{4, [5]float64{.00137, .00194, .00304, .00444, .00626}},
	{5, [5]float64{.00112, .00153, .00243, .00354, .00502}},
	{6, [5]float64{.00094, .00127, .00199, .00291, .00410}},
	{8, [5]float64{.00069, .00094, .00149, .00215, .00299}},
	{10, [5]float64{.00056, .00073, .00117, .00169, .00236}},
	{12, [5]float64{.00048, .00064, .00093, .00138, .00191}},
	{16, [5]float64{.00036, .00047, .00070, .00104, .00143}},
}

var (
	equivalenceLevels = [5]float64{.01108, .01690, .02816, .04355, .06351}
	secondaryFactors  = [5]float64{9, 6.9, 4.3, 3.0, 2.15}
)
