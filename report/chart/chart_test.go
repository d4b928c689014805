package chart_test

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/report/chart"
	"pgregory.net/rapid"
)

func TestTicksAreTheOnesAReaderExpects(t *testing.T) {
	labels := func(ticks []chart.Tick) string {
		var out []string
		for _, tick := range ticks {
			out = append(out, tick.Label)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name string
		got  []chart.Tick
		want string
	}{
		{"tens", chart.Linear{Min: 0, Max: 100}.Ticks(6), "0 20 40 60 80 100"},
		{"halves", chart.Linear{Min: -1.2, Max: 0.3}.Ticks(7), "−1.0 −0.5 0.0"},
		{"thousands", chart.Linear{Min: 0, Max: 12000}.Ticks(4), "0 5,000 10,000"},
		{"two decades", chart.Log{Min: 9, Max: 1100}.Ticks(7), "10 20 50 100 200 500 1,000"},
		{"many decades", chart.Log{Min: 0.1, Max: 1e9}.Ticks(7), "1 100 10,000 1,000,000 100,000,000"},
		{"less than a factor of two", chart.Log{Min: 20, Max: 27}.Ticks(7), "20 22 24 26"},
		{"nines", chart.Nines{Min: 0, Max: 0.9995}.Ticks(9), "p50 p75 p90 p95 p99 p99.9"},
		{"a short window", chart.Clock(chart.Linear{Min: 0, Max: 10}, 8), "0 s 2 s 4 s 6 s 8 s 10 s"},
		{"a long window", chart.Clock(chart.Linear{Min: 0, Max: 1800}, 8), "0:00 5:00 10:00 15:00 20:00 25:00 30:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, labels(c.got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// scales draws any scale together with a value inside it.
func scales(t *rapid.T) (chart.Scale, float64, float64) {
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		high := low + rapid.Float64Range(1e-3, 1e6).Draw(t, "room")
		return chart.Linear{Min: low, Max: high}, low, high
	case 1:
		low := rapid.Float64Range(1e-4, 1e5).Draw(t, "low")
		high := low * rapid.Float64Range(1.2, 1e6).Draw(t, "ratio")
		return chart.Log{Min: low, Max: high}, low, high
	}
	low := rapid.Float64Range(0, 0.9).Draw(t, "low")
	high := 1 - (1-low)*rapid.Float64Range(1e-5, 0.9).Draw(t, "rest")
	return chart.Nines{Min: low, Max: high}, low, high
}

func TestTicksIncreaseStayInsideAndAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, low, high := scales(t)
		most := rapid.IntRange(2, 9).Draw(t, "most")
		ticks := s.Ticks(most)
		if len(ticks) > most {
			t.Fatalf("%d ticks, at most %d wanted", len(ticks), most)
		}
		slack := 1e-9 * math.Max(math.Abs(low), math.Abs(high))
		for i, tick := range ticks {
			if tick.Value < low-slack || tick.Value > high+slack {
				t.Fatalf("tick %v is outside [%v, %v]", tick.Value, low, high)
			}
			if i > 0 && (tick.Value <= ticks[i-1].Value || tick.Label == ticks[i-1].Label) {
				t.Fatalf("ticks %v do not increase", ticks)
			}
		}
	})
}

func TestValueIsTheInverseOfPos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, low, high := scales(t)
		v := rapid.Float64Range(low, high).Draw(t, "value")
		if got := s.Value(s.Pos(v)); math.Abs(got-v) > 1e-9*math.Max(math.Abs(low), math.Abs(high)) {
			t.Fatalf("%v reads back as %v", v, got)
		}
		if s.Pos(low) != 0 || math.Abs(s.Pos(high)-1) > 1e-12 {
			t.Fatalf("the ends lie at %v and %v", s.Pos(low), s.Pos(high))
		}
	})
}

