package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/result"
)

// A mark is how a status is told: a glyph, a word, and the class of its colour. The colour
// repeats the other two and never stands alone.
type mark struct{ Glyph, Word, Class string }

func (m mark) String() string { return m.Glyph + " " + m.Word }

// markOf returns the mark of a status of a verdict, a metric, a check or a threshold.
func markOf(status string) mark {
	switch status {
	case result.Better:
		return mark{"✓", "better", "pass"}
	case result.Worse:
		return mark{"✗", "worse", "fail"}
	case result.Same:
		return mark{"~", "same", "same"}
	case result.Unclear:
		return mark{"?", "unclear", "unclear"}
	case result.NotComparable:
		return mark{"!", "not comparable", "warn"}
	case result.Pass:
		return mark{"✓", "pass", "pass"}
	case result.Fail:
		return mark{"✗", "FAIL", "fail"}
	case result.Interrupted:
		return mark{"!", "interrupted", "warn"}
	case "warn":
		return mark{"!", "warn", "warn"}
	case "nodata":
		return mark{"?", "no data", "unclear"}
	case "":
		return mark{"·", "not judged", "unclear"}
	}
	return mark{"·", status, "unclear"}
}

// reading is the mark of a metric: what is only shown says so.
func reading(m result.Metric) mark {
	if !m.Shown {
		return markOf("")
	}
	return markOf(m.Verdict)
}

// change writes the difference of B against A, relative where it is stated so and in the
// metric's own unit (points, for a percentage) otherwise.
func change(m result.Metric) string {
	switch {
	case m.ChangePct != nil:
		return withUnit(signed(*m.ChangePct), "%")
	case m.Change != nil:
		return withUnit(absolute(m.Unit, *m.Change), pointsFor(m.Unit))
	}
	return missing
}

// interval writes the 95 % interval in the same terms as change.
func interval(m result.Metric) string {
	if m.ChangePct != nil && len(m.CI95) == 2 {
		return "[" + signed(m.CI95[0]) + ", " + signed(m.CI95[1]) + "]"
	}
	if len(m.CI95Unit) == 2 {
		return "[" + absolute(m.Unit, m.CI95Unit[0]) + ", " + absolute(m.Unit, m.CI95Unit[1]) + "]"
	}
	return missing
}

// changeUnit writes the difference in the metric's unit with its interval.
func changeUnit(m result.Metric) string {
	if m.Change == nil {
		return missing
	}
	text := withUnit(absolute(m.Unit, *m.Change), pointsFor(m.Unit))
	if len(m.CI95Unit) == 2 {
		text += " [" + absolute(m.Unit, m.CI95Unit[0]) + ", " + absolute(m.Unit, m.CI95Unit[1]) + "]"
	}
	return text
}

// pointsFor names the unit of a difference: percentages differ by
// percentage points.
func pointsFor(unit string) string {
	if unit == "%" {
		return "pp"
	}
	return unit
}

// absolute writes a signed difference in a unit.
func absolute(unit string, v float64) string {
	if unit == "%" {
		return points(v)
	}
	return signedThree(v)
}

func withUnit(number, unit string) string {
	if number == missing || unit == "" {
		return number
	}
	return number + " " + unit
}

// printed is a value as printed, with its unit unless the text already says it all.
func printed(v result.Value, unit string) string {
	text := v.Text
	if text == "" {
		text = missing
	}
	if v.Mean == nil {
		return text
	}
	return withUnit(text, unit)
}

// spread is the run-to-run variation beside a value.
func spread(v result.Value) string {
	if v.Mean == nil || v.CVPct == nil {
		return ""
	}
	return "± " + decimals(*v.CVPct, 1) + " %"
}

// primariesFirst returns the metrics in the order of the document, those that decide first.
func primariesFirst(metrics []result.Metric) []result.Metric {
	var out []result.Metric
	for _, primary := range []bool{true, false} {
		for _, m := range metrics {
			if m.Primary == primary {
				out = append(out, m)
			}
		}
	}
	return out
}

