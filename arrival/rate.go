// Package arrival answers: when is each arrival sent, and how late was it?
//
// An arrival is one request that begins one piece of work, numbered from 0. A
// [Schedule] maps its number to its intended start, from the number alone:
//
//	constant  At(i) = floor(i/rate)
//	Poisson   At(i) = floor((E0 + ... + Ei)/rate), each E exponential with mean 1
//	stages    At(i) = the last t with N(t) <= i, N the integral of a piecewise linear rate
//	replay    At(i) = the ith of the recorded times
//
// so a slow reply cannot move an arrival and rounding cannot add up. A [Pacer] waits
// for the intended starts on one global schedule whose start is fixed once. What it
// cannot keep it reports as lateness (sent - intended start), it never skips.
//
// Every later time is measured from the intended start. Measuring from the send
// would leave out the wait that a stalled system causes (Tene's coordinated
// omission). The package knows neither what is sent nor what comes back.
package arrival

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"time"
)

// A Rate is an exact number of arrivals per second. The zero Rate has no arrivals;
// any other comes from [NewRate] or [ParseRate]. Equal rates compare equal with ==.
type Rate struct {
	arrivals, seconds int64 // in lowest terms
}

// The limits keep every product below 128 bits: the time of an arrival is floor(i x
// seconds x 1e9 / arrivals).
const (
	maxPerSecond = 1_000_000_000
	maxSeconds   = math.MaxInt64 / int64(time.Second)
)

// NewRate returns n arrivals in each period.
func NewRate(n int64, period time.Duration) (Rate, error) {
	if n <= 0 || period <= 0 {
		return Rate{}, fmt.Errorf("rate %d in %v: both must be above zero", n, period)
	}
	r, why := fromRat(big.NewRat(n, int64(period)))
	if why != "" {
		return Rate{}, fmt.Errorf("rate %d in %v: %s", n, period, why)
	}
	return r, nil
}

// fromRat makes a rate of arrivals per nanosecond, or says why it cannot.
func fromRat(perNanosecond *big.Rat) (r Rate, why string) {
	perSecond := new(big.Rat).Mul(perNanosecond, big.NewRat(int64(time.Second), 1))
	switch {
	case perSecond.Sign() <= 0:
		return Rate{}, "it must be above zero"
	case perSecond.Cmp(big.NewRat(maxPerSecond, 1)) > 0:
		return Rate{}, fmt.Sprintf("the highest rate is %d/s", maxPerSecond)
	case perSecond.Cmp(big.NewRat(1, maxSeconds)) < 0:
		return Rate{}, "it is less than one arrival in 292 years"
	case !perSecond.Num().IsInt64() || !perSecond.Denom().IsInt64() || perSecond.Denom().Int64() > maxSeconds:
		return Rate{}, "it has too many digits to be kept exactly"
	}
	return Rate{perSecond.Num().Int64(), perSecond.Denom().Int64()}, ""
}

// IsZero tells whether the rate was never set.
func (r Rate) IsZero() bool { return r.arrivals == 0 }

// PerSecond returns the nearest float64.
func (r Rate) PerSecond() float64 {
	if r.IsZero() {
		return 0
	}
	return float64(r.arrivals) / float64(r.seconds)
}

// Count returns how many arrivals of the constant schedule fall in [0, d).
func (r Rate) Count(d time.Duration) int64 {
	if d <= 0 || r.IsZero() {
		return 0
	}
	// floor(x) < d is x < d for a whole d, so the count is ceil(d x arrivals / seconds).
	hi, lo := bits.Mul64(uint64(d), uint64(r.arrivals))
	n, rest := bits.Div64(hi, lo, uint64(r.seconds)*uint64(time.Second))
	if rest > 0 {
		n++
	}
	return int64(n)
}

// at returns floor(i/rate), or the longest Duration when that is too long for one.
func (r Rate) at(i int64) time.Duration {
	if r.IsZero() {
		return math.MaxInt64
	}
	hi, lo := bits.Mul64(uint64(i), uint64(r.seconds)*uint64(time.Second))
	if hi >= uint64(r.arrivals) {
		return math.MaxInt64
	}
	ns, _ := bits.Div64(hi, lo, uint64(r.arrivals))
	return time.Duration(min(ns, math.MaxInt64))
}

// String returns the rate exactly, in a form that ParseRate reads: 50/s, 1/10s.
func (r Rate) String() string {
	if r.seconds <= 1 {
		return fmt.Sprintf("%d/s", r.arrivals)
	}
	return fmt.Sprintf("%d/%ds", r.arrivals, r.seconds)
}

// MarshalText returns String.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseRate reads, and the zero rate that MarshalText writes.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == (Rate{}).String() {
		*r = Rate{}
		return nil
	}
	parsed, err := ParseRate(string(text))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}
