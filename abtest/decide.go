package abtest

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// Exit codes of an answered session.
const (
	exitAnswered    = 0
	exitWorse       = 1
	exitNoAnswer    = 3
	exitInterrupted = 130
)

// verdict is the session's one answer. A stop warning replaces it; a worse primary
// metric decides it; an unclear one leaves it open.
func (s *Session) verdict(st Standing, r *result.Result) result.Verdict {
	v := result.Verdict{Valid: true, Tally: tally(s.plan.B, st.Primary)}
	for i := range st.Primary {
		v.Detail = append(v.Detail, st.Primary[i].sentence(s.plan.B))
	}
	if s.plan.Quick {
		v.Detail = append(v.Detail, s.quickNote(st))
	}
	for _, w := range r.Warnings {
		if w.Level == verdict.Stop {
			v.Status, v.Valid, v.Exit = result.NotComparable, false, exitNoAnswer
			v.Sentence = stopSentence(w)
			return interrupted(v, r)
		}
	}
	v.Status, v.Exit = status(st)
	v.Sentence = s.headline(st, v.Status)
	return interrupted(v, r)
}

func interrupted(v result.Verdict, r *result.Result) result.Verdict {
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
		return result.Worse, exitWorse
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
		return shorten("No test took place: "+w.Seen, ".")
	}
	return shorten("Not comparable: "+w.Seen, ".")
}

// headline picks the finding that answers the question: a worse primary metric before
// a better one, the largest first; else what is open; else the widest "same".
func (s *Session) headline(st Standing, status string) string {
	if len(st.Pairs) == 0 {
		return fmt.Sprintf("Can't tell whether %s differs from %s: no complete pair of runs.", s.plan.B, s.plan.A)
	}
	for _, want := range []stats.Verdict{stats.Worse, stats.Better} {
		if f := largest(st.Primary, want); f != nil {
			return shorten(f.sentence(s.plan.B), "")
		}
	}
	if f := largest(st.Primary, stats.Unclear); f != nil {
		return shorten(fmt.Sprintf("Can't tell whether %s differs from %s: %s", s.plan.B, s.plan.A, f.openText()), ".")
	}
	if f := largest(st.Primary, stats.Same); f != nil && status == result.Same {
		return shorten(fmt.Sprintf("No meaningful difference between %s and %s; %s: %s is %s (limit %s)",
			s.plan.A, s.plan.B, f.Name(), s.plan.B, f.between(f.decision.Equivalence), f.limit()), ".")
	}
	for i := range st.Primary {
		if f := &st.Primary[i]; verdictOf(f) == stats.NotComparable {
			return shorten(f.sentence(s.plan.B), "")
		}
	}
	return fmt.Sprintf("Can't tell whether %s differs from %s.", s.plan.B, s.plan.A)
}

func (f *finding) openText() string {
	if f.evidence.N < stats.MinPairs {
		return fmt.Sprintf("%s of %d needed", count(f.evidence.N, "pair"), stats.MinPairs)
	}
	if f.Scale == stats.Difference {
		return fmt.Sprintf("%s %s (95 %% CI %+.2f to %+.2f)", f.Name(), f.amount(f.evidence.Mean), f.change(f.decision.CI.Lo), f.change(f.decision.CI.Hi))
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
			worst = max(worst, f.change(f.decision.Detectable))
		}
	}
	note := fmt.Sprintf("Quick session: %v windows show large differences only", verdict.Duration(s.plan.MeasureNS))
	if worst > 0 && !math.IsInf(worst, 0) {
		note += fmt.Sprintf("; with %s a change below %s %% could have been missed on some primary metric", count(len(st.Pairs), "pair"), facts.Significant(worst))
	}
	return note + ". Slow effects (collector cycles, growth, warm caches) do not show in seconds; run without --quick to decide."
}

const sentenceLimit = 140

// shorten ends a sentence and keeps it within the limit.
func shorten(s, end string) string {
	s += end
	if utf8.RuneCountInString(s) <= sentenceLimit {
		return s
	}
	r := []rune(s)
	return string(r[:sentenceLimit-1]) + "…"
}
