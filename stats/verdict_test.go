package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// pairsOf makes pairs around base with the given log ratios.
func pairsOf(base float64, d ...float64) []Pair {
	pairs := make([]Pair, len(d))
	for i, x := range d {
		pairs[i] = Pair{A: base, B: base * math.Exp(x), AFirst: i%2 == 0}
	}
	return pairs
}

// eight returns eight log ratios of the given mean and standard deviation.
func eight(mean, sd float64) []float64 {
	d := make([]float64, 8)
	for i := range d {
		d[i] = mean + sd*math.Sqrt(7.0/8)*float64(1-2*(i%2))
	}
	return d
}

func decide(t *testing.T, m Metric, e Evidence) Decision {
	t.Helper()
	s, err := NewSession(StandardLooks(), []Metric{m})
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Judge(2, []Evidence{e})
	if err != nil {
		t.Fatal(err)
	}
	return j.Decisions[0]
}

func TestVerdicts(t *testing.T) {
	higher := p95
	higher.Direction = HigherIsBetter
	relative := Metric{NameAt: Margin{Rel: 0.05}, RuleOut: Margin{Rel: 0.10}}
	coarse := p95
	coarse.Resolution = 10 // at a base of 100, name-at is 5
	type outcome struct {
		Verdict              Verdict
		Rejected, Measurable bool
	}
	tests := []struct {
		name   string
		metric Metric
		pairs  []Pair
		want   outcome
	}{
		{"slower", p95, pairsOf(100, eight(0.10, 0.03)...), outcome{Worse, true, false}},
		{"faster", p95, pairsOf(100, eight(-0.10, 0.03)...), outcome{Better, true, false}},
		{"more, and more is better", higher, pairsOf(100, eight(0.10, 0.03)...), outcome{Better, true, false}},
		{"less, and more is better", higher, pairsOf(100, eight(-0.10, 0.03)...), outcome{Worse, true, false}},
		{"no difference", p95, pairsOf(100, eight(0, 0.03)...), outcome{Same, false, false}},
		{"sure but too small to matter", p95, pairsOf(100, eight(0.03, 0.005)...), outcome{Same, true, true}},
		{"sure, too small to name, too large to rule out", p95, pairsOf(100, eight(0.045, 0.06)...), outcome{Unclear, false, false}},
		{"noisy", p95, pairsOf(100, eight(0, 0.20)...), outcome{Unclear, false, false}},
		{"large but unsure", p95, pairsOf(100, eight(0.10, 0.20)...), outcome{Unclear, false, false}},
		{"named size inside the rule-out margin, unsure", p95, pairsOf(100, eight(0.051, 0.046)...), outcome{Unclear, false, false}},
		{"interval touches beyond the rule-out margin", p95, pairsOf(100, eight(0.02, 0.08)...), outcome{Unclear, false, false}},
		{"equal, but too few pairs", p95, pairsOf(100, 0, 0.001, -0.001), outcome{Unclear, false, false}},
		{"too few pairs", p95, pairsOf(100, 0.500, 0.501, 0.499), outcome{Unclear, false, false}},
		// 8 % of 10 ms is .8 ms: beyond 5 %, within 1 ms.
		{"percent exceeded, absolute not", p95, pairsOf(10, eight(0.08, 0.005)...), outcome{Same, true, true}},
		{"the same by percent alone", relative, pairsOf(10, eight(0.08, 0.005)...), outcome{Worse, true, false}},
		// 2 % of 1000 ms is 20 ms: beyond 1 ms, within 5 %.
		{"absolute exceeded, percent not", p95, pairsOf(1000, eight(0.02, 0.005)...), outcome{Same, true, true}},
		{"coarse, small difference", coarse, pairsOf(100, eight(0.08, 0.005)...), outcome{Unclear, true, false}},
		{"coarse, large difference", coarse, pairsOf(100, eight(0.12, 0.005)...), outcome{Worse, true, false}},
		{"coarse, no difference", coarse, pairsOf(100, eight(0, 0.005)...), outcome{Unclear, false, false}},
		{"exact and equal", p95, pairsOf(100, eight(0, 0)...), outcome{Same, false, false}},
		{"exact and larger", p95, pairsOf(100, eight(0.2, 0)...), outcome{Worse, true, false}},
		{"exact and smaller", p95, pairsOf(100, eight(-0.2, 0)...), outcome{Better, true, false}},
		{"exact and a little larger", p95, pairsOf(100, eight(0.01, 0)...), outcome{Same, true, true}},
	}
	for _, tt := range tests {
		d := decide(t, tt.metric, mustLogRatios(t, tt.pairs))
		got := outcome{d.Verdict, d.Rejected, d.Measurable}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s%+v", tt.name, diff, d)
		}
		if wantForecast := d.Verdict == Unclear; (d.Forecast != Forecast{}) != wantForecast {
			t.Errorf("%s: verdict %v with forecast %+v", tt.name, d.Verdict, d.Forecast)
		}
	}
}

