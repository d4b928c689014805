package stats

import (
	"fmt"
	"math"
)

// A Count is Events among Trials.
type Count struct{ Events, Trials int64 }

// RatePair holds the counts of the two runs of a pair.
type RatePair struct{ A, B Count }

// Rates analyses pairs of proportions. Mean, SD, SE and the intervals are those
// of the differences of proportions; T and P are the paired t on
// asin sqrt((x+3/8)/(n+3/4)), which steadies the variance (Anscombe 1948).
func Rates(pairs []RatePair) (Evidence, error) {
	if len(pairs) == 0 {
		return Evidence{}, fmt.Errorf("no complete pairs: want at least one")
	}
	differences, angles := make([]float64, len(pairs)), make([]float64, len(pairs))
	var trialsA, trialsB int64
	for i, p := range pairs {
		if !p.A.valid() || !p.B.valid() {
			return Evidence{}, fmt.Errorf("pair %d (A %d of %d, B %d of %d): want counts between 0 and at least one trial",
				i+1, p.A.Events, p.A.Trials, p.B.Events, p.B.Trials)
		}
		differences[i] = p.B.rate() - p.A.rate()
		angles[i] = p.B.angle() - p.A.angle()
		trialsA += p.A.Trials
		trialsB += p.B.Trials
	}
	e := Evidence{Scale: Difference, N: len(pairs), Trials: min(trialsA, trialsB)}
	e.Mean, e.SD, e.SE, _, _ = moments(differences)
	_, _, _, e.T, e.P = moments(angles)
	return e, nil
}

func (c Count) valid() bool {
	return c.Trials > 0 && 0 <= c.Events && c.Events <= c.Trials
}

func (c Count) rate() float64 { return float64(c.Events) / float64(c.Trials) }

func (c Count) angle() float64 {
	return math.Asin(math.Sqrt((float64(c.Events) + 3.0/8) / (float64(c.Trials) + 3.0/4)))
}

// ruleOfThree returns 3/n, the upper 95 % limit of a rate with no event in n
// trials (Hanley and Lippman-Hand 1983). It guards "same" when the pairs do not
// vary, as when neither side had an event and the interval has no width.
func (e Evidence) ruleOfThree() float64 { return 3 / float64(e.Trials) }
