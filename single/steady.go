package single

import (
	"math"

	"github.com/perfctl/perfctl/load"
)

// steadySpan is how many seconds must agree, and steadyWithin how closely, before a
// warm-up "until steady" may end.
const (
	steadySpan   = 10
	steadyWithin = .05
)

// Steady reports whether the medians of the last ten seconds agree to 5 % between
// their halves. It is a guess from one run, which is why an A-B session never uses it.
func Steady(operation string) func([]load.Second) bool {
	return func(seconds []load.Second) bool {
		if len(seconds) < steadySpan {
			return false
		}
		recent := seconds[len(seconds)-steadySpan:]
		a, b := median(operation, recent[:steadySpan/2]), median(operation, recent[steadySpan/2:])
		return a > 0 && b > 0 && math.Abs(math.Log(a/b)) < math.Log1p(steadyWithin)
	}
}

// median is the mean of the seconds' medians on the log scale.
func median(operation string, seconds []load.Second) float64 {
	var sum, n float64
	for _, s := range seconds {
		if x := s.Series[load.Key{Operation: operation, Outcome: load.OK}]; x != nil && x.Count > 0 {
			sum, n = sum+math.Log(float64(max(1, x.Response.ValueAtQuantile(50)))), n+1
		}
	}
	if n < float64(len(seconds)) {
		return 0
	}
	return math.Exp(sum / n)
}
