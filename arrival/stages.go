package arrival

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"time"
)

// A Stage is a stretch of a schedule in which the rate goes in a straight line from one
// rate to another: a ramp, or, when they are equal, a step. The zero Rate is a pause.
type Stage struct {
	From, To Rate
	For      time.Duration
}

// Stages returns the schedule of stages one after the other; after the last there are
// no arrivals. Ramps, steps and spikes are all made of them.
//
// With N(t) the integral of the rate, arrival i comes at the last instant at which N is
// no more than i, so N(d), rounded up, arrivals come before d. A pause begins before the
// arrival whose turn comes at its first instant. Within a stage N is a quadratic with
// rational coefficients: times are found in floating point and corrected in whole
// numbers, so they are exact to the nanosecond.
func Stages(stages ...Stage) (Schedule, error) {
	if len(stages) == 0 {
		return nil, errors.New("stages: there are none: write at least one rate and its duration")
	}
	unit, lengths := big.NewInt(1), big.NewInt(1)
	for i, s := range stages {
		if s.For <= 0 {
			return nil, fmt.Errorf("stage %d: its duration is %v: it must be above zero", i+1, s.For)
		}
		for _, r := range []Rate{s.From, s.To} {
			unit = leastMultiple(unit, big.NewInt(max(1, r.seconds)*int64(time.Second)))
		}
		lengths = leastMultiple(lengths, big.NewInt(int64(s.For)))
	}
	// A slope is a rate over twice a duration: in these parts it is whole.
	unit.Mul(unit, lengths.Lsh(lengths, 1))
	result := &staged{unit: unit, count: new(big.Int)}
	for _, s := range stages {
		if result.end > math.MaxInt64-s.For {
			return nil, errors.New("stages: together they last more than 292 years")
		}
		result.add(s)
	}
	return result, nil
}

func leastMultiple(a, b *big.Int) *big.Int {
	divisor := new(big.Int).GCD(nil, nil, a, b)
	return new(big.Int).Mul(a, new(big.Int).Quo(b, divisor))
}

type staged struct {
	stages []stage
	unit   *big.Int // parts of one arrival
	count  *big.Int // N at the end, in parts
	end    time.Duration
}

// stage holds N from its begin on: before + linear t + square t^2, in parts, t in ns.
type stage struct {
	begin, length          time.Duration
	before, linear, square *big.Int
	linearF, squareF       float64 // the same in arrivals, to guess with
}

func (s *staged) add(in Stage) {
	parts := func(r Rate) *big.Int { // in one nanosecond
		if r.IsZero() {
			return new(big.Int)
		}
		per := new(big.Int).Mul(s.unit, big.NewInt(r.arrivals))
		return per.Quo(per, big.NewInt(r.seconds*int64(time.Second)))
	}
	from, to := parts(in.From), parts(in.To)
	square := new(big.Int).Sub(to, from)
	square.Quo(square, new(big.Int).Lsh(big.NewInt(int64(in.For)), 1))
	st := stage{begin: s.end, length: in.For, before: s.count, linear: from, square: square}
	st.linearF = in.From.PerSecond() / 1e9
	st.squareF = (in.To.PerSecond()/1e9 - st.linearF) / 2 / float64(in.For)
	s.stages = append(s.stages, st)
	s.count = st.at(in.For)
	s.end += in.For
}

// at returns N at t into the stage, in parts.
func (s *stage) at(t time.Duration) *big.Int {
	x := big.NewInt(int64(t))
	n := new(big.Int).Mul(s.square, x)
	n.Add(n, s.linear)
	n.Mul(n, x)
	return n.Add(n, s.before)
}

func (s *staged) At(i int64) time.Duration {
	target := new(big.Int).Mul(big.NewInt(i), s.unit)
	if target.Cmp(s.count) >= 0 {
		return math.MaxInt64
	}
	// The last stage that begins with no more than i.
	k := sort.Search(len(s.stages), func(k int) bool { return s.stages[k].before.Cmp(target) > 0 }) - 1
	return s.stages[k].begin + s.stages[k].last(target, s.unit)
}

// last returns the last nanosecond of the stage at which N is no more than the target.
func (s *stage) last(target, unit *big.Int) time.Duration {
	beyond := func(t time.Duration) bool { return s.at(t).Cmp(target) > 0 }
	// Bracket it from the guess, which is off by nanoseconds, but by more where a ramp
	// comes down to zero.
	low := s.guess(target, unit)
	high := low
	for step := time.Duration(1); low > 0 && beyond(low); step *= 2 {
		low, high = max(0, low-step), low
	}
	for step := time.Duration(1); high < s.length && !beyond(high); step *= 2 {
		low, high = high, min(s.length, high+step)
	}
	n := sort.Search(int(high-low), func(n int) bool { return beyond(low + 1 + time.Duration(n)) })
	return low + time.Duration(n)
}

// guess solves the quadratic in the form that does not subtract like numbers.
func (s *stage) guess(target, unit *big.Int) time.Duration {
	ahead := new(big.Float).SetPrec(64).SetInt(new(big.Int).Sub(target, s.before))
	c, _ := ahead.Quo(ahead, new(big.Float).SetPrec(64).SetInt(unit)).Float64()
	if c == 0 {
		return 0
	}
	root := math.Sqrt(max(0, s.linearF*s.linearF+4*s.squareF*c))
	return time.Duration(min(max(0, 2*c/(s.linearF+root)), float64(s.length)))
}

func (s *staged) Count(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	n := s.count
	if d < s.end {
		k := sort.Search(len(s.stages), func(k int) bool { return s.stages[k].begin > d }) - 1
		n = s.stages[k].at(d - s.stages[k].begin)
	}
	count, rest := new(big.Int).QuoRem(n, s.unit, new(big.Int))
	if rest.Sign() > 0 {
		count.Add(count, big.NewInt(1))
	}
	return count.Int64()
}

// Replay returns the schedule of recorded times, which need not be in order. It keeps
// its own copy.
func Replay(times []time.Duration) (Schedule, error) {
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) > 0 && sorted[0] < 0 {
		return nil, fmt.Errorf("replay: an arrival at %v: count the times from the first one", sorted[0])
	}
	return replay(sorted), nil
}

type replay []time.Duration

func (r replay) At(i int64) time.Duration {
	if i >= int64(len(r)) {
		return math.MaxInt64
	}
	return r[i]
}

func (r replay) Count(d time.Duration) int64 {
	n, _ := slices.BinarySearch(r, d)
	return int64(n)
}
