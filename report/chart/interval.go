package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// Size of one row of an interval plot.
const (
	rowWidth  = 220.0
	rowHeight = 26.0
	rowEdge   = 10.0
)

// An Interval is one row of a forest plot: an estimate with its interval on a linear axis
// from -Half to +Half percent, over the zones of differences that are too small to name
// and that can be ruled out.
type Interval struct {
	Half            float64
	Low, Mid, High  float64
	NameAt, RuleOut float64
	Class           string
	Title           string
}

// SVG returns the row. What does not fit on the axis ends in an arrow at its edge.
func (v Interval) SVG() template.HTML {
	var b strings.Builder
	open(&b, v.Title, rowHeight)
	if !Drawable(v.Half) || v.Half <= 0 {
		b.WriteString("</svg>")
		return template.HTML(b.String())
	}
	zone(&b, "zone-out", v.at(-v.RuleOut), v.at(v.RuleOut))
	zone(&b, "zone-name", v.at(-v.NameAt), v.at(v.NameAt))
	fmt.Fprintf(&b, `<path class="g" d="M%s 0V%s"/>`, num(v.at(0)), num(rowHeight))
	mid := rowHeight / 2
	if Drawable(v.Low) && Drawable(v.High) {
		v.whisker(&b, mid)
	}
	if x := v.at(v.Mid); Drawable(v.Mid) && math.Abs(v.Mid) <= v.Half {
		fmt.Fprintf(&b, `<path class="iv-mid %s" d="M%s %sl4.5 4.5l-4.5 4.5l-4.5-4.5Z"/>`, v.Class, num(x), num(mid-4.5))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (v Interval) whisker(b *strings.Builder, mid float64) {
	lo, hi := v.at(v.Low), v.at(v.High)
	fmt.Fprintf(b, `<path class="iv %s" d="M%s %sH%s"/>`, v.Class, num(lo), num(mid), num(hi))
	for _, end := range []struct {
		x      float64
		off    bool
		toward float64
	}{{lo, v.Low < -v.Half, -1}, {hi, v.High > v.Half, 1}} {
		if end.off {
			fmt.Fprintf(b, `<path class="iv-mid %s" d="M%s %sl%s -4v8Z"/>`, v.Class, num(end.x+6*end.toward), num(mid), num(-6*end.toward))
			continue
		}
		fmt.Fprintf(b, `<path class="iv %s" d="M%s %sv8"/>`, v.Class, num(end.x), num(mid-4))
	}
}

// at returns the x coordinate, kept inside the axis.
func (v Interval) at(percent float64) float64 {
	pos := Linear{-v.Half, v.Half}.Pos(percent)
	return rowEdge + min(max(pos, 0), 1)*(rowWidth-2*rowEdge)
}

// IntervalAxis returns the axis that stands above the rows.
func IntervalAxis(half float64) template.HTML {
	var b strings.Builder
	open(&b, "", 18)
	v := Interval{Half: half}
	for _, t := range []Tick{{-half, decimal(-half, 1) + " %"}, {-half / 2, ""}, {0, "0"}, {half / 2, ""}, {half, "+" + decimal(half, 1) + " %"}} {
		x := v.at(t.Value)
		fmt.Fprintf(&b, `<path class="g" d="M%s 14v4"/>`, num(x))
		class, at := "t m", x
		switch t.Value {
		case -half:
			class, at = "t", 1
		case half:
			class, at = "t e", rowWidth-1
		}
		if t.Label != "" {
			fmt.Fprintf(&b, `<text class="%s" x="%s" y="11">%s</text>`, class, num(at), html.EscapeString(t.Label))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func open(b *strings.Builder, title string, h float64) {
	fmt.Fprintf(b, `<svg class="row" viewBox="0 0 %s %s" width="%s" height="%s"`, num(rowWidth), num(h), num(rowWidth), num(h))
	if title == "" {
		b.WriteString(` aria-hidden="true">`)
		return
	}
	fmt.Fprintf(b, ` role="img"><title>%s</title>`, html.EscapeString(title))
}

func zone(b *strings.Builder, class string, x1, x2 float64) {
	if Drawable(x1) && x2 > x1 {
		fmt.Fprintf(b, `<path class="%s" d="M%s 0H%sV%sH%sZ"/>`, class, num(x1), num(x2), num(rowHeight), num(x1))
	}
}
