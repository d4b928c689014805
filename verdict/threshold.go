package verdict

import (
	"fmt"
	"math"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/scenario"
)

// Thresholds evaluates each threshold over the merged arrivals of one variant's
// trials. Too few samples is nodata, which never passes.
func Thresholds(label string, ts []scenario.Threshold, trials []*facts.Trial) []result.Threshold {
	var out []result.Threshold
	for _, t := range ts {
		v := thresholdValue(t, trials)
		out = append(out, result.Threshold{Text: t.Text, Label: label, Value: v.text, N: v.n, Status: status(t, v)})
	}
	return out
}

// NoData is the status of a threshold with too few samples to say.
const NoData = "nodata"

// A reading is what a threshold is held against: ms or percent, +Inf when it fell
// beyond every measured value, NaN when there is too little to say.
type reading struct {
	value float64
	n     int64
	text  string
}

func status(t scenario.Threshold, v reading) string {
	if math.IsNaN(v.value) {
		return NoData
	}
	holds := false
	switch t.Op {
	case "<":
		holds = v.value < t.Value
	case "<=":
		holds = v.value <= t.Value
	case ">":
		holds = v.value > t.Value
	case ">=":
		holds = v.value >= t.Value
	}
	if holds {
		return result.Pass
	}
	return result.Fail
}

func thresholdValue(t scenario.Threshold, trials []*facts.Trial) reading {
	if t.Unit == "%" {
		return share(t, trials)
	}
	r := rankedOf(t.Subject, trials)
	if r.N() == 0 {
		return reading{value: math.NaN(), text: "-"}
	}
	if t.Stat == "max" {
		m := largest(r)
		if m.Value == nil {
			return reading{value: math.Inf(1), n: r.N(), text: m.Text}
		}
		return reading{value: *m.Value, n: r.N(), text: facts.Time(*m.Value * 1e6)}
	}
	p, err := ParseQuantile(t.Stat)
	if err != nil {
		return reading{value: math.NaN(), n: r.N(), text: err.Error()}
	}
	q := r.Quantile(p)
	if !q.Shown() {
		return reading{value: math.NaN(), n: r.N(), text: q.Text()}
	}
	if q.Where == facts.Measured {
		return reading{value: q.NS / 1e6, n: r.N(), text: facts.Time(q.NS)}
	}
	return reading{value: math.Inf(1), n: r.N(), text: q.Text()}
}

func rankedOf(subject string, trials []*facts.Trial) facts.Ranked {
	r := facts.Ranked{OK: &facts.Distribution{}}
	for _, t := range trials {
		if o := t.Operations[subject]; o != nil {
			r.Merge(o.Ranked())
		}
		if c := t.Completions[subject]; c != nil {
			r.Merge(c.Ranked())
		}
	}
	return r
}

// share is the percentage that a %-threshold is about.
func share(t scenario.Threshold, trials []*facts.Trial) reading {
	var events, n int64
	for _, tr := range trials {
		if c := tr.Completions[t.Subject]; c != nil {
			e, of := completionShare(t.Stat, c)
			events, n = events+e, n+of
			continue
		}
		for _, p := range tr.TrialRecord.Operations {
			o := tr.Operations[p.Name]
			if o == nil || (t.Subject != "" && t.Subject != p.Name) {
				continue
			}
			events, n = events+outcomeCount(t.Stat, o), n+o.Scheduled
		}
	}
	if n == 0 {
		return reading{value: math.NaN(), text: "-"}
	}
	p := 100 * float64(events) / float64(n)
	return reading{value: p, n: n, text: fmt.Sprintf("%.2f %%", p)}
}

// completionShare: completed is of all that should have been, as in an A-B test, so that
// refusing work never improves it; timeouts are of the accepted ones.
func completionShare(stat string, c *facts.Completion) (events, n int64) {
	switch stat {
	case "timeouts":
		return c.TimedOut, c.Accepted()
	case "misses":
		return c.Misses, c.Polls
	}
	return c.Succeeded.N(), c.Due()
}

func outcomeCount(stat string, o *facts.Operation) int64 {
	switch stat {
	case "ok":
		return o.Outcomes["ok"]
	case "functional_errors":
		return o.Outcomes["functional"]
	case "timeouts":
		return o.Outcomes["timeout"]
	case "delivered":
		return o.Scheduled - o.Outcomes["unsent"]
	}
	return o.Bad()
}
