package verdict

import (
	"math"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
)

// minRunsForBand is the fewest trials whose spread is drawn as a band.
const minRunsForBand = 3

// Spectrum is one operation's percentile curve for one variant: at each quantile the
// geometric mean of the trials' own quantiles with their t interval. It ends where a
// trial has ten samples left, or where a quantile is no longer a measured value.
func Spectrum(label, op string, trials []*facts.Trial) result.Spectrum {
	s := result.Spectrum{Operation: op, Label: label, Points: []result.SpectrumPoint{}}
	var ranked []facts.Ranked
	var without int64
	least := int64(math.MaxInt64)
	for _, t := range trials {
		o := t.Operations[op]
		if o == nil || o.Ranked().N() == 0 {
			continue
		}
		r := o.Ranked()
		ranked = append(ranked, r)
		s.N += r.N()
		without += r.TimedOut + r.Failed
		least = min(least, r.N())
	}
	if s.N == 0 {
		return s
	}
	s.Timeout = float64(without) / float64(s.N)
	last := 1 - float64(stats.MinShown)/float64(least)
	for _, q := range spectrumQuantiles(last) {
		p, ok := spectrumPoint(q, ranked)
		if !ok {
			break
		}
		s.Points = append(s.Points, p)
	}
	return s
}

// spectrumQuantiles are evenly spaced in log 1/(1-q), from the minimum on.
func spectrumQuantiles(last float64) []float64 {
	const steps = 24 // for each factor of ten
	var qs []float64
	for i := 1; ; i++ {
		q := 1 - math.Pow(10, -float64(i)/steps)
		if q > last {
			return qs
		}
		qs = append(qs, q)
	}
}

func spectrumPoint(q float64, ranked []facts.Ranked) (result.SpectrumPoint, bool) {
	var logs []float64
	for _, r := range ranked {
		v := r.Quantile(q)
		if v.Where != facts.Measured || v.NS <= 0 {
			return result.SpectrumPoint{}, false
		}
		logs = append(logs, math.Log(v.NS/1e6))
	}
	mean, sd := MeanSD(logs)
	p := result.SpectrumPoint{Q: q, MS: math.Exp(mean)}
	if n := len(logs); n >= minRunsForBand {
		h := stats.TCritical(.05, float64(n-1)) * sd / math.Sqrt(float64(n))
		lo, hi := math.Exp(mean-h), math.Exp(mean+h)
		p.Lo, p.Hi = &lo, &hi
	}
	return p, true
}

// MeanSD returns the mean and the standard deviation with n-1.
func MeanSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	if len(v) > 1 {
		sd = math.Sqrt(sd / float64(len(v)-1))
	}
	return mean, sd
}
