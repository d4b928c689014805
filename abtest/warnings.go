package abtest

import (
	"fmt"
	"math"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// warnings are everything that qualifies the verdict, the gravest first.
func (s *Session) warnings(m rundir.Manifest, st Standing, treatment []result.Treatment) []result.Warning {
	ws := treatmentWarnings(s.plan, treatment)
	ws = append(ws, s.invalidWarnings()...)
	if len(st.Pairs) < stats.MinPairs {
		ws = append(ws, result.Warning{Code: verdict.FewRuns, Level: verdict.Limit,
			Seen:   fmt.Sprintf("%s of runs complete", count(len(st.Pairs), "pair")),
			Effect: "every verdict is unclear", Action: fmt.Sprintf("run at least %d pairs", stats.MinPairs)})
	}
	for _, t := range s.trials {
		ws = append(ws, t.Warnings...)
	}
	a, b := st.arms()
	ws = append(ws, verdict.ArmWarnings("A", s.plan.A, a)...)
	ws = append(ws, verdict.ArmWarnings("B", s.plan.B, b)...)
	for i := range st.Primary {
		ws = append(ws, st.Primary[i].warnings()...)
	}
	ws = append(ws, s.orderWarnings(st)...)
	ws = append(ws, s.warmupWarnings(st)...)
	ws = append(ws, s.sessionNotes(m)...)
	return verdict.Sorted(verdict.Merge(ws))
}

// invalidWarnings judge how many trials did not count. The causes that Check knows are the
// generator's and the host's, so they limit and do not stop.
func (s *Session) invalidWarnings() []result.Warning {
	invalid := map[string]int{}
	all := 0
	for _, t := range s.trials {
		if t.Slot.Pair > 0 && !t.Valid {
			invalid[t.Slot.Label]++
			all++
		}
	}
	if all == 0 {
		return nil
	}
	return []result.Warning{{Code: verdict.InvalidRuns, Level: verdict.Limit,
		Seen:   fmt.Sprintf("%s did not count (A %d, B %d)", count(all, "run"), invalid["A"], invalid["B"]),
		Effect: "they were run again where time allowed", Action: "see the run table for the reasons"}}
}

// warnings of one primary metric.
func (f *finding) warnings() []result.Warning {
	var ws []result.Warning
	if a, b := f.censoredIn(); a+b > 0 {
		ws = append(ws, result.Warning{Code: verdict.Censored, Level: verdict.Limit, Metric: f.Name(),
			Seen:   fmt.Sprintf("it lies beyond every measured time in %d runs of A and %d of B", a, b),
			Effect: "no difference is computed from it; at most \"at least so much worse\" can be said", Action: "judge the completion or error rate"})
	}
	if f.decision.Coarse {
		ws = append(ws, result.Warning{Code: verdict.PollQ, Level: verdict.Limit, Metric: f.Name(),
			Seen:   fmt.Sprintf("known to within %s %s", facts.Significant(f.Resolution), f.Unit),
			Effect: "\"same\" cannot be said of it"})
	}
	if f.why != "" {
		ws = append(ws, result.Warning{Code: verdict.FewSamples, Level: verdict.Limit, Metric: f.Name(),
			Seen: f.why, Effect: "not judged", Action: "raise the rate or the duration"})
	}
	return ws
}

// orderWarnings name a second run of a pair that is slower or faster than the first.
func (s *Session) orderWarnings(st Standing) []result.Warning {
	var ws []result.Warning
	for i := range st.Primary {
		f := &st.Primary[i]
		fit, ok := f.orderFit(st.Pairs)
		if !ok || !fit.Noted() {
			continue
		}
		ws = append(ws, result.Warning{Code: verdict.Order, Level: verdict.Note, Metric: f.Name(),
			Seen:   fmt.Sprintf("second runs of a pair were %+.1f %%", f.change(fit.Order)),
			Effect: fmt.Sprintf("the balanced order removed it; the order-adjusted change is %+.1f %%", f.change(fit.Mean))})
	}
	return ws
}

// warmupWarnings test whether the warm-up was long enough, over all runs together.
func (s *Session) warmupWarnings(st Standing) []result.Warning {
	a, b := st.arms()
	trials := append(append([]*facts.Trial{}, a...), b...)
	warm := int(s.plan.WarmupNS / 1e9)
	window := max(1, min(10, warm/2))
	op := s.mainOperation()
	curve, medians, ok := settling(op, trials, window)
	if !ok || len(trials) < 2*stats.MinPairs {
		return nil
	}
	level, action := verdict.Limit, "use a longer --warmup"
	if !s.plan.Quick && s.look1() {
		level = verdict.Stop
	}
	var ws []result.Warning
	if settled := curve.Window * window; !curve.Settled || settled > warm {
		seen := fmt.Sprintf("%s settles %d s after the start, the warm-up is %d s", op, settled, warm)
		if !curve.Settled {
			seen = fmt.Sprintf("%s had not settled by the middle of the run", op)
		}
		ws = append(ws, result.Warning{Code: verdict.WarmUp, Level: level, Metric: op, Seen: seen,
			Effect: "the measured windows hold warm-up", Action: action})
	}
	for i := range medians {
		medians[i] = medians[i][min(warm/window, len(medians[i])):]
	}
	if len(medians[0]) < 3 {
		return ws
	}
	nameAt := math.Log1p(.03)
	if trend, err := stats.LeftOverTrend(medians); err == nil && trend.Flagged(nameAt) {
		ws = append(ws, result.Warning{Code: verdict.WarmUp, Level: level, Metric: op,
			Seen:   fmt.Sprintf("the first third of the windows differs from the last by %+.1f %%", 100*math.Expm1(trend.Mean)),
			Effect: "the measured windows are not steady", Action: action})
	}
	return ws
}

// look1 reports whether the session stands at its first look, where a short warm-up stops it.
func (s *Session) look1() bool {
	k, ok := s.look()
	return ok && k == 0
}

func (s *Session) sessionNotes(m rundir.Manifest) []result.Warning {
	var ws []result.Warning
	if m.GitDirty {
		ws = append(ws, result.Warning{Code: verdict.Dirty, Level: verdict.Note, Seen: "the working tree has uncommitted changes",
			Effect: "the commit does not describe what was measured", Action: "commit before measuring"})
	}
	if m.Earlier > 0 {
		ws = append(ws, result.Warning{Code: "REPEATED", Level: verdict.Note,
			Seen:   fmt.Sprintf("%s of these variants before this one in the same folder", count(m.Earlier, "session")),
			Effect: "repeating until one says better or worse is not protected; judge them together"})
	}
	if m.State == rundir.Interrupted || m.State == rundir.Running {
		ws = append(ws, result.Warning{Code: verdict.Interrupted, Level: verdict.Limit, Seen: "the session was cut short" + reason(m.Reason),
			Effect: "judged from the pairs that are complete"})
	}
	return ws
}

func reason(r string) string {
	if r == "" {
		return ""
	}
	return ": " + r
}
