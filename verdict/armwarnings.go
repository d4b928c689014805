package verdict

import (
	"fmt"
	"slices"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
)

// Limits of what is said about one variant's trials taken together.
const (
	FailingLimit    = .05 // of an operation's arrivals
	IncompleteLimit = .95 // of the accepted ones
	MissLimit       = .10 // of the polls
	lostLimit       = .02 // of the followed ones, for the two-mode rule
)

// ArmWarnings are the warnings that need all trials of a variant.
func ArmWarnings(label, variant string, trials []*facts.Trial) []result.Warning {
	if len(trials) == 0 {
		return nil
	}
	var ws []result.Warning
	add := func(code, level, metric, seen, effect, action string) {
		ws = append(ws, result.Warning{Code: code, Level: level, Metric: metric, Variant: variant,
			Seen: seen + " (" + label + ")", Effect: effect, Action: action})
	}
	arm := Arm(label, variant, "", trials)
	for _, op := range arm.Operations {
		failing(op, add)
	}
	for _, c := range arm.Completions {
		completing(c, trials, add)
	}
	for _, t := range trials {
		for _, n := range t.Notes {
			add(Remark, Note, "", n, "noted in "+t.Name, "")
		}
		for _, n := range t.Unproven {
			add(Unproven, Note, "", n, "the setting is not shown to be in use", "add a verify probe")
		}
		if t.Cut {
			add(Interrupted, Note, "", "a file of "+t.Name+" ends in the middle of a line", "the line was skipped", "")
		}
	}
	return ws
}

func failing(op result.Operation, add func(code, level, metric, seen, effect, action string)) {
	bad := op.System + op.Timeout + op.Client + op.Unsent
	if op.Scheduled > 0 && float64(bad) > FailingLimit*float64(op.Scheduled) {
		add(Failing, Limit, op.Name, fmt.Sprintf("%.1f %% of %d arrivals failed, timed out or were not sent", pct(bad, op.Scheduled), op.Scheduled),
			"its quantiles rank them beyond every measured time", "look at the error ledger")
	}
	if op.Functional > 0 {
		add(FuncErrors, Note, op.Name, fmt.Sprintf("%.2f %% declared business errors of %d", pct(op.Functional, op.Scheduled), op.Scheduled),
			"counted apart, in no quantile", "")
	}
	if op.Failed != nil && op.Failed.Value != nil && len(op.Quantiles) > 0 && op.Quantiles[0].Value != nil &&
		*op.Failed.Value < .5**op.Quantiles[0].Value {
		add(FastFail, Note, op.Name, fmt.Sprintf("failures end in %s, successes in %s (medians)", facts.Time(*op.Failed.Value*1e6), facts.Time(*op.Quantiles[0].Value*1e6)),
			"failures are not in the quantiles' values", "")
	}
}

func completing(c result.Completion, trials []*facts.Trial, add func(code, level, metric, seen, effect, action string)) {
	if c.Accepted > 0 && float64(c.Succeeded) < IncompleteLimit*float64(c.Accepted) {
		add(Incomplete, Limit, c.Name, fmt.Sprintf("%d of %d followed arrivals completed (%.1f %%)", c.Succeeded, c.Accepted, pct(c.Succeeded, c.Accepted)),
			"accepted is not done: the completion rate is the headline", "find out what holds the rest back")
	}
	if c.Polls > 0 && float64(c.Misses) > MissLimit*float64(c.Polls) {
		add(PollMisses, Note, c.Name, fmt.Sprintf("%.1f %% of %d polls found nothing there (404)", pct(c.Misses, c.Polls), c.Polls),
			"the time holds the wait for a poll that finds it", "with r replicas of private state a poll misses with 1-1/r; share the state or route by key")
	}
	if c.Disagreements > 0 {
		add(Disagree, Note, c.Name, fmt.Sprintf("%d polls found nothing after one that had", c.Disagreements), "replicas disagree", "share the state")
	}
	if gap, lost := twoModes(c, trials); lost {
		add(TwoModes, Note, c.Name, "done within "+gap+" or not at all", "lost, not slow: this is not queueing", "")
	}
}

// twoModes applies the rule: at least 2 % time out, yet fewer than 1 % of the completions fall
// between three times the median and the timeout.
func twoModes(c result.Completion, trials []*facts.Trial) (within string, lost bool) {
	if c.Accepted == 0 || float64(c.TimedOut) < lostLimit*float64(c.Accepted) || c.Succeeded == 0 {
		return "", false
	}
	var d facts.Distribution
	for _, t := range trials {
		if f := t.Completions[c.Name]; f != nil {
			d.Merge(&f.Succeeded)
		}
	}
	edge := 3 * (facts.Ranked{OK: &d}).Quantile(.5).NS
	return facts.Time(edge), float64(d.Above(edge)) < .01*float64(d.N())
}

func pct(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return 100 * float64(a) / float64(b)
}

// Sorted puts the gravest first and keeps the order of equals.
func Sorted(ws []result.Warning) []result.Warning {
	rank := map[string]int{Stop: 0, Limit: 1, Note: 2}
	slices.SortStableFunc(ws, func(a, b result.Warning) int { return rank[a.Level] - rank[b.Level] })
	if ws == nil {
		return []result.Warning{}
	}
	return ws
}
