package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/perfctl/perfctl/report/chart"
	"github.com/perfctl/perfctl/result"
)

// mostSteps is how many steps of a timeline are drawn; longer ones are joined.
const mostSteps = 180

// timelineFigures draws what was asked and achieved over the window, and the p95 of the first
// operation.
func timelineFigures(r *result.Result) []figure {
	var lines []result.Timeline
	for _, t := range r.Timelines {
		if len(t.Scheduled) >= 2 && t.StepS >= 1e-3 && t.StepS <= 1e6 {
			lines = append(lines, joined(t))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	out := []figure{rateFigure(lines)}
	if f, ok := tailFigure(lines); ok {
		out = append(out, f)
	}
	return out
}

// joined puts neighbouring steps together until at most mostSteps are left: rates are averaged;
// of the p95 the highest stays, because percentiles do not average.
func joined(t result.Timeline) result.Timeline {
	n := len(t.Scheduled)
	by := (n + mostSteps - 1) / mostSteps
	if by <= 1 {
		return t
	}
	out := result.Timeline{Label: t.Label, StepS: t.StepS * float64(by), Operation: t.Operation}
	for from := 0; from < n; from += by {
		out.Scheduled = append(out.Scheduled, meanOf(t.Scheduled, from, by))
		out.Achieved = append(out.Achieved, meanOf(t.Achieved, from, by))
		out.Failed = append(out.Failed, meanOf(t.Failed, from, by))
		var top *float64
		for i := from; i < min(from+by, len(t.P95MS)); i++ {
			if v := t.P95MS[i]; v != nil && (top == nil || *v > *top) {
				top = v
			}
		}
		out.P95MS = append(out.P95MS, top)
	}
	return out
}

func meanOf(values []float64, from, by int) float64 {
	to := min(from+by, len(values))
	if from >= to {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values[from:to] {
		sum += v
	}
	return sum / float64(to-from)
}

func rateFigure(lines []result.Timeline) figure {
	f := figure{Title: "Scheduled and achieved over the window", Sub: "Seconds into the measured window, arrivals per second; thin and grey: scheduled, dotted: failed. Averaged over the valid trials."}
	var all []float64
	end := 0.0
	words := ""
	t := table{Columns: []column{{Name: "arm"}, {Name: "at s", Number: true}, {Name: "scheduled /s", Number: true}, {Name: "achieved /s", Number: true}, {Name: "failed /s", Number: true}, {Name: "p95 ms", Number: true}}}
	for _, l := range lines {
		all = append(append(append(all, l.Scheduled...), l.Achieved...), l.Failed...)
		end = max(end, float64(len(l.Scheduled))*l.StepS)
		words += fmt.Sprintf("%s achieved %s/s of %s/s scheduled. ", l.Label, three(meanOf(l.Achieved, 0, len(l.Achieved))), three(meanOf(l.Scheduled, 0, len(l.Scheduled))))
		for i := range l.Scheduled {
			t.Rows = append(t.Rows, row{Cells: texts(l.Label, seconds(float64(i)*l.StepS), three(l.Scheduled[i]), at(l.Achieved, i), at(l.Failed, i), tailAt(l, i))})
		}
	}
	x := chart.Linear{Min: 0, Max: end}
	p := chart.New(f.Title, words, chart.Axis{Scale: x, Label: "into the measured window", Ticks: chart.Clock(x, 8)}, chart.Axis{Scale: chart.Around(0, all...), Label: "/s"})
	for _, l := range lines {
		p.Line(letter(l.Label)+" ink thin", "", series(l.Scheduled, l.StepS))
	}
	for _, l := range lines {
		p.Line(letter(l.Label), armSign(l.Label, len(lines)), series(l.Achieved, l.StepS))
		pointAt(p, l, series(l.Achieved, l.StepS), func(v float64) string { return three(v) + "/s" })
		if slices.ContainsFunc(l.Failed, func(v float64) bool { return v > 0 }) {
			p.Line(letter(l.Label)+" failed", "", series(l.Failed, l.StepS))
		}
	}
	f.SVG, f.Data = p.SVG(), t
	return f
}

func at(values []float64, i int) string {
	if i >= len(values) {
		return missing
	}
	return three(values[i])
}

func tailAt(l result.Timeline, i int) string {
	if i >= len(l.P95MS) {
		return missing
	}
	return optional(l.P95MS[i], three)
}

// mostMarks is how many steps of a line get a mark each; more of them would only hide the line.
const mostMarks = 60

// pointAt marks each step of a line, with its value for a reader who points at it.
func pointAt(p *chart.Plot, l result.Timeline, points []chart.Point, write func(float64) string) {
	if len(points) > mostMarks {
		return
	}
	marks := make([]chart.Mark, len(points))
	for i, pt := range points {
		marks[i] = chart.Mark{Point: pt, Title: fmt.Sprintf("%s at %s s: %s", l.Label, seconds(float64(i)*l.StepS), write(pt.Y))}
	}
	p.Marks(letter(l.Label)+" small", shapeOf(l.Label), marks)
}

// series places each step at its middle.
func series(values []float64, step float64) []chart.Point {
	out := make([]chart.Point, len(values))
	for i, v := range values {
		out[i] = chart.Point{X: (float64(i) + 0.5) * step, Y: v}
	}
	return out
}

func tailFigure(lines []result.Timeline) (figure, bool) {
	var all []float64
	end := 0.0
	for _, l := range lines {
		end = max(end, float64(len(l.Scheduled))*l.StepS)
		for _, v := range l.P95MS {
			if v != nil {
				all = append(all, *v)
			}
		}
	}
	if len(all) < 2 {
		return figure{}, false
	}
	f := figure{Title: lines[0].Operation + ": p95 over the window", Sub: "Seconds into the measured window, p95 of each step in ms; a gap has fewer than 20 samples. The numbers are in the table of the figure before."}
	x := chart.Linear{Min: 0, Max: end}
	p := chart.New(f.Title, fmt.Sprintf("p95 of the steps lies between %s and %s.", millis(slices.Min(all)), millis(slices.Max(all))),
		chart.Axis{Scale: x, Label: "into the measured window", Ticks: chart.Clock(x, 8)}, chart.Axis{Scale: chart.Around(0, all...), Label: "ms"})
	for _, l := range lines {
		values := make([]float64, len(l.P95MS))
		for i, v := range l.P95MS {
			values[i] = math.NaN()
			if v != nil {
				values[i] = *v
			}
		}
		p.Line(letter(l.Label), armSign(l.Label, len(lines)), series(values, l.StepS))
		pointAt(p, l, series(values, l.StepS), millis)
	}
	f.SVG = p.SVG()
	return f, true
}