// Every drawn point maps back to its value within half a pixel: the promise of the package.
func TestDrawnPointsMapBackToTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, xLow, xHigh := scales(t)
		y, yLow, yHigh := scales(t)
		n := rapid.IntRange(1, 40).Draw(t, "points")
		points := make([]chart.Point, n)
		marks := make([]chart.Mark, n)
		for i := range points {
			points[i] = chart.Point{X: rapid.Float64Range(xLow, xHigh).Draw(t, "x"), Y: rapid.Float64Range(yLow, yHigh).Draw(t, "y")}
			marks[i] = chart.Mark{Point: points[i]}
		}
		p := chart.New("t", "d", chart.Axis{Scale: x}, chart.Axis{Scale: y})
		p.Line("a", "", points)
		p.Marks("a", chart.Circle, marks)
		svg := string(p.SVG())
		left, right, top, bottom := frame(t, p, x, y)
		check := func(what string, xs, ys []float64) {
			if len(xs) != n {
				t.Fatalf("%s: %d points drawn of %d", what, len(xs), n)
			}
			for i := range xs {
				gotX, gotY := x.Value((xs[i]-left)/(right-left)), y.Value((bottom-ys[i])/(bottom-top))
				offX := math.Abs(x.Pos(gotX)-x.Pos(points[i].X)) * (right - left)
				offY := math.Abs(y.Pos(gotY)-y.Pos(points[i].Y)) * (bottom - top)
				if offX > 0.5 || offY > 0.5 {
					t.Fatalf("%s: %v is drawn at (%v, %v) and reads back as (%v, %v)", what, points[i], xs[i], ys[i], gotX, gotY)
				}
			}
		}
		lineX, lineY := coordinates(t, regexp.MustCompile(`class="l a" d="([^"]*)"`).FindStringSubmatch(svg)[1])
		check("line", lineX, lineY)
		var markX, markY []float64
		for _, m := range regexp.MustCompile(`cx="([^"]*)" cy="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
			markX, markY = append(markX, number(t, m[1])), append(markY, number(t, m[2]))
		}
		check("marks", markX, markY)
	})
}

// frame finds the plot area from a line that is drawn from corner to corner.
func frame(t *rapid.T, _ *chart.Plot, x, y chart.Scale) (left, right, top, bottom float64) {
	p := chart.New("", "", chart.Axis{Scale: x}, chart.Axis{Scale: y})
	p.Line("corners", "", []chart.Point{{X: x.Value(0), Y: y.Value(0)}, {X: x.Value(1), Y: y.Value(1)}})
	xs, ys := coordinates(t, regexp.MustCompile(`class="l corners" d="([^"]*)"`).FindStringSubmatch(string(p.SVG()))[1])
	return xs[0], xs[1], ys[1], ys[0]
}

func coordinates(t *rapid.T, d string) (xs, ys []float64) {
	for _, m := range regexp.MustCompile(`[ML]([-0-9.]+) ([-0-9.]+)`).FindAllStringSubmatch(d, -1) {
		xs, ys = append(xs, number(t, m[1])), append(ys, number(t, m[2]))
	}
	return xs, ys
}

func number(t *rapid.T, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAGapBreaksTheLine(t *testing.T) {
	p := chart.New("t", "d", chart.Axis{Scale: chart.Linear{Min: 0, Max: 4}}, chart.Axis{Scale: chart.Linear{Min: 0, Max: 1}})
	p.Line("a", "A", []chart.Point{{0, 0.5}, {1, 0.5}, {2, math.NaN()}, {3, 0.5}, {4, math.Inf(1)}})
	d := regexp.MustCompile(`class="l a" d="([^"]*)"`).FindStringSubmatch(string(p.SVG()))[1]
	if got := strings.Count(d, "M"); got != 2 || strings.Count(d, "L") != 1 {
		t.Errorf("path %s, want two pieces", d)
	}
}

func TestWhatCannotBeDrawnIsLeftOut(t *testing.T) {
	p := chart.New("t", "d", chart.Axis{Scale: chart.Linear{Min: 0, Max: 4}}, chart.Axis{Scale: chart.Log{Min: 1, Max: 10}})
	p.Line("a", "A", []chart.Point{{1, math.NaN()}})
	p.Band("a", []chart.Point{{1, 1}, {2, 0}}, []chart.Point{{1, 2}, {2, 2}})
	p.Band("a", []chart.Point{{1, 1}}, []chart.Point{{1, 2}})
	p.Marks("a", chart.Triangle, []chart.Mark{{Point: chart.Point{X: 1, Y: -1}}})
	p.Marks("a", chart.Circle, []chart.Mark{{Point: chart.Point{X: 5, Y: 2}}, {Point: chart.Point{X: 1, Y: 11}}})
	p.Limit(100, "far above")
	p.Edge(-1, "far left")
	svg := string(p.SVG())
	for _, bad := range []string{`class="l`, `class="band`, `class="m `, "far", "NaN", "Inf"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%q is drawn: %s", bad, svg)
		}
	}
}

