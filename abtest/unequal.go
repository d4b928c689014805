package abtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/verdict"
)

// unequalWarnings stop a session in which the two runs of a pair were not the same test:
// another rate, mix, window, timeout, seed or amount of data.
func (s *Session) unequalWarnings(st Standing) []result.Warning {
	var ws []result.Warning
	for _, p := range st.Pairs {
		if seen := s.unequal(p); seen != "" {
			ws = append(ws, result.Warning{Code: verdict.Unequal, Level: verdict.Stop, Trial: p.a.Name + ", " + p.b.Name,
				Seen: seen, Effect: "the two runs of a pair were not the same test", Action: "run both variants from one plan"})
		}
	}
	return ws
}

// unequal names the first difference of a pair that matters, or nothing. One seed fixes the
// schedule and the mix, so equal plans mean equal counts, operation by operation.
func (s *Session) unequal(p pair) string {
	a, b := p.a, p.b
	seconds := float64(s.plan.MeasureNS) / 1e9
	for _, t := range []*facts.Trial{a, b} {
		if t.MeasureNS != s.plan.MeasureNS || t.WarmupEndNS != s.plan.WarmupNS {
			return fmt.Sprintf("%s measured %s after %s, the plan says %s after %s", t.Slot.Label,
				verdict.Duration(t.MeasureNS), verdict.Duration(t.WarmupEndNS), verdict.Duration(s.plan.MeasureNS), verdict.Duration(s.plan.WarmupNS))
		}
	}
	switch {
	case a.Scheduled != b.Scheduled || a.Planned != b.Planned:
		return fmt.Sprintf("A was scheduled at %.4g/s and sent %.1f %%, B at %.4g/s and sent %.1f %%",
			float64(a.Scheduled)/seconds, verdict.SentPercent(a), float64(b.Scheduled)/seconds, verdict.SentPercent(b))
	case a.Slot.Seed != b.Slot.Seed:
		return "A and B were sent different requests (another seed)"
	case !maps.Equal(a.Seeded, b.Seeded):
		return fmt.Sprintf("the data differ: A had %v, B %v", a.Seeded, b.Seeded)
	case !slices.Equal(a.TrialRecord.Trial.Completions, b.TrialRecord.Trial.Completions):
		return "A and B followed completions differently (sample or timeout)"
	}
	return unequalOperations(a, b)
}

func unequalOperations(a, b *facts.Trial) string {
	as, bs := a.TrialRecord.Operations, b.TrialRecord.Operations
	if len(as) != len(bs) {
		return fmt.Sprintf("A sent %d operations, B %d", len(as), len(bs))
	}
	for i, x := range as {
		y := bs[i]
		switch {
		case x.Name != y.Name || x.Share != y.Share:
			return fmt.Sprintf("the mix differs: A sent %s (%.4g %%), B %s (%.4g %%)", x.Name, 100*x.Share, y.Name, 100*y.Share)
		case x.TimeoutNS != y.TimeoutNS:
			return fmt.Sprintf("%s timed out after %s in A, %s in B", x.Name, verdict.Duration(x.TimeoutNS), verdict.Duration(y.TimeoutNS))
		case scheduledOf(a, x.Name) != scheduledOf(b, x.Name):
			return fmt.Sprintf("the mix differs: A scheduled %d of %s, B %d", scheduledOf(a, x.Name), x.Name, scheduledOf(b, x.Name))
		}
	}
	return ""
}

func scheduledOf(t *facts.Trial, op string) int64 {
	if o := t.Operations[op]; o != nil {
		return o.Scheduled
	}
	return 0
}
