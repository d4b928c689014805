package verdict

import (
	"fmt"
	"math"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/stats"
)

// A Measure is a metric's value in one trial. Value is +Inf when the quantile fell
// beyond every measured value and NaN when there is none; Missing then says why.
type Measure struct {
	Value    float64 // in the metric's unit; a share for rates
	Count    stats.Count
	Quantile facts.Quantile
	N        int64
	Text     string
	Missing  string
	Width    float64 // resolution in the unit: how closely the value is known
}

// Measure computes the metric of one trial.
func (m Metric) Measure(t *facts.Trial) Measure {
	switch m.Kind {
	case OperationQuantile:
		o := t.Operations[m.Subject]
		if o == nil {
			return missing("never sent")
		}
		return quantile(o.Ranked().Quantile(m.Q), 0)
	case CompletionQuantile:
		c := t.Completions[m.Subject]
		if c == nil {
			return missing("never sampled")
		}
		return quantile(c.Ranked().Quantile(m.Q), c.WidthAt(m.Q)/1e6)
	case Completed:
		c := t.Completions[m.Subject]
		if c == nil || c.Due() == 0 {
			return missing("never sampled")
		}
		return rate(c.Succeeded.N(), c.Due())
	case Misses:
		c := t.Completions[m.Subject]
		if c == nil || c.Polls == 0 {
			return missing("never polled")
		}
		return rate(c.Misses, c.Polls)
	case Errors:
		return errorRate(t)
	case CPU:
		return cpu(t)
	case Memory:
		return memory(t)
	}
	panic(fmt.Sprintf("verdict: no measure for metric %q of kind %d", m.Name(), m.Kind))
}

func missing(why string) Measure { return Measure{Value: math.NaN(), Text: "-", Missing: why} }

func quantile(q facts.Quantile, width float64) Measure {
	m := Measure{Value: q.NS / 1e6, Quantile: q, N: q.N, Text: q.Text(), Width: width}
	switch {
	case q.N == 0:
		return missing("no arrivals")
	case !q.Shown():
		m.Value, m.Missing = math.NaN(), fmt.Sprintf("only %.0f samples beyond it in a run, %d are needed to show it", math.Floor(stats.Beyond(q.Q, q.N)), stats.MinShown)
	case !q.Judged():
		m.Missing = fmt.Sprintf("only %.0f samples beyond it in a run, %d are needed to judge it", math.Floor(stats.Beyond(q.Q, q.N)), stats.MinJudged)
	}
	return m
}

func rate(events, n int64) Measure {
	share := float64(events) / float64(n)
	return Measure{Value: share, Count: stats.Count{Events: events, Trials: n}, N: n, Text: Percent(share)}
}

func errorRate(t *facts.Trial) Measure {
	var bad, n int64
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			bad, n = bad+o.Bad(), n+o.Scheduled
		}
	}
	if n == 0 {
		return missing("no arrivals")
	}
	return rate(bad, n)
}

func cpu(t *facts.Trial) Measure {
	var used float64
	us := t.Usages()
	for _, u := range us {
		used += u.CPU.Seconds() * 1e3
		if !u.Covered {
			return missing("the samples of " + u.Name + " do not reach over the whole window")
		}
	}
	done := completed(t)
	switch {
	case len(us) == 0:
		return missing("no process was sampled")
	case done == 0:
		return missing("no operation completed")
	}
	v := used / float64(done)
	return Measure{Value: v, N: done, Text: facts.Significant(v)}
}

func memory(t *facts.Trial) Measure {
	var sum int64
	us := t.Usages()
	for _, u := range us {
		sum += u.MemMax
	}
	if len(us) == 0 || sum == 0 {
		return missing("no process was sampled")
	}
	v := float64(sum) / (1 << 20)
	return Measure{Value: v, N: int64(us[0].Samples), Text: facts.Significant(v)}
}

// Percent prints a share with two decimals.
func Percent(share float64) string { return fmt.Sprintf("%.2f %%", share*100) }
