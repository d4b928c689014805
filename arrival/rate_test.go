package arrival

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, text string) Rate {
	t.Helper()
	r, err := ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseRate(t *testing.T) {
	tests := []struct{ in, want string }{
		{"50/s", "50/s"},
		{"3000/m", "50/s"},
		{"3000/min", "50/s"},
		{"1/10s", "1/10s"},
		{"0.2/s", "1/5s"},
		{".5/s", "1/2s"},
		{"2./s", "2/s"},
		{"1k/s", "1000/s"},
		{"1.5k/m", "25/s"},
		{"1/100ms", "10/s"},
		{"1/3ms", "1000/3s"},
		{"2/0.5s", "4/s"},
		{"3600/h", "1/s"},
		{"1/us", "1000000/s"},
		{" 7 / 2 s ", "7/2s"},
		{"1/292y", ""},
		{"0.123456789/s", "123456789/1000000000s"},
		{"1000000000/s", "1000000000/s"},
	}
	for _, tt := range tests {
		got, err := ParseRate(tt.in)
		if tt.want == "" {
			if err == nil {
				t.Errorf("ParseRate(%q) = %v, want an error", tt.in, got)
			}
			continue
		}
		if err != nil || got.String() != tt.want {
			t.Errorf("ParseRate(%q) = %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseRateSaysWhatToWrite(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `rate "": it does not say per what time: write 50/s, 3000/m or 1/10s`},
		{"50", `rate "50": it does not say per what time: write 50/s, 3000/m or 1/10s`},
		{"fast/s", `rate "fast/s": "fast" is not a count: write 50/s, 3000/m or 1/10s`},
		{"-5/s", `rate "-5/s": "-5" is not a count: write 50/s, 3000/m or 1/10s`},
		{"1e3/s", `rate "1e3/s": "1e3" is not a count: write 50/s, 3000/m or 1/10s`},
		{"./s", `rate "./s": "." is not a count: write 50/s, 3000/m or 1/10s`},
		{"1.2.3/s", `rate "1.2.3/s": "1.2.3" is not a count: write 50/s, 3000/m or 1/10s`},
		{"50/x", `rate "50/x": "x" is not a time: write 50/s, 3000/m or 1/10s`},
		{"50/", `rate "50/": "" is not a time: write 50/s, 3000/m or 1/10s`},
		{"50/1/s", `rate "50/1/s": "1/s" is not a time: write 50/s, 3000/m or 1/10s`},
		{"50/0s", `rate "50/0s": the time must be above zero: write 50/s, 3000/m or 1/10s`},
		{"0/s", `rate "0/s": it must be above zero: write 50/s, 3000/m or 1/10s`},
		{"2000000k/s", `rate "2000000k/s": the highest rate is 1000000000/s: write 50/s, 3000/m or 1/10s`},
		{"1/9999999999s", `rate "1/9999999999s": it is less than one arrival in 292 years: write 50/s, 3000/m or 1/10s`},
		{"0.12345678901234567/s", `rate "0.12345678901234567/s": it has too many digits to be kept exactly: write 50/s, 3000/m or 1/10s`},
		{"1111111111111111111111111111111111111111/s",
			`rate "1111111111111111111111111111111111111111...": it is longer than 40 characters: write 50/s, 3000/m or 1/10s`},
	}
	for _, tt := range tests {
		_, err := ParseRate(tt.in)
		if err == nil {
			t.Errorf("ParseRate(%q): no error", tt.in)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("ParseRate(%q): %s", tt.in, diff)
		}
	}
}

func TestNewRate(t *testing.T) {
	r, err := NewRate(3000, time.Minute)
	if err != nil || r != mustParse(t, "50/s") || r.PerSecond() != 50 || r.IsZero() {
		t.Errorf("3000 in a minute: %v, %v", r, err)
	}
	for _, bad := range []struct {
		n      int64
		period time.Duration
		want   string
	}{
		{0, time.Second, "rate 0 in 1s: both must be above zero"},
		{1, -time.Second, "rate 1 in -1s: both must be above zero"},
		{2, 1, "rate 2 in 1ns: the highest rate is 1000000000/s"},
	} {
		if _, err := NewRate(bad.n, bad.period); err == nil || err.Error() != bad.want {
			t.Errorf("NewRate(%d, %v): %v, want %v", bad.n, bad.period, err, bad.want)
		}
	}
}

func TestZeroRateHasNoArrivals(t *testing.T) {
	var r Rate
	if !r.IsZero() || r.PerSecond() != 0 || r.Count(math.MaxInt64) != 0 {
		t.Errorf("zero rate: %v, %d arrivals", r.PerSecond(), r.Count(math.MaxInt64))
	}
	for name, s := range map[string]Schedule{"constant": Constant(r), "poisson": Poisson(r, 1)} {
		if at, n := s.At(0), s.Count(math.MaxInt64); at != math.MaxInt64 || n != 0 {
			t.Errorf("%s: first at %v, %d arrivals", name, at, n)
		}
	}
}

func TestConstantIsExact(t *testing.T) {
	tests := []struct {
		rate string
		i    int64
		want time.Duration
	}{
		{"50/s", 0, 0},
		{"50/s", 1, 20 * time.Millisecond},
		{"3/s", 1, 333_333_333},
		{"3/s", 2, 666_666_666},
		{"3/s", 3, time.Second},
		{"1/10s", 1, 10 * time.Second},
		{"1/10s", 360, time.Hour},
		{"10k/s", 9_000_000_000, 900_000 * time.Second},
		{"7/s", 9_000_000_000, 1_285_714_285_714_285_714},
		{"7/s", 9_000_000_001, 1_285_714_285_857_142_857},
		{"1/s", math.MaxInt64, math.MaxInt64},
		{"1000000000/s", math.MaxInt64, math.MaxInt64},
		{"999999999/s", math.MaxInt64 - 1e10, math.MaxInt64 - 776_627_964},
	}
	for _, tt := range tests {
		if got := Constant(mustParse(t, tt.rate)).At(tt.i); got != tt.want {
			t.Errorf("%s: arrival %d at %d, want %d", tt.rate, tt.i, got, tt.want)
		}
	}
}

func TestConstantCount(t *testing.T) {
	tests := []struct {
		rate string
		d    time.Duration
		want int64
	}{
		{"50/s", -time.Second, 0},
		{"50/s", 0, 0},
		{"50/s", 1, 1},
		{"50/s", 20 * time.Millisecond, 1},
		{"50/s", 20*time.Millisecond + 1, 2},
		{"50/s", time.Minute, 3000},
		{"3/s", time.Second, 3},
		{"3/s", 333_333_333, 1},
		{"3/s", 333_333_334, 2},
		{"1/10s", time.Minute, 6},
		{"1/10s", 61 * time.Second, 7},
		{"1000000000/s", math.MaxInt64, math.MaxInt64},
	}
	for _, tt := range tests {
		if got := Constant(mustParse(t, tt.rate)).Count(tt.d); got != tt.want {
			t.Errorf("%s: %d arrivals in %v, want %d", tt.rate, got, tt.d, tt.want)
		}
	}
}

func anyRate() *rapid.Generator[Rate] {
	return rapid.Custom(func(t *rapid.T) Rate {
		n := rapid.Int64Range(1, 1_000_000).Draw(t, "arrivals")
		period := rapid.Int64Range(1_000_000, int64(100*time.Hour)).Draw(t, "period")
		r, err := NewRate(n, time.Duration(period))
		if err != nil {
			t.Skip(err)
		}
		return r
	})
}

// The oracle is arithmetic in whole numbers of any size.
func TestConstantAgreesWithBigNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRate().Draw(t, "rate")
		i := rapid.Int64Range(0, math.MaxInt64).Draw(t, "i")
		exact := new(big.Int).Mul(big.NewInt(i), big.NewInt(r.seconds))
		exact.Mul(exact, big.NewInt(int64(time.Second)))
		exact.Quo(exact, big.NewInt(r.arrivals))
		want := int64(math.MaxInt64)
		if exact.IsInt64() {
			want = exact.Int64()
		}
		at := Constant(r).At(i)
		if int64(at) != want {
			t.Fatalf("%v: arrival %d at %d, want %d", r, i, at, want)
		}
		if want == math.MaxInt64 {
			return
		}
		if before, with := r.Count(at), r.Count(at+1); before > i || with <= i {
			t.Fatalf("%v: arrival %d at %d is not between counts %d and %d", r, i, at, before, with)
		}
	})
}

func TestRateText(t *testing.T) {
	for _, want := range []Rate{{}, mustParse(t, "50/s"), mustParse(t, "1/10s")} {
		text, _ := want.MarshalText()
		var got Rate
		if err := got.UnmarshalText(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if err := new(Rate).UnmarshalText([]byte("often")); err == nil {
		t.Error("often: no error")
	}
}

func FuzzParseRate(f *testing.F) {
	for _, seed := range []string{"50/s", "3000/m", "1/10s", "0.2/s", "1k/s", "1/3ms", "1e9/s", "-1/s", "/", "1/1/s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRate(text)
		if err != nil {
			if r != (Rate{}) {
				t.Errorf("%q: %v beside the error %v", text, r, err)
			}
			return
		}
		again, err := ParseRate(r.String())
		if err != nil || again != r {
			t.Errorf("%q is %v, which reads as %v, %v", text, r, again, err)
		}
		if r.PerSecond() <= 0 || r.at(1) < 1 {
			t.Errorf("%q: %v per second, second arrival at %v", text, r.PerSecond(), r.at(1))
		}
	})
}
