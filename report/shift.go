package report

import (
	"fmt"

	"github.com/perfctl/perfctl/report/chart"
	"github.com/perfctl/perfctl/result"
)

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
	t = t.everyNth(len(t.Rows) / tablePoints)
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
