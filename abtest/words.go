package abtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// lower and higher are the words for a smaller and a larger value of the metric.
func (f *finding) direction() (lower, higher string) {
	if f.Unit == "ms" {
		return "faster", "slower"
	}
	return "lower", "higher"
}

// change is a point of the evidence's scale as it is said: percent of A, or
// percentage points for rates.
func (f *finding) change(x float64) float64 {
	if f.Scale == stats.Difference {
		return 100 * x
	}
	return 100 * math.Expm1(x)
}

// amount prints a signed difference in the metric's unit.
func (f *finding) amount(x float64) string {
	d := f.evidence.Delta(x)
	if f.Scale == stats.Difference {
		return fmt.Sprintf("%+.2f points", 100*d)
	}
	sign := "+"
	if d < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s%s %s", sign, facts.Significant(math.Abs(d)), f.Unit)
}

// sentence says the metric's verdict in words, with size, interval and condition.
func (f *finding) sentence(b string) string {
	d := f.decision
	switch {
	case f.why != "":
		return fmt.Sprintf("%s: not comparable; %s.", f.Name(), f.why)
	case d.Verdict == stats.NotComparable:
		return fmt.Sprintf("%s: not comparable.", f.Name())
	case d.Verdict == stats.Worse || d.Verdict == stats.Better:
		return f.namedSentence(b)
	case d.Verdict == stats.Same:
		return f.sameSentence(b)
	}
	return f.unclearSentence()
}

func (f *finding) namedSentence(b string) string {
	d, e := f.decision, f.evidence
	if e.Bound != stats.Uncensored {
		return f.boundSentence(b)
	}
	if f.Scale == stats.Difference {
		return fmt.Sprintf("%s is %s with %s: %s (95 %% CI %+.2f to %+.2f), %d pairs.",
			f.Name(), d.Verdict, b, f.amount(e.Mean), f.change(d.CI.Lo), f.change(d.CI.Hi), e.N)
	}
	return fmt.Sprintf("%s is %s %% %s with %s: %s (95 %% CI %s to %s), %d pairs.",
		f.Name(), facts.Significant(math.Abs(f.change(e.Mean))), d.Verdict, b,
		f.amount(e.Mean), f.amount(d.CI.Lo), f.amount(d.CI.Hi), e.N)
}

// boundSentence says a difference of which only one end is known. Where failures, and not
// the timeout, lie at the quantile, there is no time to compute a ratio from.
func (f *finding) boundSentence(b string) string {
	inA, inB := f.censoredIn()
	where := fmt.Sprintf("beyond every measured time in %d of %d runs of B and %d of A", inB, f.evidence.N, inA)
	if f.failedRuns() {
		return fmt.Sprintf("%s is %s with %s: among failures or %s.", f.Name(), f.decision.Verdict, b, where)
	}
	return fmt.Sprintf("%s is %s with %s, by a factor of at least %s: %s.",
		f.Name(), f.decision.Verdict, b, facts.Significant(math.Exp(math.Abs(f.evidence.Mean))), where)
}

func (f *finding) failedRuns() bool {
	failed := func(m verdict.Measure) bool { return m.Quantile.Where == facts.AmongFailed }
	return slices.ContainsFunc(f.a, failed) || slices.ContainsFunc(f.b, failed)
}

func (f *finding) sameSentence(b string) string {
	s := fmt.Sprintf("%s: no meaningful difference; %s is %s (limit %s).",
		f.Name(), b, f.between(f.decision.Equivalence), f.limit())
	if f.decision.Measurable {
		s = strings.TrimSuffix(s, ".") + ": measurable, too small to matter."
	}
	return s
}

func (f *finding) unclearSentence() string {
	if f.evidence.N < stats.MinPairs {
		return fmt.Sprintf("%s: can't tell from %s; a verdict needs at least %d.", f.Name(), count(f.evidence.N, "pair"), stats.MinPairs)
	}
	if f.evidence.Bound != stats.Uncensored {
		inA, inB := f.censoredIn()
		return fmt.Sprintf("%s: can't tell after %s; beyond every measured time in %s of A and %d of B.", f.Name(), count(f.evidence.N, "pair"), count(inA, "run"), inB)
	}
	s := fmt.Sprintf("%s: can't tell after %s; %s.", f.Name(), count(f.evidence.N, "pair"), f.between(f.decision.CI))
	switch n := f.pairsNeeded(); {
	case f.decision.Coarse:
		s += fmt.Sprintf(" It is known to within %s %s only, so \"same\" cannot be said.", facts.Significant(f.Resolution), f.Unit)
	case n > 0:
		s += fmt.Sprintf(" About %s pairs would settle it.", pairsText(n))
	}
	return s
}

