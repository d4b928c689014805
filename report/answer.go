package report

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/report/chart"
	"github.com/perfctl/perfctl/result"
)

// The tables that answer the question: was B really different, what changed, and were the
// thresholds kept.

func treatmentTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "where"}, {Name: "setting"}, {Name: "A asked"}, {Name: "A observed"},
		{Name: "B asked"}, {Name: "B observed"}, {Name: "status"}}}
	for _, s := range r.Treatment {
		m := mark{"✓", "observed", "pass"}
		switch {
		case s.Confound:
			m = mark{"!", "differs, not asked", "warn"}
		case !s.OK:
			m = mark{"✗", "NOT OBSERVED", "fail"}
		}
		t.Rows = append(t.Rows, row{Cells: append(
			texts(s.Where, s.Setting, s.AAsked, s.AObserved, s.BAsked, s.BObserved), status(m))})
	}
	return t
}

func changesTable(r *result.Result) table {
	half := axisHalf(r.Metrics)
	t := table{Columns: []column{{Name: "metric"}, {Name: "A", Number: true}, {Name: "B", Number: true},
		{Name: "B vs A", Number: true}, {Name: "95 % interval", Number: true},
		{Name: "interval plot", Detail: true, Drawn: chart.IntervalAxis(half)}, {Name: "reading"}, {Name: "runs A, B"},
		{Name: "difference", Number: true, Detail: true}, {Name: "p adjusted", Number: true, Detail: true}, {Name: "pairs", Number: true},
		{Name: "named at / ruled out", Number: true, Detail: true}, {Name: "would show", Number: true, Detail: true},
		{Name: "pairs needed", Number: true, Detail: true}, {Name: "arrivals A, B", Number: true, Detail: true}}}
	for _, m := range primariesFirst(r.Metrics) {
		name := cell{Text: m.Name, Note: "descriptive"}
		if m.Primary {
			name.Note = "decides"
		}
		a, b := text(printed(m.A, m.Unit)), text(printed(m.B, m.Unit))
		a.Note, b.Note = spread(m.A), spread(m.B)
		read := status(reading(m))
		read.Note = m.Why
		t.Rows = append(t.Rows, row{Cells: []cell{name, a, b, text(change(m)), text(interval(m)),
			{Text: missing, Drawn: intervalPlot(m, half), Class: "mid"}, read, {Text: sparklines(m), Class: "quiet"}, text(changeUnit(m)),
			text(optional(m.PHolm, probability)), text(count(int64(m.Pairs))), text(margins(m)),
			text(optional(m.Detectable, func(v float64) string { return "± " + share(v) + " %" })),
			text(forecast(m)), text(count(m.A.N) + ", " + count(m.B.N))}})
	}
	return t
}

// margins writes from which difference on a change is named, and which one can be ruled out.
func margins(m result.Metric) string {
	if m.NameAt == 0 && m.RuleOut == 0 {
		return missing
	}
	return share(m.NameAt) + " % / " + share(m.RuleOut) + " %"
}

// forecast is how many pairs would settle a metric that is unclear.
func forecast(m result.Metric) string {
	if m.PairsNeed <= 0 {
		return missing
	}
	return "about " + count(int64(m.PairsNeed))
}

// sparklines draws the trials' values of both sides on one scale, in block characters.
func sparklines(m result.Metric) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range append(append([]*float64{}, m.A.Runs...), m.B.Runs...) {
		if v != nil && chart.Drawable(*v) {
			low, high = min(low, *v), max(high, *v)
		}
	}
	if low > high {
		return missing
	}
	return sparkline(m.A.Runs, low, high) + " " + sparkline(m.B.Runs, low, high)
}

// sparkline has one block a value between low and high, and a dot where there is none.
func sparkline(values []*float64, low, high float64) string {
	const blocks = "▁▂▃▄▅▆▇█"
	var out []rune
	for _, v := range values {
		switch {
		case v == nil || !chart.Drawable(*v):
			out = append(out, '·')
		case high == low:
			out = append(out, '▄')
		default:
			out = append(out, []rune(blocks)[int(7.999*(*v-low)/(high-low))])
		}
	}
	return string(out)
}

// noMetric stands where the table of changes would.
const noMetric = "No metric has a number on either side."

