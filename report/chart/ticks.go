package chart

import (
	"math"
	"strconv"
	"strings"
)

// Ticks returns multiples of 1, 2 or 5 times a power of ten; most is at least 2.
func (s Linear) Ticks(most int) []Tick {
	step := niceStep((s.Max - s.Min) / float64(max(most-1, 1)))
	var out []Tick
	for i := math.Ceil(s.Min/step - 1e-9); i*step <= s.Max+step*1e-9; i++ {
		v := i * step
		out = append(out, Tick{v, decimal(v, step)})
	}
	return out
}

func niceStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= least*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Ticks takes the densest of several patterns a decade that still fits; over less than
// a factor of two a logarithmic axis is nearly straight and gets the ticks of a linear one.
func (s Log) Ticks(most int) []Tick {
	for _, pattern := range [][]float64{{1, 2, 3, 4, 5, 6, 8}, {1, 2, 5}, {1, 3}, {1}} {
		out := s.pattern(pattern, 1)
		if len(out) >= 3 && len(out) <= most {
			return out
		}
	}
	if s.Max/s.Min < 10 {
		return Linear(s).Ticks(most)
	}
	for every := 2; ; every++ {
		if out := s.pattern([]float64{1}, every); len(out) <= most {
			return out
		}
	}
}

// pattern lists m x 10^k inside the scale, for every n-th power k.
func (s Log) pattern(multiples []float64, every int) []Tick {
	var out []Tick
	for k := int(math.Floor(math.Log10(s.Min))); k <= int(math.Ceil(math.Log10(s.Max))); k++ {
		if k%every != 0 {
			continue
		}
		for _, m := range multiples {
			v := m * math.Pow(10, float64(k))
			if v >= s.Min*(1-1e-9) && v <= s.Max*(1+1e-9) {
				out = append(out, Tick{v, decimal(v, math.Pow(10, float64(k)))})
			}
		}
	}
	return out
}

// Ticks are the percentiles that people name.
func (s Nines) Ticks(most int) []Tick {
	var out []Tick
	for _, p := range []string{"50", "75", "90", "95", "99", "99.9", "99.99", "99.999"} {
		v, _ := strconv.ParseFloat(p, 64)
		if q := v / 100; q >= s.Min-1e-12 && q <= s.Max+1e-12 {
			out = append(out, Tick{q, "p" + p})
		}
	}
	for len(out) > most {
		out = out[1:]
	}
	return out
}

// decimal writes v with the decimals that its step needs, and commas from 1,000.
func decimal(v, step float64) string {
	places := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	text := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 && strings.Trim(whole, "0.,") != "" {
		return "\u2212" + whole
	}
	return whole
}

// Clock returns ticks for an axis of seconds, written as seconds below two minutes and
// as minutes:seconds above.
func Clock(s Linear, most int) []Tick {
	steps := []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400}
	step := steps[len(steps)-1]
	for _, c := range steps {
		if (s.Max-s.Min)/c < float64(most) {
			step = c
			break
		}
	}
	var out []Tick
	for v := math.Ceil(s.Min/step) * step; v <= s.Max; v += step {
		label := strconv.Itoa(int(v)) + " s"
		if s.Max >= 120 {
			label = strconv.Itoa(int(v)/60) + ":" + strconv.Itoa(100 + int(v)%60)[1:]
		}
		out = append(out, Tick{v, label})
	}
	return out
}
