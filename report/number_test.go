package report

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/result"
)

func TestNumbersAsPrinted(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(54000), "54,000"}, {count(-1234567), "-1,234,567"},
		{three(0), "0"}, {three(0.0312), "0.0312"}, {three(24.46), "24.5"}, {three(99.96), "100"}, {three(1204.4), "1,204"}, {three(-8.149), "-8.15"}, {three(nan), "-"}, {three(inf), "-"}, {three(1.5e-7), "1.5e-07"},
		{millis(24.46), "24.5 ms"}, {millis(9999), "9,999 ms"}, {millis(10141), "10.1 s"}, {millis(nan), "-"},
		{limit(600), "600 ms"}, {limit(10000), "10 s"}, {limit(1500), "1.5 s"}, {limit(nan), "-"},
		{signed(-1.44), "-1.4"}, {signed(4.0), "+4.0"}, {signed(-0.04), "0.0"}, {signed(0), "0.0"}, {signed(541.3), "+541"}, {signed(-12345), "-12,345"}, {signed(nan), "-"},
		{signedThree(0.343), "+0.343"}, {signedThree(-4.459), "-4.46"}, {signedThree(0), "0"}, {signedThree(nan), "-"},
		{points(0.02), "+0.02"}, {points(-1.5), "-1.50"}, {points(0), "0.00"}, {points(0.0003), "+0.0003"}, {points(nan), "-"},
		{share(100), "100"}, {share(99.997), "99.99"}, {share(99.94), "99.9"}, {share(0), "0"}, {share(0.0123), "0.012"}, {share(0.09), "0.09"}, {share(0.5), "0.5"}, {share(-0.5), "-0.5"}, {share(15.1), "15.1"}, {share(nan), "-"},
		{seconds(0), "0"}, {seconds(12), "12"}, {seconds(0.5004), "0.5"}, {seconds(nan), "-"},
		{span(9.6), "10 s"}, {span(59.9), "1 min 0 s"}, {span(214), "3 min 34 s"}, {span(7384), "2 h 3 min"}, {span(nan), "-"},
		{percentile(0.5), "p50"}, {percentile(0.999), "p99.9"}, {percentile(0.99999), "p99.999"}, {percentile(0.9), "p90"}, {percentile(0.36026), "p36"}, {percentile(0.045), "p4.5"}, {percentile(0.96127), "p96.13"}, {percentile(0), "p0"}, {percentile(1), "p100"}, {percentile(nan), "p-"},
		{probability(0.0004), "< 0.001"}, {probability(0.61), "0.610"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestSparklinesShareOneScale(t *testing.T) {
	v := func(values ...float64) []*float64 {
		var out []*float64
		for _, x := range values {
			if math.IsNaN(x) {
				out = append(out, nil)
				continue
			}
			out = append(out, &x)
		}
		return out
	}
	for _, c := range []struct {
		a, b []*float64
		want string
	}{
		{v(1, 2, 3), v(8, 7, math.NaN()), "▁▂▃ █▇·"},
		{v(5, 5), v(5), "▄▄ ▄"},
		{v(math.NaN()), v(), "-"},
		{nil, nil, "-"},
	} {
		got := sparklines(result.Metric{A: result.Value{Runs: c.a}, B: result.Value{Runs: c.b}})
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestWrapKeepsNumbersWithTheirUnits(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"not within 10 s; p50", 13, []string{"not within", "10 s; p50"}},
		{"ends after 85 % of runs", 13, []string{"ends after", "85 % of runs"}},
		{"abcdefghij kl", 4, []string{"abcd", "efgh", "ij", "kl"}},
		{"  spaces   between ", 20, []string{"spaces between"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.in, c.width)); diff != "" {
			t.Errorf("%q at %d:\n%s", c.in, c.width, diff)
		}
	}
}

func TestShortenKeepsBothEnds(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"create_order_p95", 10, "create…p95"},
		{"create_order", 2, "cr"},
		{"注文を作成する", 7, "注文…る"},
	} {
		got := shorten(c.in, c.width, "…")
		if got != c.want || cells(got) > c.width {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}
