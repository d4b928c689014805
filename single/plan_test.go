package single

import (
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
)

const shop = `perfctl: 1
name: shop
target: { external: true }
services:
  shop: { url: http://127.0.0.1:1, timeout: 10s }
operations:
  browse: { get: shop:/, weight: 1 }
  buy: { post: shop:/orders, weight: 3 }
load: { rate: 50/s, duration: 10s }
warmup: { for: 2s }
`

const variants = "variants: { small: { baseline: true }, big: {} }\n"

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	sc, problems := scenario.Parse("shop.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if sc == nil {
		t.Fatal(problems)
	}
	return sc
}

func TestPlan(t *testing.T) {
	rate, err := arrival.ParseRate("70/s")
	if err != nil {
		t.Fatal(err)
	}
	slot := func(variant string, seed uint64) []rundir.Slot {
		return []rundir.Slot{{Index: 1, Block: 1, Pair: 1, First: true, Label: "A", Variant: variant, Seed: seed}}
	}
	base := rundir.Plan{Method: "run/1", Rate: "50/s", PerSecond: 50, Arrivals: "constant", WarmupNS: 2e9, MeasureNS: 10e9, Slots: slot("", 0)}
	with := func(change func(*rundir.Plan)) rundir.Plan { p := base; change(&p); return p }
	for _, c := range []struct {
		name, text string
		o          Options
		want       rundir.Plan
	}{
		{"scenario", shop, Options{}, base},
		{"baseline", shop + variants, Options{Seed: 5}, with(func(p *rundir.Plan) { p.Slots = slot("small", 5) })},
		{"variant", shop + variants, Options{Variant: "big"}, with(func(p *rundir.Plan) { p.Slots = slot("big", 0) })},
		{"poisson", strings.Replace(shop, "10s }\nwarm", "10s, arrivals: poisson }\nwarm", 1), Options{}, with(func(p *rundir.Plan) { p.Arrivals = "poisson" })},
		{"options", shop, Options{Rate: rate, Warmup: time.Second, Measure: 3 * time.Second, Drain: 4, MaxInFlight: 5},
			with(func(p *rundir.Plan) {
				p.Rate, p.PerSecond, p.WarmupNS, p.MeasureNS, p.DrainNS, p.MaxInFlight = "70/s", 70, 1e9, 3e9, 4, 5
			})},
	} {
		got, err := NewPlan(parse(t, c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{shop, Options{Variant: "big"}, `no variant named "big" in shop.yaml`},
		{shop + variants, Options{Variant: "x", Warmup: 1500 * time.Millisecond, Measure: 2500 * time.Millisecond}, `no variant named "x" in shop.yaml
the warm-up of 1.5s is not a whole number of seconds; write 10s, 3m
the measured window of 2.5s is not a whole number of seconds; write 10s, 3m`},
	} {
		if _, err := NewPlan(parse(t, c.text), c.o); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	sc := parse(t, shop)
	sc.Load.Duration = 0
	if _, err := NewPlan(sc, Options{}); err == nil || err.Error() != "no duration: give --duration, or load.duration in the scenario" {
		t.Errorf("got %v", err)
	}
}

// Ten seconds whose halves agree to 5 % are steady.
func TestSteady(t *testing.T) {
	second := func(ms float64) load.Second {
		h := hdr.New(1000, int64(10*time.Minute), 3)
		if err := h.RecordValue(int64(ms * 1e6)); err != nil {
			t.Fatal(err)
		}
		return load.Second{Series: map[load.Key]*load.Series{{Operation: "buy", Outcome: load.OK}: {Count: 1, Response: h}}}
	}
	run := func(first, last float64, n int) []load.Second {
		out := []load.Second{second(500)} // before the last ten nothing matters
		for i := range n {
			ms := first
			if i >= n-5 {
				ms = last
			}
			out = append(out, second(ms))
		}
		return out
	}
	steady := Steady("buy")
	for _, c := range []struct {
		name    string
		seconds []load.Second
		want    bool
	}{
		{"equal", run(20, 20, 10), true}, {"4.8 % apart", run(20, 20.96, 10), true}, {"5.3 % apart", run(20, 21.06, 10), false}, {"falling", run(21.06, 20, 10), false},
		{"nine seconds", run(20, 20, 8), false}, {"a second without answers", append(run(20, 20, 10), load.Second{}), false},
	} {
		if got := steady(c.seconds); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if Steady("browse")(run(20, 20, 10)) {
		t.Error("an operation that was not sent is steady")
	}
}
