package chart

import "math"

// A Scale maps values to positions along an axis, 0 at its start and 1 at its end.
type Scale interface {
	Pos(v float64) float64
	Value(pos float64) float64
	// Ticks returns at most max labelled values inside the scale, in increasing order.
	Ticks(max int) []Tick
}

// A Tick is one labelled value of an axis.
type Tick struct {
	Value float64
	Label string
}

// Linear is an ordinary axis.
type Linear struct{ Min, Max float64 }

// Pos returns the position of v.
func (s Linear) Pos(v float64) float64 { return (v - s.Min) / (s.Max - s.Min) }

// Value is the inverse of Pos.
func (s Linear) Value(pos float64) float64 { return s.Min + pos*(s.Max-s.Min) }

// Log is a logarithmic axis; both ends are above 0.
type Log struct{ Min, Max float64 }

// Pos returns the position of v, which must be above 0.
func (s Log) Pos(v float64) float64 {
	return math.Log(v/s.Min) / math.Log(s.Max/s.Min)
}

// Value is the inverse of Pos.
func (s Log) Value(pos float64) float64 { return s.Min * math.Pow(s.Max/s.Min, pos) }

// Nines is an axis of quantiles between 0 and below 1, spaced by log10(1/(1-q)).
type Nines struct{ Min, Max float64 }

// Pos returns the position of the quantile q.
func (s Nines) Pos(q float64) float64 {
	return (nines(q) - nines(s.Min)) / (nines(s.Max) - nines(s.Min))
}

// Value is the inverse of Pos.
func (s Nines) Value(pos float64) float64 {
	n := nines(s.Min) + pos*(nines(s.Max)-nines(s.Min))
	return 1 - math.Pow(10, -n)
}

func nines(q float64) float64 { return -math.Log10(1 - q) }

// Around returns a linear scale that holds every drawable value, with a little room on
// both sides; from is included in it.
func Around(from float64, values ...float64) Linear {
	lo, hi := from, from
	for _, v := range values {
		if Drawable(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo == hi {
		lo, hi = lo-1, hi+1
	}
	room := (hi - lo) * 0.06
	out := Linear{lo - room, hi + room}
	if lo == from {
		out.Min = from
	}
	if hi == from {
		out.Max = from
	}
	return out
}

// Close returns a linear scale tightly around the values, without a fixed origin.
func Close(values ...float64) (Linear, bool) {
	for _, v := range values {
		if Drawable(v) {
			s := Around(v, values...)
			room := (s.Max - s.Min) * 0.06
			return Linear{s.Min - room, s.Max + room}, true
		}
	}
	return Linear{}, false
}

// LogAround returns a logarithmic scale that holds every drawable value above 0, with a little
// room on both sides, and false when there is none.
func LogAround(values ...float64) (Log, bool) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if Drawable(v) && v >= 1e-9 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi < lo {
		return Log{}, false
	}
	room := math.Pow(hi/lo, 0.05)
	room = max(room, 1.1)
	return Log{lo / room, hi * room}, true
}

// Drawable reports whether v can be placed on an axis at all: it is a number, and of a size that
// leaves room for arithmetic. Everything else is left out of a drawing.
func Drawable(v float64) bool { return math.Abs(v) <= 1e12 }
