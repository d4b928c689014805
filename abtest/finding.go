package abtest

import (
	"cmp"
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
			f.why, f.code = unanswered(m, p, a, b)
		}
	}
	if f.why != "" {
		return f
	}
	f.Resolution, _ = verdict.MeanSD(widths)
	e, err := f.weigh(pairs)
	if err != nil {
		f.why, f.code = err.Error(), verdict.NoFigures
		return f
	}
	f.evidence = e
	if e.Bound == stats.Incomparable {
		f.why = fmt.Sprintf("in both variants it lies beyond every measured time (A %s, B %s)", f.a[0].Text, f.b[0].Text)
	}
	return f
}

// unanswered says why a pair cannot answer for a metric. Times at another load than the
// planned one are no answer; their failures are, in the error rate.
func unanswered(m verdict.Metric, p pair, a, b verdict.Measure) (why, code string) {
	times := m.Kind == verdict.OperationQuantile || m.Kind == verdict.CompletionQuantile
	switch {
	case a.Missing != "" || b.Missing != "":
		code = verdict.NoFigures
		if a.N > 0 && b.N > 0 && times {
			code = verdict.FewSamples
		}
		return cmp.Or(a.Missing, b.Missing), code
	case times && !verdict.AtLoad(p.a):
		return notAtLoad("A", p.a), verdict.NotAtLoad
	case times && !verdict.AtLoad(p.b):
		return notAtLoad("B", p.b), verdict.NotAtLoad
	}
	return "", ""
}

func notAtLoad(label string, t *facts.Trial) string {
	return fmt.Sprintf("a run of %s was sent %.1f %% of its arrivals", label, verdict.SentPercent(t))
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
		values[i] = stats.Pair{A: f.a[i].Value, B: f.b[i].Value, AFirst: pairs[i].aFirst()}
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
		values[i] = stats.Pair{A: f.a[i].Value, B: f.b[i].Value, AFirst: pairs[i].aFirst()}
	}
	fit, err := stats.FitOrder(values)
	return fit, err == nil
}