// pairsNeeded is the cheaper of the two forecasts that fits what was seen.
func (f *finding) pairsNeeded() int {
	d := f.decision
	if d.Verdict != stats.Unclear || f.evidence.N < stats.MinPairs || d.Coarse || f.evidence.Bound != stats.Uncensored {
		return 0
	}
	if math.Abs(f.evidence.Mean) >= d.NameAt {
		return max(d.Forecast.Different, f.evidence.N+1)
	}
	return max(d.Forecast.Same, f.evidence.N+1)
}

// manyPairs are more than anyone runs; the forecast's own error is larger than its digits.
const manyPairs = 1000

func pairsText(n int) string {
	if n > manyPairs {
		return fmt.Sprintf("more than %d", manyPairs)
	}
	return fmt.Sprint(n)
}

// between says an interval as "between 0.4 % faster and 0.7 % slower".
func (f *finding) between(i stats.Interval) string {
	return "between " + f.side(i.Lo) + " and " + f.side(i.Hi)
}

func (f *finding) side(x float64) string {
	lower, higher := f.direction()
	word := higher
	if x < 0 {
		word = lower
	}
	v := math.Abs(f.change(x))
	if f.Scale == stats.Difference {
		return fmt.Sprintf("%.2f points %s", v, word)
	}
	if v >= 100 {
		return fmt.Sprintf("%.0f %% %s", v, word)
	}
	return fmt.Sprintf("%.1f %% %s", v, word)
}

// limit is the rule-out margin that "same" excluded: in percent, or in the metric's
// unit where its absolute part was the larger one.
func (f *finding) limit() string {
	if f.Scale == stats.Difference {
		return fmt.Sprintf("%.6g points", 100*f.RuleOut.Abs)
	}
	if f.evidence.Base > 0 && f.RuleOut.Abs/f.evidence.Base > f.RuleOut.Rel {
		return fmt.Sprintf("%.6g %s, here %s %%", f.RuleOut.Abs, f.Unit, facts.Significant(f.change(f.decision.RuleOut)))
	}
	return fmt.Sprintf("%.6g %%", 100*f.RuleOut.Rel)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tally counts the primary verdicts: "tpc: worse on 1 of 5, same on 3, unclear on 1."
func tally(b string, fs []finding) string {
	n := map[stats.Verdict]int{}
	for i := range fs {
		n[verdictOf(&fs[i])]++
	}
	var parts []string
	for _, v := range []stats.Verdict{stats.Worse, stats.Better, stats.Same, stats.Unclear, stats.NotComparable} {
		if n[v] == 0 {
			continue
		}
		of := ""
		if len(parts) == 0 {
			of = fmt.Sprintf(" of %d", len(fs))
		}
		word := v.String() + " on"
		parts = append(parts, fmt.Sprintf("%s %d%s", word, n[v], of))
	}
	return fmt.Sprintf("%s: %s.", b, strings.Join(parts, ", "))
}

func verdictOf(f *finding) stats.Verdict {
	if f.why != "" {
		return stats.NotComparable
	}
	return f.decision.Verdict
}

// value prints one side of a metric over its runs.
func valueText(f *finding, ms []verdict.Measure) string {
	for _, m := range ms {
		if number(m.Value) == nil {
			return m.Text
		}
	}
	if len(ms) == 0 {
		return "-"
	}
	v := meanOf(f, ms)
	switch {
	case f.Scale == stats.Difference:
		return verdict.Percent(v)
	case f.Unit == "ms":
		return facts.MS(v * 1e6)
	}
	return facts.Significant(v)
}

// meanOf is the geometric mean of the runs' values, for rates the arithmetic one: the
// change of a metric is the ratio or the difference of the two sides' means.
func meanOf(f *finding, ms []verdict.Measure) float64 {
	values := make([]float64, len(ms))
	for i, m := range ms {
		values[i] = m.Value
		if f.Scale == stats.LogRatio {
			values[i] = math.Log(m.Value)
		}
	}
	mean, _ := verdict.MeanSD(values)
	if f.Scale == stats.LogRatio {
		return math.Exp(mean)
	}
	return mean
}
