package abtest

import (
	"fmt"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// warnings are everything that qualifies the verdict, the gravest first.
func (s *Session) warnings(m rundir.Manifest, st Standing, r *result.Result) []result.Warning {
	ws := treatmentWarnings(s.plan, r.Treatment, s.ran("A") && s.ran("B"))
	ws = append(ws, s.unequalWarnings(st)...)
	ws = append(ws, s.overloadWarnings()...)
	ws = append(ws, s.invalidWarnings()...)
	ws = append(ws, thresholdWarnings(r.Thresholds)...)
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

func thresholdWarnings(ts []result.Threshold) []result.Warning {
	var ws []result.Warning
	for _, t := range ts {
		if t.Status == result.Fail {
			ws = append(ws, result.Warning{Code: verdict.Failed, Level: verdict.Limit,
				Seen: fmt.Sprintf("%s: %s is %s, n=%d", t.Label, t.Text, t.Value, t.N), Effect: "a threshold failed, whatever the comparison says"})
		}
	}
	return ws
}

// warnings of one primary metric.
func (f *finding) warnings() []result.Warning {
	var ws []result.Warning
	if a, b := f.censoredIn(); a+b > 0 {
		ws = append(ws, result.Warning{Code: verdict.Censored, Level: verdict.Limit, Metric: f.Name(),
			Seen:   fmt.Sprintf("it lies beyond every measured time in %s of A and %d of B", count(a, "run"), b),
			Effect: "no difference is computed from it; at most \"at least so much worse\" can be said", Action: "judge the completion or error rate"})
	}
	if f.decision.Coarse {
		ws = append(ws, result.Warning{Code: verdict.PollQ, Level: verdict.Limit, Metric: f.Name(),
			Seen:   fmt.Sprintf("known to within %s %s", facts.Significant(f.Resolution), f.Unit),
			Effect: "\"same\" cannot be said of it"})
	}
	if f.code != "" {
		action := ""
		if f.code == verdict.FewSamples {
			action = "raise the rate or the duration"
		}
		ws = append(ws, result.Warning{Code: f.code, Level: verdict.Limit, Metric: f.Name(), Seen: f.why, Effect: "not judged", Action: action})
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

func (s *Session) sessionNotes(m rundir.Manifest) []result.Warning {
	var ws []result.Warning
	if m.GitDirty {
		ws = append(ws, result.Warning{Code: verdict.Dirty, Level: verdict.Note, Seen: "the working tree has uncommitted changes",
			Effect: "the commit does not describe what was measured", Action: "commit before measuring"})
	}
	if m.Earlier > 0 {
		ws = append(ws, result.Warning{Code: verdict.Repeated, Level: verdict.Note,
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
