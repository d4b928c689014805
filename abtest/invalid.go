package abtest

import (
	"fmt"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

// Limits of trials that failed for reasons that are not the generator's or its machine's:
// beyond them the ones that are left are no fair sample of the variant.
const (
	mostInvalid     = .25 // of one variant's trials
	mostInvalidMore = 2   // of one variant than of the other
	cappedTwice     = 2
)

func (s *Session) ran(label string) bool {
	return s.count(label, func(judged) bool { return true }) > 0
}

func (s *Session) count(label string, which func(judged) bool) int {
	n := 0
	for _, t := range s.trials {
		if t.Slot.Pair > 0 && t.Slot.Label == label && which(t) {
			n++
		}
	}
	return n
}

// invalidWarnings judge how many trials did not count. What the generator or its machine
// spoilt was run again and limits; what failed by itself may stop.
func (s *Session) invalidWarnings() []result.Warning {
	invalid := func(t judged) bool { return !t.Valid }
	a, b := s.count("A", invalid), s.count("B", invalid)
	if a+b == 0 {
		return nil
	}
	w := result.Warning{Code: verdict.InvalidRuns, Level: verdict.Limit,
		Seen:   fmt.Sprintf("%s did not count (A %d, B %d)", count(a+b, "run"), a, b),
		Effect: "they were run again where time allowed", Action: "see the run table for the reasons"}
	failed := func(t judged) bool {
		return !t.Valid && !t.Own && t.State != rundir.Interrupted && t.State != rundir.Running
	}
	a, b = s.count("A", failed), s.count("B", failed)
	all := func(judged) bool { return true }
	if float64(a) > mostInvalid*float64(s.count("A", all)) || float64(b) > mostInvalid*float64(s.count("B", all)) || max(a-b, b-a) > mostInvalidMore {
		w.Level, w.Effect = verdict.Stop, "those that are left are no fair sample of the variant"
		w.Seen = fmt.Sprintf("%s failed (A %d, B %d)", count(a+b, "run"), a, b)
	}
	return []result.Warning{w}
}

// overloadWarnings name a variant that could not take the load: a generator that was
// otherwise healthy twice had as many requests in flight as it may, and never with the other one.
func (s *Session) overloadWarnings() []result.Warning {
	capped := func(t judged) bool { return t.Capped }
	a, b := s.count("A", capped), s.count("B", capped)
	name, n := s.plan.A, a
	if b > a {
		name, n = s.plan.B, b
	}
	if n < cappedTwice || min(a, b) > 0 || !s.ran("A") || !s.ran("B") {
		return nil
	}
	return []result.Warning{{Code: verdict.GenSat, Level: verdict.Stop, Variant: name,
		Seen:   fmt.Sprintf("%s could not sustain %s: %d of its runs had all %d requests in flight", name, s.plan.Rate, n, s.plan.MaxInFlight),
		Effect: "its times are those of the generator's limit", Action: "compare at a lower rate"}}
}
