package verdict

import (
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
)

// maxSteps is the most points of a timeline; longer windows are drawn in coarser steps.
const maxSteps = 240

// Timeline averages the measured window's seconds over the trials.
func Timeline(label, op string, trials []*facts.Trial) result.Timeline {
	tl := result.Timeline{Label: label, StepS: 1, Operation: op, Scheduled: []float64{}, Achieved: []float64{}, Failed: []float64{}, P95MS: []*float64{}}
	if len(trials) == 0 {
		return tl
	}
	seconds := int(trials[0].MeasureNS / 1e9)
	step := max(1, (seconds+maxSteps-1)/maxSteps)
	n := (seconds + step - 1) / step
	tl.StepS = float64(step)
	tl.Scheduled, tl.Achieved, tl.Failed = make([]float64, n), make([]float64, n), make([]float64, n)
	weight := func(i int) float64 { // the last step may be a shorter one
		return 1 / float64(len(trials)*min(step, seconds-i*step))
	}
	for _, t := range trials {
		first := t.WarmupEndNS / 1e9
		for _, l := range t.Ledger {
			i := int(l.Second-first) / step
			if !l.Measured || i < 0 || i >= n {
				continue
			}
			for _, p := range t.TrialRecord.Operations {
				tl.Scheduled[i] += weight(i) * float64(l.Scheduled[p.Name])
				for o, c := range l.Outcomes[p.Name] {
					if o == "ok" || o == "functional" {
						tl.Achieved[i] += weight(i) * float64(c)
						continue
					}
					tl.Failed[i] += weight(i) * float64(c)
				}
			}
		}
	}
	tl.P95MS = overTime(op, trials, n, step)
	return tl
}

// overTime is the operation's p95 in each step over the arrivals of all trials, by
// the one rule; null where fewer than ten arrivals lie beyond it.
func overTime(op string, trials []*facts.Trial, n, step int) []*float64 {
	out := make([]*float64, n)
	for i := range out {
		r := facts.Ranked{OK: &facts.Distribution{}}
		for _, t := range trials {
			o := t.Operations[op]
			if o == nil {
				continue
			}
			for s := i * step; s < (i+1)*step && s < len(o.PerSecond); s++ {
				r.Merge(o.PerSecond[s])
			}
		}
		if q := r.Quantile(.95); q.Shown() && q.Where == facts.Measured {
			v := q.NS / 1e6
			out[i] = &v
		}
	}
	return out
}
