package report

import (
	"fmt"
	"html/template"
	"math"

	"github.com/perfctl/perfctl/report/chart"
	"github.com/perfctl/perfctl/result"
)

// A figure is a drawing with its finding in words above and its numbers below.
type figure struct {
	Title string
	Sub   string // axes and units
	SVG   template.HTML
	Data  table
}

// shapeOf is the marker of an arm, so that it is told without colour.
func shapeOf(label string) string {
	if label == "B" {
		return chart.Triangle
	}
	return chart.Circle
}

// spectraFigures draws the percentile curve of each operation, and where both arms have one
// their difference by percentile.
func spectraFigures(r *result.Result) []figure {
	var out []figure
	done := map[string]bool{}
	for _, s := range r.Spectra {
		if done[s.Operation] {
			continue
		}
		done[s.Operation] = true
		var curves []result.Spectrum
		for _, c := range r.Spectra {
			if c.Operation == s.Operation && len(c.Points) >= 2 {
				curves = append(curves, c)
			}
		}
		if f, ok := spectrumFigure(s.Operation, curves); ok {
			out = append(out, f)
		}
		if f, ok := shiftFigure(s.Operation, curves); ok {
			out = append(out, f)
		}
	}
	return out
}

func spectrumFigure(operation string, curves []result.Spectrum) (figure, bool) {
	var ms []float64
	low, high := 1.0, 0.0
	banded := false
	for _, c := range curves {
		for _, p := range c.Points {
			if p.Q < 0 || p.Q >= 1 {
				continue
			}
			ms = append(ms, p.MS)
			if p.Lo != nil && p.Hi != nil {
				ms = append(ms, *p.Lo, *p.Hi)
			}
			low, high = min(low, p.Q), max(high, p.Q)
			banded = banded || p.Lo != nil
		}
		if c.Timeout > 0 && c.Timeout < 1 {
			high = max(high, 1-c.Timeout)
		}
	}
	threshold := thresholdOf(curves)
	beyond := len(ms) > 0 && threshold > farLimit*most(ms)
	if threshold > 0 && !beyond {
		ms = append(ms, threshold)
	}
	y, ok := chart.LogAround(ms...)
	if !ok || low >= high || high >= 1 {
		return figure{}, false
	}
	f := figure{Title: operation + ": response time by percentile",
		Sub: "Percentile on a log-of-nines axis, response time in ms on a log axis.", Data: spectrumTable(curves)}
	if banded {
		f.Sub += " Bands are 95 % intervals from run to run."
	}
	if beyond {
		f.Sub += " The threshold of " + limit(threshold) + " lies far above the plot."
	}
	p := chart.New(f.Title, curveWords(curves), chart.Axis{Scale: chart.Nines{Min: low, Max: high}, Label: "percentile (log of nines)"},
		chart.Axis{Scale: y, Label: "ms (log)"})
	for _, c := range curves {
		drawCurve(p, c, armSign(c.Label, len(curves)))
	}
	if threshold > 0 && !beyond {
		p.Limit(threshold, "threshold "+limit(threshold))
	}
	for _, c := range curves {
		if c.Timeout > 0 {
			p.Edge(1-c.Timeout, fmt.Sprintf("%s: %s %% have no value", c.Label, share(100*c.Timeout)))
			break
		}
	}
	f.SVG = p.SVG()
	return f, true
}

// farLimit is how far above the curves a threshold may lie and still be drawn; farther, it would
// press them flat.
const farLimit = 4

// thresholdOf is the first threshold that a curve has, and 0 when none has one.
func thresholdOf(curves []result.Spectrum) float64 {
	for _, c := range curves {
		if c.LimitMS != nil {
			return *c.LimitMS
		}
	}
	return 0
}

func drawCurve(p *chart.Plot, c result.Spectrum, sign string) {
	var line, low, high []chart.Point
	for _, pt := range c.Points {
		if pt.MS <= 0 {
			continue
		}
		line = append(line, chart.Point{X: pt.Q, Y: pt.MS})
		if pt.Lo != nil && pt.Hi != nil && *pt.Lo > 0 {
			low = append(low, chart.Point{X: pt.Q, Y: *pt.Lo})
			high = append(high, chart.Point{X: pt.Q, Y: *pt.Hi})
		}
	}
	p.Band(letter(c.Label), low, high)
	p.Line(letter(c.Label), sign, line)
	var marks []chart.Mark
	for _, i := range named(c.Points) {
		pt := c.Points[i]
		marks = append(marks, chart.Mark{Point: chart.Point{X: pt.Q, Y: pt.MS}, Title: fmt.Sprintf("%s %s: %s", c.Label, percentile(pt.Q), millis(pt.MS))})
	}
	p.Marks(letter(c.Label), shapeOf(c.Label), marks)
}

