package report

import (
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
	if number == missing || unit == "" || strings.HasSuffix(number, " "+unit) {
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
