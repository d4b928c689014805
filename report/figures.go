package report

import (
	"html/template"

	"github.com/perfctl/perfctl/report/chart"
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
