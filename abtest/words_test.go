package abtest

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

func timesOf(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v * (1 + .004*float64(i%4))
	}
	return out
}

// rates is a finding on shares.
func rates(t *testing.T, name string, a, b []int64, of int64, k int) finding {
	t.Helper()
	s := sessionOf(t, planOf(t, []string{name}, standard...))
	f := finding{Metric: s.primary[0], primary: true}
	for j := range a {
		f.a = append(f.a, verdict.Measure{Value: float64(a[j]) / float64(of), N: of, Count: stats.Count{Events: a[j], Trials: of}})
		f.b = append(f.b, verdict.Measure{Value: float64(b[j]) / float64(of), N: of, Count: stats.Count{Events: b[j], Trials: of}})
	}
	var err error
	if f.evidence, err = f.weigh(make([]pair, len(a))); err != nil {
		t.Fatal(err)
	}
	decideAt(t, s, &f, k)
	return f
}

// censored is a finding of which the first n runs of a side lie beyond measure.
func censored(t *testing.T, inA, inB int, where facts.Beyond) finding {
	t.Helper()
	s := sessionOf(t, planOf(t, []string{"create_order p95"}, standard...))
	f := finding{Metric: s.primary[0], primary: true}
	side := func(v float64, n int) []verdict.Measure {
		out := make([]verdict.Measure, 8)
		for j := range out {
			out[j] = verdict.Measure{Value: v * (1 + .01*float64(j%3)), N: 500, Text: "24.5", Quantile: facts.Quantile{Timeout: 10e9}}
			if j < n {
				out[j].Value, out[j].Text, out[j].Quantile.Where = math.Inf(1), "> 10 s", where
			}
		}
		return out
	}
	f.a, f.b = side(24.5, inA), side(24.5, inB)
	pairs := make([]pair, 8)
	for j := range pairs {
		pairs[j] = pair{trialOf(slotOf(j+1, "A", true), 1).Facts(), trialOf(slotOf(j+1, "B", true), 1).Facts()}
	}
	e, err := f.weigh(pairs)
	if err != nil {
		t.Fatal(err)
	}
	if f.evidence = e; e.Bound == stats.Incomparable {
		f.why = "in both variants it lies beyond every measured time (A > 10 s, B > 10 s)"
	}
	decideAt(t, s, &f, 2)
	return f
}

