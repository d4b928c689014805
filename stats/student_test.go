package stats

import (
	"math"
	"testing"

	moremath "github.com/aclements/go-moremath/stats"
	"pgregory.net/rapid"
)

// trigTwoSided is the closed form for integer df, a finite series in the angle
// atan(t/sqrt(df)) (Abramowitz and Stegun 26.7.3 and 26.7.4).
func trigTwoSided(t float64, df int) float64 {
	theta := math.Atan(math.Abs(t) / math.Sqrt(float64(df)))
	sin, cos := math.Sincos(theta)
	if df == 1 {
		return 1 - 2*theta/math.Pi
	}
	first := 2 + df%2 // series in even or odd powers of the cosine
	term, series := 1.0, 1.0
	for k := first; k < df; k += 2 {
		term *= cos * cos * float64(k-1) / float64(k)
		series += term
	}
	if df%2 == 0 {
		return 1 - sin*series
	}
	return 1 - 2/math.Pi*(theta+sin*cos*series)
}

func TestTTwoSidedMatchesTheClosedForm(t *testing.T) {
	for df := 1; df <= 20_000; df += 1 + df/50 {
		for _, x := range []float64{0, 1e-9, 0.01, 0.3, 1, 1.7, 2.5, 4, 8} {
			got, want := TTwoSided(x, float64(df)), trigTwoSided(x, df)
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("TTwoSided(%v, %d) = %.14g, want %.14g", x, df, got, want)
			}
		}
	}
}

func TestTTwoSidedFarOutAndForManyDegrees(t *testing.T) {
	tests := []struct {
		name        string
		t, df, want float64
	}{
		{"Cauchy tail 2/(pi t)", 1e9, 1, 2 / (math.Pi * 1e9)},
		{"df 2 tail 1/t^2", 1e6, 2, 1e-12 * (1 - 1.5e-12)},
		{"normal", 1.959963984540054, 1e15, 0.05},
		{"nearly normal", 1.9599663568141068, 1e6, 0.05},
		{"infinite", math.Inf(-1), 5, 0},
		{"zero", 0, 5, 1},
		{"beyond what floats can square", 1e200, 5, 0},
	}
	for _, tt := range tests {
		if got := TTwoSided(tt.t, tt.df); !near(got, tt.want, 1e-10) {
			t.Errorf("%s: TTwoSided(%v, %v) = %.12g, want %.12g", tt.name, tt.t, tt.df, got, tt.want)
		}
	}
	// Either side of the changes of method, for ln B(a, 1/2) and near the normal.
	for _, df := range []float64{200, nearlyNormal} {
		for _, x := range []float64{0.1, 2, 6} {
			below, above := TTwoSided(x, df*(1-1e-13)), TTwoSided(x, df*(1+1e-13))
			if !near(below, above, 1e-9) {
				t.Errorf("p of t %v jumps at df %v: %.15g to %.15g", x, df, below, above)
			}
		}
	}
}

func TestTCDFMatchesAnIndependentImplementation(t *testing.T) {
	for _, df := range []float64{1, 2.5, 3, 7, 11, 40} {
		for x := -6.0; x <= 6; x += 0.37 {
			want := moremath.TDist{V: df}.CDF(x)
			if got := TCDF(x, df); math.Abs(got-want) > 1e-10 {
				t.Errorf("TCDF(%v, %v) = %.14g, want %.14g", x, df, got, want)
			}
		}
	}
}

func TestTCriticalInvertsTTwoSided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		df := math.Exp(rapid.Float64Range(0, math.Log(1e6)).Draw(t, "ln df"))
		level := math.Exp(rapid.Float64Range(math.Log(1e-12), math.Log(0.9999)).Draw(t, "ln level"))
		x := TCritical(level, df)
		if p := TTwoSided(x, df); !near(p, level, 1e-10) {
			t.Fatalf("TTwoSided(TCritical(%v, %v) = %v) = %v", level, df, x, p)
		}
	})
}

func TestQuantilesOfKnownTables(t *testing.T) {
	tests := []struct {
		name      string
		got, want float64
	}{
		{"t .975 df 1", TQuantile(0.975, 1), 12.70620473617471},
		{"t .975 df 2", TQuantile(0.975, 2), 4.302652729696142},
		{"t .975 df 11", TQuantile(0.975, 11), 2.200985160082949},
		{"t .05 df 7", TQuantile(0.05, 7), -1.894578605061305},
		{"t median", TQuantile(0.5, 3), 0},
		{"z .975", NormalQuantile(0.975), 1.959963984540054},
		{"z .2", NormalQuantile(0.2), -0.8416212335729143},
	}
	for _, tt := range tests {
		if !near(tt.got, tt.want, 1e-10) {
			t.Errorf("%s = %.15g, want %.15g", tt.name, tt.got, tt.want)
		}
	}
}

func TestTCriticalOfNonsenseIsNotANumber(t *testing.T) {
	for _, c := range [][2]float64{{0, 5}, {1, 5}, {-0.1, 5}, {math.NaN(), 5}, {0.05, 0.5}, {0.05, math.NaN()}} {
		if got := TCritical(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("TCritical(%v, %v) = %v, want NaN", c[0], c[1], got)
		}
	}
}
