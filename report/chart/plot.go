package chart

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Size of a figure in its own units; the page scales it.
const (
	width  = 460.0
	height = 262.0
	// a character of an axis label is at most this wide
	glyph = 6.4
)

// An Axis is a scale with its name. Ticks replaces the ticks of the scale.
type Axis struct {
	Scale Scale
	Label string
	Ticks []Tick
}

// A Point is a value on both axes; NaN in Y is a gap in a line.
type Point struct{ X, Y float64 }

// A Mark is one point with a shape and a text that the reader gets on pointing at it.
type Mark struct {
	Point
	Title  string
	Hollow bool
}

// Shapes of marks.
const (
	Circle   = "circle"
	Triangle = "triangle"
)

// A Plot collects layers and writes them as one SVG.
type Plot struct {
	title, desc              string
	x, y                     Axis
	left, right, top, bottom float64
	body                     strings.Builder
	ends                     []ending
}

// ending is the direct label of a line, in the right margin.
type ending struct {
	y           float64
	text, class string
}

// New starts a plot. The title says what it shows; desc holds the finding in words, for
// readers who cannot see the drawing.
func New(title, desc string, x, y Axis) *Plot {
	p := &Plot{title: title, desc: desc, x: x, y: y, right: width - 24, top: 22, bottom: height - 38}
	if p.x.Ticks == nil {
		p.x.Ticks = x.Scale.Ticks(9)
	}
	if p.y.Ticks == nil {
		p.y.Ticks = y.Scale.Ticks(7)
	}
	longest := 3
	for _, t := range p.y.Ticks {
		longest = max(longest, utf8.RuneCountInString(t.Label))
	}
	p.left = 10 + glyph*float64(longest)
	return p
}

// Line draws one line through the points; a point that is not drawable breaks it.
// end labels it directly at its last point, and may be empty.
func (p *Plot) Line(class, end string, points []Point) {
	d := p.path(points)
	if d == "" {
		return
	}
	fmt.Fprintf(&p.body, `<path class="l %s" d="%s"/>`, class, d)
	if end == "" {
		return
	}
	for i := len(points) - 1; i >= 0; i-- {
		if p.placed(points[i]) {
			_, y := p.at(points[i])
			p.ends = append(p.ends, ending{y, end, class})
			return
		}
	}
}

// Band shades the area between two lines over the same x.
func (p *Plot) Band(class string, low, high []Point) {
	if len(low) < 2 || len(low) != len(high) {
		return
	}
	for i := range low {
		if !p.placed(low[i]) || !p.placed(high[i]) {
			return
		}
	}
	var d strings.Builder
	for i, pt := range high {
		d.WriteString(p.step(i == 0, pt))
	}
	for i := len(low) - 1; i >= 0; i-- {
		d.WriteString(p.step(false, low[i]))
	}
	fmt.Fprintf(&p.body, `<path class="band %s" d="%sZ"/>`, class, d.String())
}

// Marks draws separate points.
func (p *Plot) Marks(class, shape string, marks []Mark) {
	for _, m := range marks {
		if !p.placed(m.Point) {
			continue
		}
		x, y := p.at(m.Point)
		c := class
		if m.Hollow {
			c += " hollow"
		}
		p.body.WriteString(shapeAt(shape, "m "+c, x, y, m.Title))
	}
}

// Limit draws a labelled horizontal line, for a threshold or for zero.
func (p *Plot) Limit(v float64, label string) {
	pos := p.y.Scale.Pos(v)
	if !Drawable(pos) || pos < 0 || pos > 1 {
		return
	}
	_, y := p.at(Point{p.x.Scale.Value(0), v})
	fmt.Fprintf(&p.body, `<path class="limit" d="M%s %sH%s"/>`, num(p.left), num(y), num(p.right))
	if label != "" {
		at := y - 4
		if at < p.top+8 {
			at = y + 12
		}
		fmt.Fprintf(&p.body, `<text class="t" x="%s" y="%s">%s</text>`, num(p.left+4), num(at), html.EscapeString(label))
	}
}

// Edge draws a labelled vertical line, for the place where a curve has to end.
func (p *Plot) Edge(v float64, label string) {
	pos := p.x.Scale.Pos(v)
	if !Drawable(pos) || pos < 0 || pos > 1 {
		return
	}
	x := p.left + pos*(p.right-p.left)
	fmt.Fprintf(&p.body, `<path class="limit" d="M%s %sV%s"/>`, num(x), num(p.top), num(p.bottom))
	fmt.Fprintf(&p.body, `<text class="t e" x="%s" y="%s">%s</text>`, num(x-4), num(p.top+10), html.EscapeString(label))
}