// armTitle names an arm as "A community"; the single arm of a run has only its variant.
func armTitle(a result.Arm) string {
	if a.Variant == "" || a.Variant == a.Label {
		return a.Label
	}
	return a.Label + " " + a.Variant
}

// letter is the CSS class for an arm's label: the candidate is b, the burn-in belongs to no
// arm, and the rest (the baseline, the only arm of a run) is a.
func letter(label string) string {
	switch label {
	case "B":
		return "b"
	case "burn-in":
		return "ink"
	}
	return "a"
}

// details are the sentences under the verdict, without those that only say a row of the table of
// thresholds again.
func details(r *result.Result) []string {
	var out []string
	for _, d := range r.Verdict.Detail {
		said := slices.ContainsFunc(r.Thresholds, func(t result.Threshold) bool { return strings.HasPrefix(d, t.Text+":") })
		if !said {
			out = append(out, d)
		}
	}
	return out
}

// reasons says why metrics are not judged or have no number, those of one reason together.
func reasons(metrics []result.Metric) []string {
	var order []string
	names := map[string][]string{}
	for _, m := range metrics {
		why := strings.TrimSuffix(m.Why, ".")
		if why == "" {
			continue
		}
		if names[why] == nil {
			order = append(order, why)
		}
		names[why] = append(names[why], m.Name)
	}
	var out []string
	for _, why := range order {
		about := strings.Join(names[why], ", ")
		if len(metrics) > 1 && len(names[why]) == len(metrics) {
			about = "all metrics"
		}
		out = append(out, about+": "+why)
	}
	return out
}

// armPrefix names an arm before a fact about it; the only arm of a run needs no name.
func armPrefix(r *result.Result, a result.Arm) string {
	if len(r.Arms) < 2 {
		return ""
	}
	return a.Label + " "
}

// delivered says how much of the schedule each arm's generator sent.
func delivered(r *result.Result) string {
	var out []string
	for _, a := range r.Arms {
		text := armPrefix(r, a) + "nothing scheduled"
		if a.Generator.Scheduled > 0 {
			text = fmt.Sprintf("%s%s %% of %s arrivals sent", armPrefix(r, a), share(a.Generator.SentPct), count(a.Generator.Scheduled))
		}
		if a.Generator.Unsent > 0 {
			text += fmt.Sprintf(", %s unsent", count(a.Generator.Unsent))
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// failures says what failed in each arm, by class.
func failures(r *result.Result) string {
	var out []string
	measured := false
	for _, a := range r.Arms {
		for _, o := range a.Operations {
			measured = measured || o.Scheduled > 0
		}
		if text := armFailures(a); text != "" {
			out = append(out, armPrefix(r, a)+text)
		}
	}
	switch {
	case !measured:
		return "- (nothing was measured)"
	case len(out) > 0:
		return strings.Join(out, "; ")
	case len(r.Arms) > 1:
		return "none in either arm"
	}
	return "none"
}

func armFailures(a result.Arm) string {
	var functional, system, timeout, client, unsent, scheduled int64
	for _, o := range a.Operations {
		functional += o.Functional
		system += o.System
		timeout += o.Timeout
		client += o.Client
		unsent += o.Unsent
		scheduled += o.Scheduled
	}
	var parts []string
	for _, c := range []struct {
		n    int64
		name string
	}{{functional, "functional"}, {system, "system"}, {timeout, "timed out"}, {client, "client"}, {unsent, "unsent"}} {
		if c.n > 0 {
			parts = append(parts, count(c.n)+" "+c.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " of " + count(scheduled)
}

// verified says how many of the settings asked for were observed.
func verified(r *result.Result) string {
	if len(r.Treatment) == 0 {
		return ""
	}
	ok, confounds := 0, 0
	for _, t := range r.Treatment {
		if t.OK {
			ok++
		}
		if t.Confound {
			confounds++
		}
	}
	text := fmt.Sprintf("%d of %d settings", ok, len(r.Treatment))
	if confounds > 0 {
		text += fmt.Sprintf("; not asked and different: %d", confounds)
	}
	return text
}