// Eight pairs, mean .05 and sd .1, worked by hand with t from tables:
// SE .0353553, t_(7, 1-.01318/2) = 3.296723, t_(7, 1-.02816/2) = 2.763...
func TestDecisionInFull(t *testing.T) {
	got := decide(t, p95, mustLogRatios(t, pairsOf(100, eight(0.05, 0.1)...)))
	half := 3.2967231025870927 * 0.1 / math.Sqrt(8)
	narrow := TCritical(.02816, 7) * 0.1 / math.Sqrt(8)
	want := Decision{
		Verdict:     Unclear,
		P:           TTwoSided(0.05*math.Sqrt(8)/0.1, 7),
		Level:       .01318,
		CI:          Interval{0.05 - half, 0.05 + half},
		Equivalence: Interval{0.05 - narrow, 0.05 + narrow},
		NameAt:      math.Log(1.05),
		RuleOut:     math.Log(1.10),
		Detectable:  half + 0.8960296*0.1/math.Sqrt(8), // t_(7,.80) = .8960
		// (1.7959 + .8416)^2 .01/.0953^2 = 7.66 with t_(11,.95); n = 9 is the
		// first to reach its own (1.8595 + .8416)^2 1.1009 = 8.03.
		// 2 + (1.9600 + .8416)^2 .01/.05^2 = 33.4.
		Forecast: Forecast{Same: 9, Different: 34},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRateVerdicts(t *testing.T) {
	m := Metric{Scale: Difference, NameAt: Margin{Abs: 0.001}, RuleOut: Margin{Abs: 0.002}}
	zero := []int64{0, 0, 0, 0}
	tests := []struct {
		name  string
		pairs []RatePair
		want  Verdict
	}{
		{"more errors", rates(1000, []int64{9, 4, 0, 12, 7, 5}, []int64{61, 56, 49, 71, 52, 59}), Worse},
		{"fewer errors", rates(1000, []int64{61, 56, 49, 71, 52, 59}, []int64{9, 4, 0, 12, 7, 5}), Better},
		{"sure, but a tenth of the margin", rates(1_000_000, []int64{9, 4, 3, 12, 7, 5}, []int64{109, 104, 103, 112, 107, 106}), Same},
		// 3 in 4 x 400 is .0019.
		{"no errors in enough trials", rates(400, zero, zero), Same},
		{"no errors in too few trials", rates(300, zero, zero), Unclear},
		{"equal counts in too few trials", rates(300, []int64{1, 1, 1, 1}, []int64{1, 1, 1, 1}), Unclear},
		{"noisy", rates(1000, []int64{0, 20, 3, 40}, []int64{30, 1, 25, 2}), Unclear},
		{"three pairs", rates(1000, []int64{1, 2, 3}, []int64{501, 502, 503}), Unclear},
	}
	for _, tt := range tests {
		e, err := Rates(tt.pairs)
		if err != nil {
			t.Fatal(err)
		}
		if d := decide(t, m, e); d.Verdict != tt.want {
			t.Errorf("%s: %v, want %v: %+v", tt.name, d.Verdict, tt.want, d)
		}
	}
}

// The variant with fewer trials sets what "no events" can rule out.
func TestRuleOfThreeUsesTheSmallerSide(t *testing.T) {
	e, err := Rates([]RatePair{{Count{0, 1_000_000}, Count{0, 100}}, {Count{0, 5}, Count{0, 200}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.ruleOfThree(); got != 0.01 {
		t.Errorf("3/n = %v, want 3/300", got)
	}
}

// Among four primaries Holm holds the first p to .00304 at this look, while the
// interval of 95 % uses .01318 and that of equivalence .02816. In between, a
// difference is not named, yet neither "same" nor unmeasurable.
func TestVerdictsBetweenTheLevels(t *testing.T) {
	s, err := NewSession(StandardLooks(), []Metric{p95, p95, p95, p95})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name       string
		mean, sd   float64
		want       Verdict
		measurable bool
	}{
		{"large enough to name, small enough to rule out", 0.055, 0.038, Unclear, false},
		{"too small to name, but no accident", 0.03, 0.021, Same, true},
		{"too small to name, maybe an accident", 0.02, 0.021, Same, false},
	}
	for _, tt := range tests {
		e := mustLogRatios(t, pairsOf(100, eight(tt.mean, tt.sd)...))
		j, err := s.Judge(2, []Evidence{e, Veto(), Veto(), Veto()})
		if err != nil {
			t.Fatal(err)
		}
		d := j.Decisions[0]
		if d.Rejected || d.Verdict != tt.want || d.Measurable != tt.measurable {
			t.Errorf("%s: rejected %v, %v, measurable %v: %+v", tt.name, d.Rejected, d.Verdict, d.Measurable, d)
		}
	}
}

func TestVetoClaimsNothing(t *testing.T) {
	e := mustLogRatios(t, v1)
	e.Vetoed = true
	if p := e.claimP(); p != 1 {
		t.Errorf("p = %v, want 1", p)
	}
	if d := decide(t, p95, e); d.Verdict != NotComparable || d.Rejected {
		t.Errorf("%+v", d)
	}
}

// When the transformed rates point the other way than the rates, nothing can be
// claimed.
func TestContradictoryRatesClaimNothing(t *testing.T) {
	e := Evidence{Scale: Difference, N: 8, Mean: 0.01, SD: 0.001, SE: 0.0003, T: -9, P: 1e-5}
	if p := e.claimP(); p != 1 {
		t.Errorf("p = %v, want 1", p)
	}
}

func TestCensoredEvidence(t *testing.T) {
	const limit = 10_000
	inf := math.Inf(1)
	tests := []struct {
		name  string
		a, b  []float64
		bound Bound
		want  Verdict
	}{
		{"B beyond the limit", []float64{800, 850, 790, 820}, []float64{inf, inf, inf, inf}, AtLeast, Worse},
		{"A beyond the limit", []float64{inf, inf, inf, inf}, []float64{800, 850, 790, 820}, AtMost, Better},
		{"B once, close to the limit", []float64{9900, 9950, 9900, 9950}, []float64{9900, 9950, 9900, inf}, AtLeast, Unclear},
		{"B once, and faster otherwise", []float64{9000, 9100, 9000, 9100}, []float64{900, 910, 900, inf}, AtLeast, Unclear},
		{"both in most pairs", []float64{inf, inf, inf, 9000}, []float64{9000, inf, inf, inf}, Incomparable, NotComparable},
		{"both in half of the pairs", []float64{inf, inf, 500, 510}, []float64{inf, inf, 5000, 5100}, Unbounded, Unclear},
		{"both, B in all", []float64{inf, 100, 101, 102}, []float64{inf, inf, inf, inf}, Unbounded, Unclear},
		{"none", []float64{100, 101, 102, 103}, []float64{200, 203, 203, 207}, Uncensored, Worse},
	}
	for _, tt := range tests {
		e, err := CensoredLogRatios(zip(tt.a, tt.b, ""), limit)
		if err != nil {
			t.Fatal(err)
		}
		d := decide(t, p95, e)
		if e.Bound != tt.bound || d.Verdict != tt.want {
			t.Errorf("%s: bound %v, %v, want %v, %v: %+v", tt.name, e.Bound, d.Verdict, tt.bound, tt.want, d)
		}
	}
}

// "At least x times" is the ratio of the limit to what A took.
func TestCensoredRatioIsALowerBound(t *testing.T) {
	inf := math.Inf(1)
	e, err := CensoredLogRatios([]Pair{{A: 1000, B: inf}, {A: 4000, B: inf}}, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "at least", []float64{e.Ratio(e.Mean)}, 5)
}

// A wrong-way claim on censored values must not use up a step of Holm.
func TestBoundClaimsOneSideOnly(t *testing.T) {
	for _, tt := range []struct {
		bound Bound
		mean  float64
		want  float64
	}{
		{AtLeast, 1, 1e-6}, {AtLeast, -1, 1}, {AtMost, -1, 1e-6}, {AtMost, 1, 1},
		{Unbounded, 1, 1}, {Incomparable, 1, 1}, {Uncensored, -1, 1e-6},
	} {
		e := Evidence{N: 8, Bound: tt.bound, Mean: tt.mean, T: 10 * tt.mean, P: 1e-6}
		if got := e.claimP(); got != tt.want {
			t.Errorf("bound %v, mean %v: p %v, want %v", tt.bound, tt.mean, got, tt.want)
		}
	}
}

func TestVerdictWords(t *testing.T) {
	var got []string
	for v := Unclear; v <= NotComparable; v++ {
		got = append(got, v.String())
	}
	if diff := cmp.Diff([]string{"unclear", "better", "worse", "same", "not comparable"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestForecasts(t *testing.T) {
	tests := []struct {
		name            string
		sd, limit       float64
		same, different int
	}{
		{"no spread", 0, 0.05, 4, 4},
		{"p95 of a typical machine, 10 %", 0.0608, math.Log(1.10), 5, 6},
		{"p95 of a typical machine, 5 %", 0.0608, math.Log(1.05), 11, 15},
		{"noisy", 0.12, math.Log(1.05), 39, 50},
	}
	for _, tt := range tests {
		if got := PairsForSame(tt.sd, tt.limit); got != tt.same {
			t.Errorf("%s: same after %d pairs, want %d", tt.name, got, tt.same)
		}
		if got := PairsForDifferent(tt.sd, tt.limit); got != tt.different {
			t.Errorf("%s: different after %d pairs, want %d", tt.name, got, tt.different)
		}
	}
	if got := Detectable(1, 0.05, 0.05); !math.IsInf(got, 1) {
		t.Errorf("one pair can detect %v, want nothing", got)
	}
}

// Forecasts of a hopeless spread must end, and stay integers.
func TestForecastOfAHopelessSpread(t *testing.T) {
	for _, sd := range []float64{1e6, math.Inf(1)} {
		if got := PairsForSame(sd, 1e-9); got != math.MaxInt32 {
			t.Errorf("spread %v: same after %d pairs, want the cap", sd, got)
		}
		if got := PairsForDifferent(sd, 1e-9); got != math.MaxInt32 {
			t.Errorf("spread %v: different after %d pairs, want the cap", sd, got)
		}
	}
}