func TestSentences(t *testing.T) {
	flat := "+--++--++--+"
	coarse := exact(t, "done p50", timesOf(220, 8), timesOf(220, 8), flat, 2)
	coarse.Resolution = 200
	s := sessionOf(t, planOf(t, []string{"done p50"}, standard...))
	procedure, err := stats.NewSession(s.procedure.Looks(), resolved([]finding{coarse}))
	if err != nil {
		t.Fatal(err)
	}
	j, err := procedure.Judge(2, evidence([]finding{coarse}))
	if err != nil {
		t.Fatal(err)
	}
	coarse.decision = j.Decisions[0]
	few := exact(t, "create_order p95", v1a[:3], v1b[:3], flat, 0)
	missing := finding{Metric: few.Metric, why: "only 12 samples beyond it in a run, 20 are needed to judge it"}
	for _, c := range []struct {
		name string
		f    finding
		want string
	}{
		{"worse", exact(t, "create_order p95", v1a, v1b, v1order, 2), "create_order p95 is 10.3 % worse with tpc: +2.54 ms (95 % CI +2.13 ms to +2.95 ms), 8 pairs."},
		{"better", exact(t, "create_order p95", v1b, v1a, v1order, 2), "create_order p95 is 9.38 % better with tpc: -2.54 ms (95 % CI -2.90 ms to -2.17 ms), 8 pairs."},
		{"same", exact(t, "create_order p50", v2a, v2b, v2order, 2), "create_order p50: no meaningful difference; tpc is between 0.4 % faster and 0.7 % slower (limit 1 ms, here 6.42 %)."},
		{"measurable", exact(t, "create_order p50", timesOf(100, 8), timesOf(102, 8), flat, 2),
			"create_order p50: no meaningful difference; tpc is between 2.0 % slower and 2.0 % slower (limit 5 %): measurable, too small to matter."},
		{"unclear", exact(t, "create_order p95", v3a, v3b, v3order, 1), "create_order p95: can't tell after 6 pairs; between 12.3 % faster and 15.1 % slower. About 7 pairs would settle it."},
		{"coarse", coarse, `done p50: can't tell after 8 pairs; between 0.0 % slower and 0.0 % slower. It is known to within 200 ms only, so "same" cannot be said.`},
		{"few", few, "create_order p95: can't tell from 3 pairs; a verdict needs at least 4."},
		{"not judged", missing, "create_order p95: not comparable; only 12 samples beyond it in a run, 20 are needed to judge it."},
		{"errors worse", rates(t, "errors", []int64{9, 4, 0, 12, 7, 5}, []int64{210, 160, 90, 310, 120, 190}, 9000, 1),
			"errors is worse with tpc: +1.93 points (95 % CI +0.51 to +3.36), 6 pairs."},
		{"errors, small", rates(t, "errors", []int64{9, 4, 0, 12, 7, 5}, []int64{21, 16, 9, 31, 12, 19}, 9000, 1),
			"errors is worse with tpc: +0.13 points (95 % CI +0.04 to +0.22), 6 pairs."},
		{"no errors", rates(t, "errors", make([]int64, 8), make([]int64, 8), 9000, 2), "errors: no meaningful difference; tpc is between 0.00 points higher and 0.00 points higher (limit 0.2 points)."},
		{"completed", rates(t, "done completed", []int64{900, 910, 905, 898, 903, 907, 899, 902}, []int64{500, 510, 505, 498, 503, 507, 499, 502}, 1000, 2),
			"done completed is worse with tpc: -40.00 points (95 % CI -40.00 to -40.00), 8 pairs."},
		{"all of B censored", censored(t, 0, 8, facts.AmongTimeouts), "create_order p95 is worse with tpc, by a factor of at least 405: beyond every measured time in 8 of 8 runs of B and 0 of A."},
		{"all of B failed", censored(t, 0, 8, facts.AmongFailed), "create_order p95 is worse with tpc: among failures or beyond every measured time in 8 of 8 runs of B and 0 of A."},
		{"all of A censored", censored(t, 8, 0, facts.AmongTimeouts), "create_order p95 is better with tpc, by a factor of at least 405: beyond every measured time in 0 of 8 runs of B and 8 of A."},
		{"both censored", censored(t, 5, 5, facts.AmongTimeouts), "create_order p95: not comparable; in both variants it lies beyond every measured time (A > 10 s, B > 10 s)."},
		{"a few in both", censored(t, 1, 1, facts.AmongTimeouts), "create_order p95: can't tell after 8 pairs; beyond every measured time in 1 run of A and 1 of B."},
	} {
		got := c.f.sentence("tpc")
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		wellFormed(t, got)
	}
}

var banned = regexp.MustCompile(`(?i)significan|\bwins?\b|winner|NaN|Inf\b|%!`)

// wellFormed sentences have no banned word and no p without an interval.
func wellFormed(t tester, s string) {
	t.Helper()
	if banned.MatchString(s) {
		t.Errorf("banned word: %s", s)
	}
	if strings.Contains(s, "p =") || strings.Contains(s, "p <") {
		t.Errorf("a p value without its interval: %s", s)
	}
}

func TestFit(t *testing.T) {
	long := strings.Repeat("ü", 141)
	if got := fit(long, "short"); got != "short" {
		t.Errorf("got %q", got)
	}
	if got := fit(long); utf8.RuneCountInString(got) != 140 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("got %q", got)
	}
	if got := fit(long[:280]); got != long[:280] {
		t.Error("140 characters were cut")
	}
}

// Limits are printed without the dust of binary fractions.
func TestLimitText(t *testing.T) {
	f := exact(t, "create_order p95", timesOf(100, 8), timesOf(100, 8), v1order, 2)
	for rel, want := range map[float64]string{.07: "7 %", .1: "10 %", .125: "12.5 %"} {
		f.RuleOut = stats.Margin{Rel: rel, Abs: 2}
		if got := f.limit(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f.RuleOut = stats.Margin{Rel: .01, Abs: 2}
	f.decision.RuleOut = math.Log1p(.02)
	if got := f.limit(); got != "2 ms, here 2.00 %" {
		t.Errorf("got %q", got)
	}
	r := rates(t, "errors", make([]int64, 4), make([]int64, 4), 9000, 0)
	r.RuleOut.Abs = .07 / 100
	if got := r.limit(); got != "0.07 points" {
		t.Errorf("got %q", got)
	}
	if got := pairsText(math.MaxInt32); got != "more than 1000" {
		t.Errorf("got %q", got)
	}
}
