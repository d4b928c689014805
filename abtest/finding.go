package abtest

import (
	"fmt"
	"math"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// find measures a metric in every trial of the pairs and weighs the evidence. A
// metric that some run cannot answer is vetoed with the reason.
func find(m verdict.Metric, pairs []pair, primary bool) finding {
	f := finding{Metric: m, primary: primary, evidence: stats.Veto()}
	if len(pairs) == 0 {
		f.why = "no complete pair of trials"
		return f
	}
	var widths []float64
	for _, p := range pairs {
		a, b := m.Measure(p.a), m.Measure(p.b)
		f.a, f.b = append(f.a, a), append(f.b, b)
		widths = append(widths, a.Width, b.Width)
		if f.why == "" {
			f.why = firstOf(a.Missing, b.Missing)
		}
	}
	if f.why != "" {
		return f
	}
	f.Resolution, _ = verdict.MeanSD(widths)
	e, err := f.weigh(pairs)
	if err != nil {
		f.why = err.Error()
		return f
	}
	f.evidence = e
	if e.Bound == stats.Incomparable {
		f.why = fmt.Sprintf("in both variants it lies beyond every measured time (A %s, B %s)", f.a[0].Text, f.b[0].Text)
	}
	return f
}

func (f *finding) weigh(pairs []pair) (stats.Evidence, error) {
	if f.Scale == stats.Difference {
		rates := make([]stats.RatePair, len(f.a))
		for i := range f.a {
			rates[i] = stats.RatePair{A: f.a[i].Count, B: f.b[i].Count}
		}
		return stats.Rates(rates)
	}
	values := make([]stats.Pair, len(f.a))
	censored, limit := false, 0.0
	for i := range f.a {
		values[i] = stats.Pair{A: f.a[i].Value, B: f.b[i].Value, AFirst: pairs[i].a.Slot.First}
		for _, m := range []verdict.Measure{f.a[i], f.b[i]} {
			censored = censored || math.IsInf(m.Value, 1)
			limit = max(limit, m.Quantile.Timeout.Seconds()*1e3)
		}
	}
	if !censored {
		return stats.LogRatios(values)
	}
	return stats.CensoredLogRatios(values, limit)
}

// censoredIn says how many runs of each variant the quantile was beyond measure in.
func (f *finding) censoredIn() (a, b int) {
	for i := range f.a {
		if math.IsInf(f.a[i].Value, 1) {
			a++
		}
		if math.IsInf(f.b[i].Value, 1) {
			b++
		}
	}
	return a, b
}

// orderFit is the order term of the pairs, when all values are finite.
func (f *finding) orderFit(pairs []pair) (stats.OrderFit, bool) {
	if f.Scale != stats.LogRatio || f.why != "" {
		return stats.OrderFit{}, false
	}
	values := make([]stats.Pair, len(f.a))
	for i := range f.a {
		if math.IsInf(f.a[i].Value, 0) || math.IsInf(f.b[i].Value, 0) {
			return stats.OrderFit{}, false
		}
		values[i] = stats.Pair{A: f.a[i].Value, B: f.b[i].Value, AFirst: pairs[i].a.Slot.First}
	}
	fit, err := stats.FitOrder(values)
	return fit, err == nil
}

// settling is the pooled warm-up curve of the operation with the largest share, in
// windows of seconds: the same for every trial.
func settling(op string, trials []*facts.Trial, window int) (stats.Settling, [][]float64, bool) {
	var medians [][]float64
	for _, t := range trials {
		o := t.Operations[op]
		windows := int((t.WarmupEndNS+t.MeasureNS)/1e9) / window
		if o == nil || windows == 0 {
			continue
		}
		medians = append(medians, o.Medians(windows, window))
	}
	if len(medians) == 0 {
		return stats.Settling{}, nil, false
	}
	s, err := stats.PooledSettling(medians)
	return s, medians, err == nil
}
