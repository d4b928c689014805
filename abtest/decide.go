package abtest

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// Exit codes of an answered session.
const (
	exitAnswered      = 0
	exitNotAcceptable = 1
	exitNoAnswer      = 3
	exitInterrupted   = 130
)

// verdict is the session's one answer. A stop warning replaces it; a worse primary
// metric decides it; an unclear one leaves it open. A failed threshold is not acceptable,
// whatever the comparison says.
func (s *Session) verdict(st Standing, r *result.Result) result.Verdict {
	v := result.Verdict{Valid: true, Tally: tally(s.plan.B, st.Primary)}
	for i := range st.Primary {
		v.Detail = append(v.Detail, st.Primary[i].sentence(s.plan.B))
	}
	if s.plan.Quick {
		v.Detail = append(v.Detail, s.quickNote(st))
	}
	stop := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.Level == verdict.Stop })
	if stop >= 0 {
		v.Status, v.Valid, v.Exit = result.NotComparable, false, exitNoAnswer
		v.Sentence = stopSentence(r.Warnings[stop])
	} else {
		v.Status, v.Exit = status(st)
		v.Sentence = s.headline(st, v.Status)
		if failed := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.Code == verdict.Failed }); failed >= 0 {
			v.Exit = exitNotAcceptable
			v.Detail = append([]string{"A threshold failed. " + r.Warnings[failed].Seen + "."}, v.Detail...)
		}
	}
	if r.Run.Interrupted {
		v.Exit = exitInterrupted
	}
	return v
}

func status(st Standing) (string, int) {
	n := map[stats.Verdict]int{}
	for i := range st.Primary {
		n[verdictOf(&st.Primary[i])]++
	}
	switch {
	case st.Look < 0:
		return result.Unclear, exitNoAnswer
	case n[stats.Worse] > 0:
		return result.Worse, exitNotAcceptable
	case n[stats.Unclear] > 0:
		return result.Unclear, exitNoAnswer
	case n[stats.NotComparable] > 0:
		return result.NotComparable, exitNoAnswer
	case n[stats.Better] > 0:
		return result.Better, exitAnswered
	}
	return result.Same, exitAnswered
}

func stopSentence(w result.Warning) string {
	if w.Code == verdict.Treatment {
		return fit("No test took place: " + w.Seen + ".")
	}
	return fit("Not comparable: " + w.Seen + ".")
}

// headline says the status in one sentence, by the finding of that status with the largest
// change against its margin.
func (s *Session) headline(st Standing, status string) string {
	if st.Look < 0 {
		return fit(fmt.Sprintf("Can't tell whether %s differs from %s: %d of the %s that the first look needs.",
			s.plan.B, s.plan.A, len(st.Pairs), count(s.procedure.Looks().Pairs(0), "pair")))
	}
	switch status {
	case result.Worse:
		return fit(largest(st.Primary, stats.Worse).sentence(s.plan.B))
	case result.Better:
		return fit(largest(st.Primary, stats.Better).sentence(s.plan.B))
	case result.Same:
		f := largest(st.Primary, stats.Same)
		said := fmt.Sprintf("%s is %s (limit %s).", s.plan.B, f.between(f.decision.Equivalence), f.limit())
		return fit(fmt.Sprintf("No meaningful difference between %s and %s; %s: %s", s.plan.A, s.plan.B, f.Name(), said),
			fmt.Sprintf("No meaningful difference; %s: %s", f.Name(), said), "No meaningful difference; "+said)
	case result.Unclear:
		f := largest(st.Primary, stats.Unclear)
		return fit(fmt.Sprintf("Can't tell whether %s differs from %s: %s.", s.plan.B, s.plan.A, f.openText()),
			fmt.Sprintf("Can't tell: %s.", f.openText()))
	}
	return fit(largest(st.Primary, stats.NotComparable).sentence(s.plan.B))
}

func (f *finding) openText() string {
	if f.evidence.N < stats.MinPairs {
		return fmt.Sprintf("%s of %d needed", count(f.evidence.N, "pair"), stats.MinPairs)
	}
	if f.evidence.Bound != stats.Uncensored {
		inA, inB := f.censoredIn()
		return fmt.Sprintf("%s lies beyond every measured time in %s of A and %d of B", f.Name(), count(inA, "run"), inB)
	}
	if f.Scale == stats.Difference {
		return fmt.Sprintf("%s %s (95 %% CI %+.2f to %+.2f), %s", f.Name(), f.amount(f.evidence.Mean), f.change(f.decision.CI.Lo),
			f.change(f.decision.CI.Hi), count(f.evidence.N, "pair"))
	}
	return fmt.Sprintf("%s %+.1f %% (95 %% CI %+.1f to %+.1f %%), %s", f.Name(), f.change(f.evidence.Mean),
		f.change(f.decision.CI.Lo), f.change(f.decision.CI.Hi), count(f.evidence.N, "pair"))
}

// largest is the finding of a verdict with the largest change against its margin.
func largest(fs []finding, v stats.Verdict) *finding {
	var best *finding
	for i := range fs {
		f := &fs[i]
		if verdictOf(f) != v {
			continue
		}
		if best == nil || f.size() > best.size() {
			best = f
		}
	}
	return best
}

func (f *finding) size() float64 {
	if f.decision.NameAt <= 0 {
		return 0
	}
	return math.Abs(f.evidence.Mean) / f.decision.NameAt
}

// quickNote says what so short a session could have shown.
func (s *Session) quickNote(st Standing) string {
	worst := 0.0
	for i := range st.Primary {
		f := &st.Primary[i]
		if f.why == "" && f.Scale == stats.LogRatio && f.evidence.N >= stats.MinPairs {
			worst = max(worst, f.change(max(f.decision.Detectable, f.decision.NameAt)))
		}
	}
	note := fmt.Sprintf("Quick session: %s windows show large differences only", verdict.Duration(s.plan.MeasureNS))
	if worst > 0 && !math.IsInf(worst, 0) {
		note += fmt.Sprintf("; with %s a change below %s %% could have been missed on some primary metric", count(len(st.Pairs), "pair"), facts.Significant(worst))
	}
	return note + ". Slow effects (collector cycles, growth, warm caches) do not show in seconds; run without --quick to decide."
}

const sentenceLimit = 140

// fit is the first form of a sentence that keeps within the limit; if none does, the last
// one is cut.
func fit(forms ...string) string {
	for _, s := range forms {
		if utf8.RuneCountInString(s) <= sentenceLimit {
			return s
		}
	}
	r := []rune(forms[len(forms)-1])
	return string(r[:sentenceLimit-1]) + "…"
}