// armSign is the direct label of a line: a letter; one line among no others needs none.
func armSign(label string, lines int) string {
	if lines > 1 && len(label) == 1 {
		return label
	}
	return ""
}

// named picks the points nearest to the percentiles that people name, those that are near.
func named(points []result.SpectrumPoint) []int {
	var out []int
	for _, q := range []float64{0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999} {
		best, near := -1, 0.06
		for i, p := range points {
			if d := math.Abs(math.Log10((1 - p.Q) / (1 - q))); d < near {
				best, near = i, d
			}
		}
		if best >= 0 && (len(out) == 0 || out[len(out)-1] != best) {
			out = append(out, best)
		}
	}
	return out
}

func curveWords(curves []result.Spectrum) string {
	words := ""
	for _, c := range curves {
		words += c.Label + ":"
		for _, i := range named(c.Points) {
			words += fmt.Sprintf(" %s %s,", percentile(c.Points[i].Q), millis(c.Points[i].MS))
		}
		words = words[:len(words)-1] + ". "
	}
	return words
}

// spectrumTable lists about twenty points of each curve; the document has all.
func spectrumTable(curves []result.Spectrum) table {
	t := table{Columns: []column{{Name: "arm"}, {Name: "percentile", Number: true}, {Name: "ms", Number: true}, {Name: "95 % interval", Number: true}}}
	most := 0
	for _, c := range curves {
		every := max(1, len(c.Points)/20)
		for i := 0; i < len(c.Points); i += every {
			p := c.Points[i]
			between := missing
			if p.Lo != nil && p.Hi != nil {
				between = "[" + three(*p.Lo) + ", " + three(*p.Hi) + "]"
			}
			t.Rows = append(t.Rows, row{Cells: texts(c.Label, percentile(p.Q), three(p.MS), between)})
		}
		most = max(most, every)
	}
	if most > 1 {
		t.Caption = fmt.Sprintf("Every %d-th point of the curve; result.json has all of them.", most)
	}
	return t
}

// shiftFigure draws B - A at the percentiles that both curves have.
func shiftFigure(operation string, curves []result.Spectrum) (figure, bool) {
	if len(curves) != 2 || curves[0].Label != "A" || curves[1].Label != "B" {
		return figure{}, false
	}
	ofB := map[float64]float64{}
	for _, p := range curves[1].Points {
		ofB[p.Q] = p.MS
	}
	var line []chart.Point
	var diffs []float64
	t := table{Columns: []column{{Name: "percentile", Number: true}, {Name: "A ms", Number: true}, {Name: "B ms", Number: true}, {Name: "B - A ms", Number: true}}}
	for _, p := range curves[0].Points {
		b, ok := ofB[p.Q]
		if !ok || p.Q < 0.0499 || p.Q > 0.9901 {
			continue
		}
		line = append(line, chart.Point{X: 100 * p.Q, Y: b - p.MS})
		diffs = append(diffs, b-p.MS)
		t.Rows = append(t.Rows, row{Cells: texts(percentile(p.Q), three(p.MS), three(b), signedThree(b-p.MS))})
	}
	if len(line) < 3 {
		return figure{}, false
	}
	f := figure{Title: operation + ": B minus A by percentile", Data: t,
		Sub: "Percentile 5 to 99, difference in ms; below zero B is faster. No interval is drawn: see the bands of the curves."}
	p := chart.New(f.Title, fmt.Sprintf("The difference goes from %s ms at %s to %s ms at %s.", signedThree(diffs[0]), percentile(line[0].X/100),
		signedThree(diffs[len(diffs)-1]), percentile(line[len(line)-1].X/100)),
		chart.Axis{Scale: chart.Linear{Min: 0, Max: 100}, Label: "percentile", Ticks: []chart.Tick{{Value: 5, Label: "p5"}, {Value: 25, Label: "p25"}, {Value: 50, Label: "p50"}, {Value: 75, Label: "p75"}, {Value: 90, Label: "p90"}, {Value: 99, Label: "p99"}}},
		chart.Axis{Scale: chart.Around(0, diffs...), Label: "ms, B − A"})
	p.Limit(0, "")
	p.Line("ink", "", line)
	f.SVG = p.SVG()
	return f, true
}

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
	p := chart.New(f.Title, fmt.Sprintf("%d trials between %s and %s.", len(ys), withUnit(three(least(ys)), m.Unit), withUnit(three(most(ys)), m.Unit)),
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

func least(values []float64) float64 {
	out := values[0]
	for _, v := range values {
		out = min(out, v)
	}
	return out
}

func most(values []float64) float64 {
	out := values[0]
	for _, v := range values {
		out = max(out, v)
	}
	return out
}
