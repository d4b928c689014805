package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustLooks(t testing.TB, pairs ...int) Looks {
	t.Helper()
	l, err := NewLooks(pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func levels(l Looks, level func(k int) float64) []float64 {
	out := make([]float64, l.Len())
	for k := range out {
		out[k] = math.Round(level(k)*1e7) / 1e7
	}
	return out
}

func TestLevels(t *testing.T) {
	row := func(m int) func(Looks) func(int) float64 {
		return func(l Looks) func(int) float64 { return func(k int) float64 { return l.Level(m, k) } }
	}
	equivalence := func(l Looks) func(int) float64 { return l.Equivalence }
	price := func(l Looks) func(int) float64 { return func(k int) float64 { return l.Secondary(k, 0.01) } }
	tests := []struct {
		name  string
		looks []int
		level func(Looks) func(int) float64
		want  []float64
	}{
		{"row 1", []int{4, 6, 8, 10, 12}, row(1), []float64{.00555, .00812, .01318, .02012, .02896}},
		{"row 16", []int{4, 6, 8, 10, 12}, row(16), []float64{.00036, .00047, .00070, .00104, .00143}},
		// ln 7 lies .5358 of the way from ln 6 to ln 8.
		{"row 7", []int{4, 6, 8, 10, 12}, row(7), []float64{.0007965, .0010809, .0017042, .0024743, .0034619}},
		{"row 20 by the union bound", []int{4, 6, 8, 10, 12}, row(20), []float64{.0002778, .0003472, .0004861, .000625, .0007639}},
		{"equivalence", []int{4, 6, 8, 10, 12}, equivalence, []float64{.01108, .01690, .02816, .04355, .06351}},
		{"secondary", []int{4, 6, 8, 10, 12}, price, []float64{.09, .069, .043, .03, .0215}},
		{"two looks", []int{4, 6}, row(1), []float64{.0222222, .0277778}},
		{"two looks, row 4", []int{4, 6}, row(4), []float64{.0055556, .0069444}},
		{"two looks, equivalence", []int{4, 6}, equivalence, []float64{.0444444, .0555556}},
		{"two looks, secondary", []int{4, 6}, price, []float64{.0225, .018}},
		{"one look", []int{9}, row(1), []float64{.05}},
		{"one look, row 4", []int{9}, row(4), []float64{.0125}},
		{"one look, equivalence", []int{9}, equivalence, []float64{.1}},
		{"one look, secondary", []int{9}, price, []float64{.01}},
	}
	for _, tt := range tests {
		l := mustLooks(t, tt.looks...)
		if diff := cmp.Diff(tt.want, levels(l, tt.level(l))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestInterpolatedRowsLieBetweenTheirNeighbours(t *testing.T) {
	l := StandardLooks()
	for k := range l.Len() {
		for m := 2; m <= 40; m++ {
			if l.Level(m, k) >= l.Level(m-1, k) {
				t.Errorf("look %d: row %d has level %v, row %d has %v", k, m, l.Level(m, k), m-1, l.Level(m-1, k))
			}
		}
	}
}

func TestSecondaryIsAtMostOne(t *testing.T) {
	if got := StandardLooks().Secondary(0, 0.5); got != 1 {
		t.Errorf("p .5 at the first look becomes %v, want 1", got)
	}
}

func TestLooksErrors(t *testing.T) {
	of := func(pairs ...int) error { _, err := NewLooks(pairs...); return err }
	wantErrors(t, []errorCase{
		{"none", of(), "at least one"},
		{"one pair", of(1, 4), "look 1 after 1 pairs"},
		{"twice", of(4, 4), "look 2 after 4 pairs"},
		{"descending", of(6, 4), "ascending"},
	})
}

func TestLooksKeepTheirSchedule(t *testing.T) {
	pairs := []int{4, 6}
	l := mustLooks(t, pairs...)
	pairs[1] = 99
	if l.Len() != 2 || l.Pairs(0) != 4 || l.Pairs(1) != 6 || l.Max() != 6 {
		t.Errorf("got %d looks, %d, %d, max %d", l.Len(), l.Pairs(0), l.Pairs(1), l.Max())
	}
}

// The paired t of normal sequences, looked at five times, must cross each row of
// the table with probability .05/m, and the equivalence row with .10. Critical
// values from z instead of t, or a wrong row, miss by many standard errors.
func TestLevelTableSpendsWhatItSays(t *testing.T) {
	sequences := 1_000_000
	if testing.Short() {
		sequences = 100_000
	}
	l := StandardLooks()
	type row struct {
		name     string
		critical [5]float64
		want     float64
		crossed  int
	}
	var rows []row
	add := func(name string, want float64, level func(k int) float64) {
		r := row{name: name, want: want}
		for k := range l.Len() {
			r.critical[k] = TCritical(level(k), float64(l.Pairs(k)-1))
		}
		rows = append(rows, r)
	}
	for _, r := range levelRows {
		add(string(rune('0'+r.m/10))+string(rune('0'+r.m%10)), alpha/float64(r.m), func(k int) float64 { return l.Level(r.m, k) })
	}
	add("07", alpha/7, func(k int) float64 { return l.Level(7, k) })
	add("equivalence", equivalenceAlpha, l.Equivalence)

	random := rand.New(rand.NewPCG(20261130, 1))
	for range sequences {
		ts := lookedAt(random, l)
		for i := range rows {
			for k, x := range ts {
				if x >= rows[i].critical[k] {
					rows[i].crossed++
					break
				}
			}
		}
	}
	for _, r := range rows {
		got := float64(r.crossed) / float64(sequences)
		se := math.Sqrt(r.want * (1 - r.want) / float64(sequences))
		// The levels have two or three digits, hence half a percent besides.
		if math.Abs(got-r.want) > 3*se+0.005*r.want {
			t.Errorf("row %s: crossed with probability %.5f, want %.5f ± %.5f", r.name, got, r.want, 3*se)
		}
	}
}

// lookedAt draws one sequence of standard normal pair values and returns |t| at
// each look.
func lookedAt(random *rand.Rand, l Looks) (ts [5]float64) {
	var s, ss float64
	k := 0
	for i := 1; i <= l.Max(); i++ {
		x := random.NormFloat64()
		s += x
		ss += x * x
		if i == l.Pairs(k) {
			n := float64(i)
			variance := (ss - s*s/n) / (n - 1)
			ts[k] = math.Abs(s/n) / math.Sqrt(variance/n)
			k++
		}
	}
	return ts
}

func TestHolmStopsAtTheFirstFailure(t *testing.T) {
	// Rows 3, 2, 1 at the first look: .00184, .00279, .00555.
	tests := []struct {
		name     string
		p        []float64
		rejected []bool
		level    []float64
	}{
		{"third would pass its own row", []float64{.005, .001, .003}, []bool{false, true, false}, []float64{.00555, .00184, .00279}},
		{"all pass", []float64{.005, .001, .002}, []bool{true, true, true}, []float64{.00555, .00184, .00279}},
		{"none passes", []float64{.005, .002, .0025}, []bool{false, false, false}, []float64{.00555, .00184, .00279}},
		{"at the level", []float64{.00184}, []bool{true}, []float64{.00555}},
		{"exactly the level", []float64{.00555, .00279}, []bool{true, true}, []float64{.00555, .00279}},
		{"zero", []float64{0, 1}, []bool{true, false}, []float64{.00279, .00555}},
	}
	for _, tt := range tests {
		rejected, level := StandardLooks().Holm(0, tt.p)
		if !slices.Equal(rejected, tt.rejected) || !slices.Equal(level, tt.level) {
			t.Errorf("%s: got %v at %v, want %v at %v", tt.name, rejected, level, tt.rejected, tt.level)
		}
	}
}
