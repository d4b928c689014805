package stats

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRankIsFreeOfRounding(t *testing.T) {
	tests := []struct {
		q    float64
		n    int64
		want int64
	}{
		{0.07, 100, 7}, // .07 x 100 is 7.000000000000001
		{0.9, 20, 18},
		{0.95, 20, 19},
		{0.951, 20, 20},
		{0.99, 100, 99},
		{0.999, 1_000_000_000, 999_000_000},
		{0.0001, 5, 1},
		{1, 7, 7},
		{0.5, 1, 1},
	}
	for _, tt := range tests {
		got, err := Rank(tt.q, tt.n)
		if err != nil || got != tt.want {
			t.Errorf("Rank(%v, %d) = %d, %v, want %d", tt.q, tt.n, got, err, tt.want)
		}
	}
}

// The rank must be exact for every percentile written with two decimals.
func TestRankMatchesIntegerArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hundredths := rapid.Int64Range(1, 10_000).Draw(t, "hundredths of a percent")
		n := rapid.Int64Range(1, 100_000_000).Draw(t, "n")
		want := (hundredths*n + 9_999) / 10_000
		if got, err := Rank(float64(hundredths)/10_000, n); err != nil || got != want {
			t.Fatalf("Rank(%d/10000, %d) = %d, %v, want %d", hundredths, n, got, err, want)
		}
	})
}

func TestEnoughBeyondTheQuantile(t *testing.T) {
	tests := []struct {
		q             float64
		n             int64
		shown, judged bool
	}{
		{0.9, 99, false, false},
		{0.9, 100, true, false},
		{0.9, 199, true, false},
		{0.9, 200, true, true},
		{0.99, 1000, true, false},
		{0.99, 1999, true, false},
		{0.99, 2000, true, true},
		{0.95, 400, true, true},
		{0.999, 20_000, true, true},
	}
	for _, tt := range tests {
		if s, j := Shown(tt.q, tt.n), Judged(tt.q, tt.n); s != tt.shown || j != tt.judged {
			t.Errorf("q %v of %d: shown %v, judged %v, want %v, %v", tt.q, tt.n, s, j, tt.shown, tt.judged)
		}
	}
}

func TestQuantileOfBuckets(t *testing.T) {
	buckets := []Bucket{{10, 10, 1}, {10, 20, 4}, {20, 20, 0}, {30, 40, 2}}
	tests := []struct {
		q      float64
		beyond int64
		want   float64
	}{
		{0.1, 3, 10},
		{0.2, 3, 11.25},
		{0.5, 3, 18.75},
		{0.6, 3, 32.5},
		{0.7, 3, 37.5},
		{0.71, 3, math.Inf(1)},
		{1, 0, 37.5},
	}
	for _, tt := range tests {
		got, err := QuantileOfBuckets(buckets, tt.beyond, tt.q)
		if err != nil || got != tt.want {
			t.Errorf("quantile %v with %d beyond = %v, %v, want %v", tt.q, tt.beyond, got, err, tt.want)
		}
	}
}

func TestQuantileErrors(t *testing.T) {
	of := func(values []float64, q float64) error { _, err := Quantile(values, q); return err }
	buckets := func(b []Bucket, beyond int64) error { _, err := QuantileOfBuckets(b, beyond, 0.5); return err }
	wantErrors(t, []errorCase{
		{"no values", of(nil, 0.5), "at least one value"},
		{"quantile 0", of([]float64{1}, 0), "above 0"},
		{"quantile 95", of([]float64{1}, 95), "at most 1"},
		{"quantile NaN", of([]float64{1}, math.NaN()), "at most 1"},
		{"value NaN", of([]float64{1, math.NaN()}, 0.5), "value 1 is not a number"},
		{"no counts", buckets([]Bucket{{1, 2, 0}}, 0), "at least one value"},
		{"negative beyond", buckets(nil, -1), "-1 values beyond"},
		{"negative count", buckets([]Bucket{{1, 2, -3}}, 0), "bucket 0"},
		{"descending", buckets([]Bucket{{3, 4, 1}, {1, 2, 1}}, 0), "bucket 1"},
		{"upside down", buckets([]Bucket{{4, 3, 1}}, 0), "ascending"},
	})
}

type errorCase struct {
	name string
	err  error
	want string
}

func wantErrors(t *testing.T, tests []errorCase) {
	t.Helper()
	for _, tt := range tests {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, tt.err, tt.want)
		}
	}
}

func TestFailuresNeverImproveAQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.001, 1e4), 1, 50).Draw(t, "values")
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		fail := rapid.IntRange(0, len(values)-1).Draw(t, "fails")
		failed := slices.Clone(values)
		failed[fail] = math.Inf(1)
		shed := append(slices.Clone(values), math.Inf(1))
		before := mustQuantile(t, values, q)
		if got := mustQuantile(t, failed, q); got < before {
			t.Fatalf("a failure moved the quantile from %v to %v", before, got)
		}
		if got := mustQuantile(t, shed, q); got < before {
			t.Fatalf("one more failure moved the quantile from %v to %v", before, got)
		}
	})
}

func TestBucketsAgreeWithValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 60).Draw(t, "values")
		beyond := rapid.IntRange(0, 10).Draw(t, "beyond")
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		buckets := make([]Bucket, 9)
		for i := range buckets {
			buckets[i] = Bucket{Low: float64(i + 1), High: float64(i + 1)}
		}
		var all []float64
		for _, v := range values {
			buckets[v-1].Count++
			all = append(all, float64(v))
		}
		for range beyond {
			all = append(all, math.Inf(1))
		}
		got, err := QuantileOfBuckets(buckets, int64(beyond), q)
		if want := mustQuantile(t, all, q); err != nil || got != want {
			t.Fatalf("buckets say %v, %v, values say %v", got, err, want)
		}
	})
}

func mustQuantile(t *rapid.T, values []float64, q float64) float64 {
	t.Helper()
	v, err := Quantile(values, q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The nearest rank by its definition: the smallest value that at least a share q
// of all values does not exceed.
func FuzzQuantile(f *testing.F) {
	f.Add([]byte{3, 1, 2, 255}, uint16(950))
	f.Add([]byte{0}, uint16(1))
	f.Add([]byte{7, 7, 7}, uint16(1000))
	f.Fuzz(func(t *testing.T, raw []byte, perMille uint16) {
		values := make([]float64, len(raw))
		for i, b := range raw {
			values[i] = float64(b)
			if b == 255 {
				values[i] = math.Inf(1)
			}
		}
		got, err := Quantile(values, float64(perMille)/1000)
		if len(raw) == 0 || perMille == 0 || perMille > 1000 {
			if err == nil {
				t.Fatalf("quantile %d/1000 of %d values: want an error", perMille, len(raw))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var below, upTo int
		for _, v := range values {
			if v < got {
				below++
			}
			if v <= got {
				upTo++
			}
		}
		need := int(perMille) * len(values)
		if !slices.Contains(values, got) || 1000*upTo < need || 1000*below >= need {
			t.Fatalf("quantile %d/1000 of %v = %v", perMille, values, got)
		}
	})
}
