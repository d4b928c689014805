package arrival

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStages(t *testing.T) {
	var none Rate
	ten, twenty := mustParse(t, "10/s"), mustParse(t, "20/s")
	const s = time.Second
	tests := []struct {
		name   string
		stages []Stage
		at     map[int64]time.Duration
		count  map[time.Duration]int64
	}{
		{
			"ramp from zero: N is t^2/2", []Stage{{none, ten, 10 * s}},
			map[int64]time.Duration{0: 0, 1: 1_414_213_562, 2: 2 * s, 8: 4 * s, 49: 9_899_494_936, 50: math.MaxInt64},
			map[time.Duration]int64{0: 0, 2 * s: 2, 2*s + 1: 3, 10 * s: 50, math.MaxInt64: 50},
		},
		{
			"ramp to zero: N is 10t - t^2/2", []Stage{{ten, none, 10 * s}},
			map[int64]time.Duration{0: 0, 18: 2 * s, 48: 8 * s, 49: 8_585_786_437, 50: math.MaxInt64},
			map[time.Duration]int64{2 * s: 18, 8*s + 1: 49, 9 * s: 50, 10 * s: 50},
		},
		{
			"steps", []Stage{{ten, ten, s}, {twenty, twenty, s}},
			map[int64]time.Duration{9: 900 * time.Millisecond, 10: s, 11: 1050 * time.Millisecond, 29: 1950 * time.Millisecond, 30: math.MaxInt64},
			map[time.Duration]int64{s: 10, s + 1: 11, 2 * s: 30},
		},
		{
			"pause first and between", []Stage{{none, none, s}, {ten, ten, s}, {none, none, 5 * s}, {ten, ten, s}},
			map[int64]time.Duration{0: s, 9: 1900 * time.Millisecond, 10: 7 * s, 19: 7900 * time.Millisecond},
			map[time.Duration]int64{s: 0, s + 1: 1, 2 * s: 10, 7 * s: 10, 7*s + 1: 11, 8 * s: 20},
		},
		{
			"a third is exact", []Stage{{mustParse(t, "3/s"), mustParse(t, "3/s"), time.Hour}},
			map[int64]time.Duration{1: 333_333_333, 2: 666_666_666, 3: s, 10_799: 3599*s + 666_666_666, 10_800: math.MaxInt64},
			map[time.Duration]int64{333_333_333: 1, 333_333_334: 2, time.Hour: 10_800},
		},
	}
	for _, tt := range tests {
		schedule, err := Stages(tt.stages...)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tt.at {
			if got := schedule.At(i); got != want {
				t.Errorf("%s: arrival %d at %d, want %d", tt.name, i, got, want)
			}
		}
		for d, want := range tt.count {
			if got := schedule.Count(d); got != want {
				t.Errorf("%s: %d arrivals in %v, want %d", tt.name, got, d, want)
			}
		}
	}
}

func TestStagesSayWhatIsWrong(t *testing.T) {
	year := 365 * 24 * time.Hour
	for want, stages := range map[string][]Stage{
		"stages: there are none: write at least one rate and its duration": nil,
		"stage 2: its duration is 0s: it must be above zero":               {{For: 1}, {}},
		"stages: together they last more than 292 years":                   {{For: 200 * year}, {For: 200 * year}},
	} {
		if _, err := Stages(stages...); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The oracle integrates the rates in fractions.
func TestStagesAgreeWithFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "stages")
		stages := make([]Stage, n)
		for k := range stages {
			stages[k] = Stage{
				From: rapid.OneOf(rapid.Just(Rate{}), anyRate()).Draw(t, "from"),
				To:   rapid.OneOf(rapid.Just(Rate{}), anyRate()).Draw(t, "to"),
				For:  time.Duration(rapid.Int64Range(1, int64(100*time.Hour)).Draw(t, "for")),
			}
		}
		schedule, err := Stages(stages...)
		if err != nil {
			t.Fatal(err)
		}
		total := schedule.Count(math.MaxInt64)
		if want := ceil(integral(stages, 1<<62)); total != want {
			t.Fatalf("%d arrivals, want %d", total, want)
		}
		if total == 0 {
			return
		}
		i := rapid.OneOf(rapid.Just(total-1), rapid.Int64Range(0, total-1)).Draw(t, "i")
		at := schedule.At(i)
		index := new(big.Rat).SetInt64(i)
		if before, after := integral(stages, at), integral(stages, at+1); before.Cmp(index) > 0 || after.Cmp(index) <= 0 {
			t.Fatalf("arrival %d at %d, but N goes from %v to %v", i, at, before, after)
		}
		if got, want := schedule.Count(at), ceil(integral(stages, at)); got != want || got > i {
			t.Fatalf("%d arrivals before number %d, want %d", got, i, want)
		}
	})
}

func perNanosecond(r Rate) *big.Rat {
	if r.IsZero() {
		return new(big.Rat)
	}
	return new(big.Rat).Quo(big.NewRat(r.arrivals, r.seconds), big.NewRat(1e9, 1))
}

// integral returns N(d): whole trapezia, and the part of the one that d lies in.
func integral(stages []Stage, d time.Duration) *big.Rat {
	sum := new(big.Rat)
	for _, s := range stages {
		t := big.NewRat(int64(min(d, s.For)), 1)
		slope := new(big.Rat).Sub(perNanosecond(s.To), perNanosecond(s.From))
		slope.Quo(slope, big.NewRat(int64(s.For), 1))
		now := new(big.Rat).Add(perNanosecond(s.From), new(big.Rat).Mul(slope, t))
		mean := new(big.Rat).Add(perNanosecond(s.From), now)
		mean.Quo(mean, big.NewRat(2, 1))
		sum.Add(sum, mean.Mul(mean, t))
		if d -= s.For; d <= 0 {
			break
		}
	}
	return sum
}

func ceil(x *big.Rat) int64 {
	n, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n.Int64()
}

func TestReplay(t *testing.T) {
	times := []time.Duration{5, 0, 9, 5}
	s, err := Replay(times)
	if err != nil {
		t.Fatal(err)
	}
	times[0] = 77 // the schedule has its own copy
	for i, want := range []time.Duration{0, 5, 5, 9, math.MaxInt64} {
		if got := s.At(int64(i)); got != want {
			t.Errorf("arrival %d at %d, want %d", i, got, want)
		}
	}
	for d, want := range map[time.Duration]int64{0: 0, 1: 1, 5: 1, 6: 3, 10: 4} {
		if got := s.Count(d); got != want {
			t.Errorf("%d arrivals before %d, want %d", got, d, want)
		}
	}
	if _, err := Replay([]time.Duration{1, -2}); err == nil || err.Error() != "replay: an arrival at -2ns: count the times from the first one" {
		t.Errorf("%v", err)
	}
}

func BenchmarkStages(b *testing.B) {
	s, err := Stages(Stage{mustParse(b, "1/s"), mustParse(b, "10k/s"), time.Hour}, Stage{mustParse(b, "10k/s"), mustParse(b, "1/10s"), time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	for i := int64(0); b.Loop(); i++ {
		s.At(i * 7919 % 36_000_000)
	}
}