// measured reports whether any metric has a number, or a bound such as "> 10 s".
func measured(metrics []result.Metric) bool {
	return slices.ContainsFunc(metrics, func(m result.Metric) bool {
		return m.A.Mean != nil || m.B.Mean != nil || orMissing(m.A.Text) != missing || orMissing(m.B.Text) != missing
	})
}

// sentences are the metrics in words.
func sentences(r *result.Result) []string {
	var out []string
	for _, m := range primariesFirst(r.Metrics) {
		if m.Sentence != "" {
			out = append(out, m.Sentence)
		}
	}
	return out
}

// probability never prints a p below what it can be told apart from 0.
func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return decimals(p, 3)
}

// axisHalf is half the width of the axis that all rows share: 30 %, or wider where the
// deciding intervals ask for it, up to 100 %. What is beyond ends in an arrow; the column
// beside it has the number.
func axisHalf(metrics []result.Metric) float64 {
	widest := 0.0
	for _, m := range metrics {
		if m.ChangePct == nil || !m.Primary {
			continue
		}
		for _, v := range append([]float64{*m.ChangePct}, m.CI95...) {
			widest = max(widest, math.Abs(v))
		}
	}
	for _, half := range []float64{30, 50} {
		if widest <= half {
			return half
		}
	}
	return 100
}

func intervalPlot(m result.Metric, half float64) template.HTML {
	if m.ChangePct == nil {
		return ""
	}
	v := chart.Interval{Half: half, Mid: *m.ChangePct, Low: math.NaN(), High: math.NaN(),
		NameAt: m.NameAt, RuleOut: m.RuleOut, Class: reading(m).Class,
		Title: m.Name + ": " + change(m) + " " + interval(m) + ", " + reading(m).Word}
	if len(m.CI95) == 2 {
		v.Low, v.High = m.CI95[0], m.CI95[1]
	}
	return v.SVG()
}

func thresholdsTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "threshold"}, {Name: "status"}, {Name: "arm"},
		{Name: "value", Number: true}, {Name: "n", Number: true}}}
	for _, th := range byText(r.Thresholds) {
		t.Rows = append(t.Rows, row{Cells: []cell{text(th.Text), status(markOf(th.Status)),
			{Text: orMissing(th.Label), Class: "arm-" + letter(th.Label)}, text(th.Value), text(count(th.N))}})
	}
	return t
}

// byText puts the arms of one threshold next to each other.
func byText(thresholds []result.Threshold) []result.Threshold {
	place := map[string]int{}
	for _, t := range thresholds {
		if _, ok := place[t.Text]; !ok {
			place[t.Text] = len(place)
		}
	}
	out := slices.Clone(thresholds)
	slices.SortStableFunc(out, func(a, b result.Threshold) int { return place[a.Text] - place[b.Text] })
	return out
}

func warningsTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "code"}, {Name: "about", Detail: true}, {Name: "what was seen"},
		{Name: "what it does to the result"}, {Name: "what to do"}}}
	for _, n := range notices(r) {
		code := cell{Text: n.Code, Class: "code " + levelClass(n.Level), Note: n.Level}
		t.Rows = append(t.Rows, row{Cells: []cell{code, text(strings.Join(n.about, "; ")), text(n.Seen), text(n.Effect), text(n.Action)}})
	}
	return t
}

// A notice is a warning with everything that it is about.
type notice struct {
	result.Warning
	about []string
}

// notices are the warnings, the gravest first; those that say the same of several metrics or
// trials are one.
func notices(r *result.Result) []notice {
	var out []notice
	for _, level := range []string{"stop", "limit", "note"} {
		for _, w := range r.Warnings {
			if w.Level != level {
				continue
			}
			same := slices.IndexFunc(out, func(n notice) bool {
				return n.Code == w.Code && n.Level == w.Level && n.Seen == w.Seen && n.Effect == w.Effect && n.Action == w.Action
			})
			if same < 0 {
				out = append(out, notice{Warning: w})
				same = len(out) - 1
			}
			if a := about(w); a != "" {
				out[same].about = append(out[same].about, a)
			}
		}
	}
	return out
}

func levelClass(level string) string {
	switch level {
	case "stop":
		return "fail"
	case "limit":
		return "warn"
	}
	return "unclear"
}

// about says which part of the document a warning speaks of.
func about(w result.Warning) string {
	out := ""
	for _, part := range []string{w.Metric, w.Variant, w.Trial} {
		if part == "" {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += part
	}
	return out
}
