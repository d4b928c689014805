package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/perfctl/perfctl/report/chart"
	"github.com/perfctl/perfctl/result"
)

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
	beyond := len(ms) > 0 && threshold > farLimit*slices.Max(ms)
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

// tablePoints is about how many points of a curve its table lists; the document has all.
const tablePoints = 20

func spectrumTable(curves []result.Spectrum) table {
	t := table{Columns: []column{{Name: "arm"}, {Name: "percentile", Number: true}, {Name: "ms", Number: true}, {Name: "95 % interval", Number: true}}}
	for _, c := range curves {
		of := table{Columns: t.Columns}
		for _, p := range c.Points {
			between := missing
			if p.Lo != nil && p.Hi != nil {
				between = "[" + three(*p.Lo) + ", " + three(*p.Hi) + "]"
			}
			of.Rows = append(of.Rows, row{Cells: texts(c.Label, percentile(p.Q), three(p.MS), between)})
		}
		of = of.everyNth(len(of.Rows) / tablePoints)
		t.Rows, t.Caption = append(t.Rows, of.Rows...), of.Caption
	}
	return t
}
