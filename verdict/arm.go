package verdict

import (
	"fmt"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
)

// shownQuantiles are the columns of the operations table.
var shownQuantiles = []struct {
	name string
	q    float64
}{{"p50", .5}, {"p90", .9}, {"p95", .95}, {"p99", .99}, {"p99.9", .999}}

// Arm adds up the trials of one variant. Quantiles are of the merged counts and
// describe; what is judged are the trials' own.
func Arm(label, variant, title string, trials []*facts.Trial) result.Arm {
	arm := result.Arm{Label: label, Variant: variant, Title: title, Trials: len(trials),
		Operations: []result.Operation{}, Generator: generator(trials)}
	if len(trials) == 0 {
		return arm
	}
	seconds := 0.0
	for _, t := range trials {
		seconds += float64(t.Seconds)
	}
	for _, p := range trials[0].TrialRecord.Operations {
		arm.Operations = append(arm.Operations, operation(p.Name, p.Share, seconds, trials))
	}
	for _, p := range trials[0].TrialRecord.Trial.Completions {
		arm.Completions = append(arm.Completions, completion(p.Name, p.Operation, trials))
	}
	arm.Errors = errorRows(trials)
	arm.Resources = resources(trials)
	arm.Slowest = slowest(trials)
	return arm
}

func operation(name string, share, seconds float64, trials []*facts.Trial) result.Operation {
	op := result.Operation{Name: name, WeightPct: 100 * share}
	ranked, service := facts.Ranked{OK: &facts.Distribution{}}, facts.Ranked{OK: &facts.Distribution{}}
	var failed facts.Distribution
	for _, t := range trials {
		o := t.Operations[name]
		if o == nil {
			continue
		}
		op.Scheduled += o.Scheduled
		op.OK += o.Outcomes["ok"]
		op.Functional += o.Outcomes["functional"]
		op.System += o.Outcomes["system"]
		op.Timeout += o.Outcomes["timeout"]
		op.Client += o.Outcomes["client"]
		op.Unsent += o.Outcomes["unsent"]
		r := o.Ranked()
		ranked.Merge(r)
		r.OK = &o.Service
		service.Merge(r)
		failed.Merge(&o.Failed)
	}
	op.Sent = op.Scheduled - op.Unsent
	if seconds > 0 {
		op.PerSecond = float64(op.Sent) / seconds
	}
	op.Quantiles = append(quantiles(ranked, 5), largest(ranked))
	op.Service = quantiles(service, 4)
	if failed.N() > 0 {
		q := facts.Ranked{OK: &failed}.Quantile(.5)
		v := q.NS / 1e6
		op.Failed = &result.Quantile{Name: "p50", Value: &v, Text: facts.MS(q.NS)}
	}
	return op
}

func quantiles(r facts.Ranked, n int) []result.Quantile {
	var out []result.Quantile
	for _, c := range shownQuantiles[:n] {
		out = append(out, printed(c.name, r.Quantile(c.q)))
	}
	return out
}

func printed(name string, q facts.Quantile) result.Quantile {
	p := result.Quantile{Name: name, Text: q.Text()}
	if q.N > 0 && q.Shown() && q.Where == facts.Measured {
		v := q.NS / 1e6
		p.Value = &v
	}
	return p
}

// largest is the maximum; beyond it nothing was measured, so anything without an
// answer makes it unknown.
func largest(r facts.Ranked) result.Quantile {
	switch {
	case r.N() == 0:
		return result.Quantile{Name: "max", Text: "-"}
	case r.Failed > 0:
		return result.Quantile{Name: "max", Text: "failed"}
	case r.TimedOut > 0:
		return result.Quantile{Name: "max", Text: "> " + facts.Seconds(r.Timeout)}
	}
	v := r.OK.Max() / 1e6
	return result.Quantile{Name: "max", Value: &v, Text: facts.MS(r.OK.Max())}
}

func completion(name, op string, trials []*facts.Trial) result.Completion {
	c := result.Completion{Name: name, Operation: op}
	ranked := facts.Ranked{OK: &facts.Distribution{}}
	var width facts.Distribution
	for _, t := range trials {
		f := t.Completions[name]
		if f == nil {
			continue
		}
		c.Sampled += f.Sampled
		c.Accepted += f.Accepted()
		c.Succeeded += f.Succeeded.N()
		c.Failed += f.Failed
		c.TimedOut += f.TimedOut
		c.NotAccepted += f.NotAccepted
		c.Polls += f.Polls
		c.Misses += f.Misses
		c.Disagreements += f.Disagreements
		c.TimeoutMS = f.Timeout.Seconds() * 1e3
		ranked.Merge(f.Ranked())
		width.Merge(&f.Width)
	}
	c.Quantiles = quantiles(ranked, 4)
	c.Resolution = "-"
	if width.N() > 0 {
		mid, high := (facts.Ranked{OK: &width}).Quantile(.5), (facts.Ranked{OK: &width}).Quantile(.95)
		c.ResolutionMS = mid.NS / 1e6
		c.Resolution = fmt.Sprintf("known to within %s (median), %s (p95)", facts.Time(mid.NS), facts.Time(high.NS))
	}
	return c
}

func generator(trials []*facts.Trial) result.Generator {
	g := result.Generator{}
	var late facts.Distribution
	var cpu, wall, cores float64
	for _, t := range trials {
		g.Scheduled += t.Scheduled
		g.Sent += t.Sent
		g.Unsent += t.Unsent
		g.InFlightMax = max(g.InFlightMax, t.InFlightMax)
		g.CapHit += t.CapHit
		g.Dialed += t.Dialed
		g.GCMaxMS = max(g.GCMaxMS, float64(t.Generator.GCMaxNS)/1e6)
		g.Path = t.TrialRecord.Trial.Path
		g.LateMaxMS = max(g.LateMaxMS, float64(t.TrialRecord.Lateness.Max)/1e6)
		cpu, wall, cores = cpu+float64(t.Generator.CPUNS), wall+float64(t.Generator.WallNS), float64(t.Generator.Cores)
		late.Merge(&t.Lateness)
	}
	if g.Scheduled > 0 {
		g.SentPct = 100 * float64(g.Sent) / float64(g.Scheduled)
	}
	if late.N() > 0 {
		r := facts.Ranked{OK: &late}
		g.LateP50MS, g.LateP99MS = r.Quantile(.5).NS/1e6, r.Quantile(.99).NS/1e6
	}
	if wall > 0 && cores > 0 {
		g.CPUCores = cpu / wall
		g.CPUPct = 100 * g.CPUCores / cores
	}
	return g
}
