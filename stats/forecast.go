package stats

import "math"

// power is the chance of finding an effect that forecasts are made for.
const power = 0.80

// Forecast says how many pairs in all would settle an unclear metric if its
// spread stays as it is.
type Forecast struct {
	Same      int // to call it same, if there is no difference
	Different int // to name the difference seen, or NameAt if that is larger
}

func forecast(sd, effect, ruleOut float64) Forecast {
	return Forecast{Same: PairsForSame(sd, ruleOut), Different: PairsForDifferent(sd, effect)}
}

// PairsForSame returns the smallest n with
// n >= (t_(n-1,.95) + z_.80)^2 sd^2 / ruleOut^2, at least MinPairs. Both are on
// the scale of the evidence.
func PairsForSame(sd, ruleOut float64) int {
	ratio := sd / ruleOut
	need := func(t float64) float64 {
		s := (t + NormalQuantile(power)) * ratio
		return s * s
	}
	n := atLeast(need(NormalQuantile(0.95)))
	for n < math.MaxInt32 && float64(n) < need(TQuantile(0.95, float64(n-1))) {
		n++
	}
	return n
}

// PairsForDifferent returns n = 2 + (z_.975 + z_.80)^2 sd^2 / effect^2 rounded
// up, at least MinPairs: the pairs that find effect, on the scale of the
// evidence, with power .80 at level .05.
func PairsForDifferent(sd, effect float64) int {
	s := (NormalQuantile(1-alpha/2) + NormalQuantile(power)) * sd / effect
	return atLeast(2 + s*s)
}

// Detectable returns the smallest effect that n pairs of this spread find with
// power .80 at the two-sided level: (t_(n-1,1-level/2) + t_(n-1,.80)) sd/sqrt(n).
func Detectable(n int, sd, level float64) float64 {
	if n < 2 {
		return math.Inf(1)
	}
	df := float64(n - 1)
	return (TCritical(level, df) + TQuantile(power, df)) * sd / math.Sqrt(float64(n))
}

func atLeast(pairs float64) int {
	return int(math.Ceil(min(max(pairs, MinPairs), math.MaxInt32)))
}
