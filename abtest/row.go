package abtest

import (
	"math"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// row is the finding as a line of the table "what changed". Before the first look
// nothing is judged, so nothing but the sides is shown.
func (f *finding) row(b string, judgedAt int) result.Metric {
	m := result.Metric{
		Name: f.Name(), Operation: f.Subject, Stat: f.Stat, Unit: f.Unit, Better: "lower", Primary: f.primary,
		A: f.oneSide(f.a), B: f.oneSide(f.b), Pairs: f.evidence.N, Shown: f.why == "", Why: f.why,
		Verdict: verdictOf(f).String(), Sentence: f.sentence(b),
	}
	if f.Direction == stats.HigherIsBetter {
		m.Better = "higher"
	}
	if f.why != "" || f.evidence.Vetoed {
		return m
	}
	d, e := f.decision, f.evidence
	m.PairsNeed = f.pairsNeeded()
	m.NameAt, m.RuleOut = finite(math.Abs(f.change(d.NameAt))), finite(math.Abs(f.change(d.RuleOut)))
	if e.Bound != stats.Uncensored {
		return m // a bound is no number to put into a table of changes
	}
	m.Change, m.ChangePct = number(f.inUnit(e.Mean)), f.percent(e.Mean)
	if e.N >= 2 && judgedAt >= 0 {
		m.CI95 = interval(f.change(d.CI.Lo), f.change(d.CI.Hi))
		m.CI95Unit = interval(f.inUnit(d.CI.Lo), f.inUnit(d.CI.Hi))
		m.PHolm = number(d.P)
		m.Detectable = number(math.Abs(f.change(d.Detectable)))
	}
	return m
}

func (f *finding) inUnit(x float64) float64 {
	if f.Scale == stats.Difference {
		return 100 * x
	}
	return f.evidence.Delta(x)
}

// percent is the change in percent of A; a rate has none, its change is in points.
func (f *finding) percent(x float64) *float64 {
	if f.Scale == stats.Difference {
		return nil
	}
	return number(f.change(x))
}

func (f *finding) oneSide(ms []verdict.Measure) result.Value {
	v := result.Value{Text: valueText(f, ms), Runs: []*float64{}}
	var logs []float64
	whole := len(ms) > 0
	for _, m := range ms {
		v.N += m.N
		ok := number(m.Value) != nil
		whole = whole && ok
		if !ok {
			v.Runs = append(v.Runs, nil)
			continue
		}
		x := m.Value
		if f.Scale == stats.Difference {
			x *= 100
		} else {
			logs = append(logs, math.Log(m.Value))
		}
		v.Runs = append(v.Runs, &x)
	}
	if !whole {
		return v
	}
	mean := meanOf(f, ms)
	if f.Scale == stats.Difference {
		mean *= 100
	} else if len(logs) >= 2 {
		_, sd := verdict.MeanSD(logs)
		v.CVPct = number(100 * sd)
	}
	v.Mean = number(mean)
	return v
}

func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func interval(lo, hi float64) []float64 {
	if number(lo) == nil || number(hi) == nil {
		return nil
	}
	return []float64{lo, hi}
}

// lookRow is one interim analysis of the primary metrics.
func lookRow(st Standing, levels stats.Looks) result.Look {
	l := result.Look{Pairs: levels.Pairs(st.Look), Stop: st.Done, Metrics: []result.LookMetric{},
		Levels: map[string]float64{"row 1": levels.Level(1, st.Look), "equivalence": levels.Equivalence(st.Look)}}
	for i := range st.Primary {
		f := &st.Primary[i]
		l.Metrics = append(l.Metrics, result.LookMetric{Name: f.Name(), M: finite(f.evidence.Mean), S: finite(f.evidence.SD),
			N: f.evidence.N, P: finite(f.decision.P), Level: finite(f.decision.Level), Verdict: verdictOf(f).String()})
	}
	return l
}
