package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPooledSettling(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		runs [][]float64
		want Settling
	}{
		{
			"two runs of different levels, the first two windows slow",
			[][]float64{{20, 12, 10, 10, 10, 10, 10, 10}, {40, 22, 20, 20, 20, 20, 20, 20}},
			Settling{[]float64{math.Ln2, (math.Log(1.2) + math.Log(1.1)) / 2, 0, 0, 0, 0, 0, 0}, 2, true},
		},
		{
			"one run's burst is pooled away",
			[][]float64{{10, 10, 11, 10, 10, 10}, {10, 10, 10, 10, 10, 10}, {10, 10, 10, 10, 10, 10}},
			Settling{[]float64{0, 0, math.Log(1.1) / 3, 0, 0, 0}, 0, true},
		},
		{
			"within 5 % from the start",
			[][]float64{{10.4, 9.6, 10, 10}},
			Settling{[]float64{math.Log(1.04), math.Log(0.96), 0, 0}, 0, true},
		},
		{
			"settled exactly half-way",
			[][]float64{{20, 20, 10, 10}},
			Settling{[]float64{math.Ln2, math.Ln2, 0, 0}, 2, true},
		},
		{
			"a burst in the second half",
			[][]float64{{10, 10, 12, 10}},
			Settling{[]float64{-math.Log(1.2) / 2, -math.Log(1.2) / 2, math.Log(1.2) / 2, -math.Log(1.2) / 2}, 4, false},
		},
		{
			"empty windows",
			[][]float64{{20, nan, 10, nan}, {20, nan, 10, 10}},
			Settling{[]float64{math.Ln2, nan, 0, 0}, 1, true},
		},
	}
	for _, tt := range tests {
		got, err := PooledSettling(tt.runs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Three runs fall by 10, 11 and 12 % from the first third to the last.
func TestLeftOverTrend(t *testing.T) {
	run := func(level, fall float64) []float64 {
		return []float64{level, level, 99, 99, level * (1 - fall), level * (1 - fall)}
	}
	falling := [][]float64{run(10, 0.10), run(20, 0.11), run(15, 0.12)}
	got, err := LeftOverTrend(falling)
	if err != nil {
		t.Fatal(err)
	}
	mean := -(math.Log(0.90) + math.Log(0.89) + math.Log(0.88)) / 3
	if got.N != 3 || !near(got.Mean, mean, 1e-12) || !near(got.P, TTwoSided(mean/trendError(falling, mean), 2), 1e-9) {
		t.Errorf("got %+v, want mean %v", got, mean)
	}
	tests := []struct {
		name   string
		trend  Trend
		nameAt float64
		want   bool
	}{
		{"sure and large", Trend{8, -0.03, 0.01}, 0.05, true},
		{"sure and small", Trend{8, 0.025, 0.001}, 0.05, false},
		{"large and unsure", Trend{8, 0.2, 0.011}, 0.05, false},
	}
	for _, tt := range tests {
		if got := tt.trend.Flagged(tt.nameAt); got != tt.want {
			t.Errorf("%s: flagged %v", tt.name, got)
		}
	}
}

// trendError computes the standard error by hand, for three runs of six windows.
func trendError(runs [][]float64, mean float64) float64 {
	var ss float64
	for _, r := range runs {
		d := math.Log(r[0]/r[4]) - mean
		ss += d * d
	}
	return math.Sqrt(ss / 2 / 3)
}

func TestSettlingErrors(t *testing.T) {
	nan := math.NaN()
	settle := func(runs ...[]float64) error { _, err := PooledSettling(runs); return err }
	trend := func(runs ...[]float64) error { _, err := LeftOverTrend(runs); return err }
	wantErrors(t, []errorCase{
		{"no runs", settle(), "no runs"},
		{"one window", settle([]float64{1}), "1 windows"},
		{"unequal", settle([]float64{1, 2}, []float64{1, 2, 3}), "run 1 has 3 windows, run 0 has 2"},
		{"zero", settle([]float64{1, 0}), "run 0 window 1: median 0"},
		{"infinite", settle([]float64{math.Inf(1), 1}), "window 0"},
		{"empty end", settle([]float64{1, 1, nan, nan}), "last half"},
		{"trend of no runs", trend(), "no runs"},
		{"trend of two windows", trend([]float64{1, 1}), "at least 3"},
		{"trend of one run", trend([]float64{1, 1, 1}), "trend of 1 run"},
		{"trend without a start", trend([]float64{nan, 1, 1}, []float64{1, 1, 1}), "run 0: no values in the first"},
		{"trend without an end", trend([]float64{1, 1, 1}, []float64{1, 1, nan}), "run 1: no values in the first or last"},
	})
}
