package stats

import (
	"fmt"
	"math"
)

// settledWithin is how close, in log units, a settled curve stays to its end.
const settledWithin = 0.048790164169432 // ln 1.05

// Settling says from which window on the runs, taken together, are settled.
type Settling struct {
	Curve   []float64 // mean over runs of ln(window median) minus the run's own last-half mean; NaN where none had values
	Window  int       // first window from which Curve stays within ln 1.05; len(Curve) if none
	Settled bool      // Window is not after half of the curve
}

// PooledSettling finds the settling time of runs of equally long windows:
// medians[r][w] is the median of window w of run r, NaN where it held no values.
// Only the pooled curve is judged: single runs look unsettled by chance.
func PooledSettling(medians [][]float64) (Settling, error) {
	width, err := checkWindows(medians, 2)
	if err != nil {
		return Settling{}, err
	}
	sum, count := make([]float64, width), make([]int, width)
	for r, run := range medians {
		level, ok := meanLog(run[width/2:])
		if !ok {
			return Settling{}, fmt.Errorf("run %d: no values in the last half of its windows", r)
		}
		for w, v := range run {
			if !math.IsNaN(v) {
				sum[w] += math.Log(v) - level
				count[w]++
			}
		}
	}
	s := Settling{Curve: make([]float64, width)}
	for w := range width {
		s.Curve[w] = sum[w] / float64(count[w])
		if math.Abs(s.Curve[w]) > settledWithin {
			s.Window = w + 1
		}
	}
	s.Settled = 2*s.Window <= width
	return s, nil
}

// TrendLevel is the level at which a trend left in the measured window counts.
const TrendLevel = 0.01

// Trend is the paired t over runs of mean ln(median) in the first third of the
// windows minus that in the last third.
type Trend struct {
	N       int // runs
	Mean, P float64
}

// LeftOverTrend tests whether the measured windows still drift.
func LeftOverTrend(medians [][]float64) (Trend, error) {
	width, err := checkWindows(medians, 3)
	if err != nil {
		return Trend{}, err
	}
	if len(medians) < 2 {
		return Trend{}, fmt.Errorf("trend of %d run: want at least 2", len(medians))
	}
	d := make([]float64, len(medians))
	for r, run := range medians {
		first, okFirst := meanLog(run[:width/3])
		last, okLast := meanLog(run[width-width/3:])
		if !okFirst || !okLast {
			return Trend{}, fmt.Errorf("run %d: no values in the first or last third of its windows", r)
		}
		d[r] = first - last
	}
	t := Trend{N: len(d)}
	t.Mean, _, _, _, t.P = moments(d)
	return t, nil
}

// Flagged reports whether the trend is significant at TrendLevel and larger than
// half of nameAt, both on the log scale.
func (t Trend) Flagged(nameAt float64) bool {
	return t.P <= TrendLevel && math.Abs(t.Mean) > nameAt/2
}

func checkWindows(medians [][]float64, least int) (width int, err error) {
	if len(medians) == 0 {
		return 0, fmt.Errorf("no runs: want at least one")
	}
	width = len(medians[0])
	if width < least {
		return 0, fmt.Errorf("%d windows a run: want at least %d", width, least)
	}
	for r, run := range medians {
		if len(run) != width {
			return 0, fmt.Errorf("run %d has %d windows, run 0 has %d: want equal numbers", r, len(run), width)
		}
		for w, v := range run {
			if !math.IsNaN(v) && !positive(v) {
				return 0, fmt.Errorf("run %d window %d: median %v: want a positive number", r, w, v)
			}
		}
	}
	return width, nil
}

// meanLog returns the mean logarithm of the windows that held values.
func meanLog(medians []float64) (mean float64, ok bool) {
	var sum float64
	n := 0
	for _, v := range medians {
		if !math.IsNaN(v) {
			sum += math.Log(v)
			n++
		}
	}
	return sum / float64(n), n > 0
}
