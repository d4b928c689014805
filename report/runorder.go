package report

import (
	"fmt"
	"slices"

	"github.com/perfctl/perfctl/report/chart"
	"github.com/perfctl/perfctl/result"
)

// runFigures draws the value of each trial in run order, one figure a deciding metric.
func runFigures(r *result.Result) []figure {
	if len(r.Trials) < 2 {
		return nil
	}
	var out []figure
	for _, m := range trialMetrics(r) {
		if f, ok := runFigure(r, m); ok {
			out = append(out, f)
		}
	}
	return out
}

func runFigure(r *result.Result, m result.Metric) (figure, bool) {
	var ys []float64
	marks := map[string][]chart.Mark{}
	last := 0
	for _, t := range r.Trials {
		v, ok := t.Values[m.Name]
		if !ok {
			continue
		}
		ys = append(ys, v)
		last = max(last, t.Slot)
		title := fmt.Sprintf("slot %d, %s: %s", t.Slot, t.Label, withUnit(three(v), m.Unit))
		if !t.Valid {
			title += ", does not count: " + t.Why
		}
		marks[letter(t.Label)] = append(marks[letter(t.Label)], chart.Mark{Point: chart.Point{X: float64(t.Slot), Y: v}, Title: title, Hollow: !t.Valid})
	}
	axis := ys
	for _, mean := range []*float64{m.A.Mean, m.B.Mean} {
		if mean != nil {
			axis = append(axis, *mean)
		}
	}
	y, ok := chart.Close(axis...)
	if !ok || len(ys) < 2 {
		return figure{}, false
	}
	f := figure{Title: m.Name + ": every trial in run order", Sub: "Slot in the order they ran; ● A, ▲ B, hollow: does not count. The numbers are in the table of trials."}
	p := chart.New(f.Title, fmt.Sprintf("%d trials between %s and %s.", len(ys), withUnit(three(slices.Min(ys)), m.Unit), withUnit(three(slices.Max(ys)), m.Unit)),
		chart.Axis{Scale: chart.Linear{Min: -0.5, Max: float64(last) + 0.5}, Label: "slot", Ticks: slots(last)}, chart.Axis{Scale: y, Label: m.Unit})
	for _, side := range []struct {
		class, sign string
		value       result.Value
	}{{"a", "A", m.A}, {"b", "B", m.B}} {
		if side.value.Mean != nil {
			p.Line(side.class+" thin", side.sign, []chart.Point{{X: -0.5, Y: *side.value.Mean}, {X: float64(last) + 0.5, Y: *side.value.Mean}})
		}
	}
	p.Marks("a", chart.Circle, marks["a"])
	p.Marks("b", chart.Triangle, marks["b"])
	p.Marks("ink", chart.Circle, marks["ink"])
	f.SVG = p.SVG()
	return f, true
}

func slots(last int) []chart.Tick {
	every := 1 + last/13
	var out []chart.Tick
	for i := 0; i <= last; i += every {
		out = append(out, chart.Tick{Value: float64(i), Label: fmt.Sprint(i)})
	}
	return out
}