// SVG returns the drawing.
func (p *Plot) SVG() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s %s" role="img"><title>%s</title><desc>%s</desc>`,
		num(width), num(height), html.EscapeString(p.title), html.EscapeString(p.desc))
	p.axes(&b)
	b.WriteString(p.body.String())
	p.labels(&b)
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (p *Plot) axes(b *strings.Builder) {
	for _, t := range p.y.Ticks {
		y := p.bottom - p.y.Scale.Pos(t.Value)*(p.bottom-p.top)
		fmt.Fprintf(b, `<path class="g" d="M%s %sH%s"/>`, num(p.left), num(y), num(p.right))
		fmt.Fprintf(b, `<text class="t y e" x="%s" y="%s">%s</text>`, num(p.left-5), num(y+3.5), html.EscapeString(t.Label))
	}
	free := math.Inf(-1)
	for _, t := range p.x.Ticks {
		x := p.left + p.x.Scale.Pos(t.Value)*(p.right-p.left)
		half := glyph * float64(utf8.RuneCountInString(t.Label)) / 2
		fmt.Fprintf(b, `<path class="g" d="M%s %sV%s"/>`, num(x), num(p.bottom), num(p.bottom+4))
		if x-half < free+4 || x+half > width {
			continue
		}
		free = x + half
		fmt.Fprintf(b, `<text class="t x m" x="%s" y="%s">%s</text>`, num(x), num(p.bottom+15), html.EscapeString(t.Label))
	}
	fmt.Fprintf(b, `<text class="t n" x="2" y="11">%s</text>`, html.EscapeString(p.y.Label))
	fmt.Fprintf(b, `<text class="t n e" x="%s" y="%s">%s</text>`, num(p.right), num(height-5), html.EscapeString(p.x.Label))
}

// labels writes the direct labels, pushed apart where lines end close to one another, and
// kept beside the plot.
func (p *Plot) labels(b *strings.Builder) {
	const apart = 15
	slices.SortStableFunc(p.ends, func(a, b ending) int { return cmp.Compare(a.y, b.y) })
	free := p.top
	for i := range p.ends {
		if i > 0 && p.ends[i].y-p.ends[i-1].y < apart {
			p.ends[i-1].y = max(free, (p.ends[i].y+p.ends[i-1].y-apart)/2)
		}
		if i > 0 {
			free = p.ends[i-1].y + apart
		}
		p.ends[i].y = max(free, p.ends[i].y)
	}
	for _, e := range p.ends {
		fmt.Fprintf(b, `<text class="end %s" x="%s" y="%s">%s</text>`, e.class, num(p.right+5), num(e.y+4), html.EscapeString(e.text))
	}
}

// placed reports whether the point lies inside the plot.
func (p *Plot) placed(pt Point) bool {
	inside := func(pos float64) bool { return pos >= -1e-9 && pos <= 1+1e-9 }
	return Drawable(pt.X) && Drawable(pt.Y) && inside(p.x.Scale.Pos(pt.X)) && inside(p.y.Scale.Pos(pt.Y))
}

func (p *Plot) at(pt Point) (x, y float64) {
	return p.left + p.x.Scale.Pos(pt.X)*(p.right-p.left), p.bottom - p.y.Scale.Pos(pt.Y)*(p.bottom-p.top)
}

func (p *Plot) path(points []Point) string {
	var d strings.Builder
	start := true
	for _, pt := range points {
		if !p.placed(pt) {
			start = true
			continue
		}
		d.WriteString(p.step(start, pt))
		start = false
	}
	return d.String()
}

func (p *Plot) step(start bool, pt Point) string {
	x, y := p.at(pt)
	if start {
		return "M" + num(x) + " " + num(y)
	}
	return "L" + num(x) + " " + num(y)
}

func shapeAt(shape, class string, x, y float64, title string) string {
	t := "<title>" + html.EscapeString(title) + "</title>"
	if shape == Triangle {
		return fmt.Sprintf(`<path class="%s" d="M%s %sl4.4 7.6h-8.8Z">%s</path>`, class, num(x), num(y-4.8), t)
	}
	return fmt.Sprintf(`<circle class="%s" cx="%s" cy="%s" r="3.8">%s</circle>`, class, num(x), num(y), t)
}

// num writes a coordinate with at most one decimal.
func num(v float64) string {
	text := strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	if text == "-0" {
		return "0"
	}
	return text
}