func TestDirectLabelsKeepApart(t *testing.T) {
	p := chart.New("t", "d", chart.Axis{Scale: chart.Linear{Min: 0, Max: 1}}, chart.Axis{Scale: chart.Linear{Min: 0, Max: 100}})
	p.Line("a", "A", []chart.Point{{0, 50}, {1, 50}})
	p.Line("b", "B", []chart.Point{{0, 50}, {1, 51}})
	var at []float64
	for _, m := range regexp.MustCompile(`class="end [ab]" x="[^"]*" y="([^"]*)"`).FindAllStringSubmatch(string(p.SVG()), -1) {
		y, _ := strconv.ParseFloat(m[1], 64)
		at = append(at, y)
	}
	if len(at) != 2 || at[1]-at[0] < 14.9 {
		t.Errorf("labels at %v, want B above A by 15", at)
	}
}

func TestTextInDrawingsIsEscaped(t *testing.T) {
	const name = `</svg><script>"&'`
	p := chart.New(name, name, chart.Axis{Scale: chart.Linear{Min: 0, Max: 1}, Label: name, Ticks: []chart.Tick{{Value: 0.5, Label: name[:6]}}}, chart.Axis{Scale: chart.Linear{Min: 0, Max: 1}, Label: name})
	p.Line("a", name, []chart.Point{{0, 0}, {1, 1}})
	p.Marks("a", chart.Circle, []chart.Mark{{Title: name}})
	p.Limit(0.5, name)
	p.Edge(0.5, name)
	for _, svg := range []string{string(p.SVG()), string(chart.Interval{Half: 30, Title: name}.SVG())} {
		if strings.Contains(svg, "<script") {
			t.Error(svg)
		}
		if !strings.Contains(svg, html.EscapeString(name)) {
			t.Errorf("the name is lost: %s", svg)
		}
	}
}

// An interval that leaves the axis says so by an arrow, and never by a bar that looks whole.
func TestIntervalBeyondTheAxis(t *testing.T) {
	for _, c := range []struct {
		low, mid, high     float64
		arrows, ends, mids int
	}{
		{-5, 1, 8, 0, 2, 1},
		{-50, -20, 8, 1, 1, 1},
		{-50, 45, 80, 2, 0, 0},
		{math.NaN(), 5, math.NaN(), 0, 0, 1},
		{math.NaN(), math.NaN(), math.NaN(), 0, 0, 0},
	} {
		svg := string(chart.Interval{Half: 30, Low: c.low, Mid: c.mid, High: c.high, NameAt: 5, RuleOut: 10, Class: "x"}.SVG())
		got := fmt.Sprintf("%d arrows, %d ends, %d estimates", strings.Count(svg, " -4v8Z"), strings.Count(svg, "v8\"/>"), strings.Count(svg, "l4.5 4.5"))
		want := fmt.Sprintf("%d arrows, %d ends, %d estimates", c.arrows, c.ends, c.mids)
		if got != want {
			t.Errorf("[%v, %v, %v]: %s, want %s: %s", c.low, c.mid, c.high, got, want, svg)
		}
		if strings.Contains(svg, "NaN") {
			t.Error(svg)
		}
	}
}

func TestIntervalMapsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := rapid.SampledFrom([]float64{30, 50, 100}).Draw(t, "half")
		low := rapid.Float64Range(-half, half).Draw(t, "low")
		high := rapid.Float64Range(low, half).Draw(t, "high")
		svg := string(chart.Interval{Half: half, Low: low, Mid: low, High: high, Class: "x"}.SVG())
		m := regexp.MustCompile(`class="iv x" d="M([-0-9.]+) 13H([-0-9.]+)"`).FindStringSubmatch(svg)
		back := func(s string) float64 { return (number(t, s)-10)/200*2*half - half }
		pixel := 2 * half / 200
		if math.Abs(back(m[1])-low) > pixel/2 || math.Abs(back(m[2])-high) > pixel/2 {
			t.Fatalf("[%v, %v] reads back as [%v, %v]", low, high, back(m[1]), back(m[2]))
		}
	})
}

func TestScalesAroundValues(t *testing.T) {
	if s := chart.Around(0, math.NaN(), math.Inf(1)); s.Min >= s.Max {
		t.Errorf("%v", s)
	}
	if _, ok := chart.LogAround(0, -1, math.NaN()); ok {
		t.Error("a log axis around nothing above 0")
	}
	if _, ok := chart.Close(math.NaN()); ok {
		t.Error("an axis around nothing")
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1e-3, 1e9), 1, 20).Draw(t, "values")
		log, _ := chart.LogAround(values...)
		close, _ := chart.Close(values...)
		for _, v := range values {
			for _, s := range []chart.Scale{log, close, chart.Around(0, values...)} {
				if pos := s.Pos(v); pos < 0 || pos > 1 {
					t.Fatalf("%v lies at %v of %v", v, pos, s)
				}
			}
		}
	})
}
