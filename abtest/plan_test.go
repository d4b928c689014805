package abtest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/rundir"
)

func plan(t *testing.T, text string, o Options) (rundir.Plan, error) {
	t.Helper()
	return NewPlan(parse(t, text), o)
}

func TestPlan(t *testing.T) {
	p, err := plan(t, shop, Options{Seed: 41, MaxInFlight: 300})
	if err != nil {
		t.Fatal(err)
	}
	slots := p.Slots
	p.Slots = nil
	want := rundir.Plan{Method: "abtest/1", A: "community", B: "tpc", Rate: "50/s", PerSecond: 50, Arrivals: "constant", WarmupNS: 45e9, MeasureNS: 180e9,
		DrainNS: 11e9, MaxInFlight: 300, Looks: []int{4, 6, 8, 10, 12}, PairsMax: 12, Primary: []string{"create_order p95", "done p95", "reserve_stock p95", "errors"}, Burn: true}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	checkOrder(t, slots, 12)
	if slots[0] != (rundir.Slot{Label: "A", Variant: "community", Seed: slots[0].Seed}) {
		t.Errorf("burn-in: %+v", slots[0])
	}
}

// checkOrder proves the design: blocks of two pairs ABBA or BAAB, the same requests inside a
// pair and in no other.
func checkOrder(t *testing.T, slots []rundir.Slot, pairs int) {
	t.Helper()
	if len(slots) != 1+2*pairs {
		t.Fatalf("%d slots", len(slots))
	}
	seeds := map[uint64]int{slots[0].Seed: 0}
	order := ""
	for i, s := range slots[1:] {
		name := map[string]string{"A": "community", "B": "tpc"}[s.Label]
		want := rundir.Slot{Index: i + 1, Block: i/4 + 1, Pair: i/2 + 1, First: i%2 == 0, Label: s.Label, Variant: name, Seed: s.Seed}
		if s != want {
			t.Errorf("slot %d: %+v, want %+v", i+1, s, want)
		}
		if pair, taken := seeds[s.Seed]; taken && pair != s.Pair {
			t.Errorf("slot %d has the requests of pair %d", i+1, pair)
		}
		seeds[s.Seed] = s.Pair
		order += s.Label
	}
	if len(seeds) != 1+pairs {
		t.Errorf("%d different seeds", len(seeds))
	}
	for len(order) >= 4 {
		if b := order[:4]; b != "ABBA" && b != "BAAB" {
			t.Errorf("block %s", b)
		}
		order = order[4:]
	}
	if order != "" && order != "AB" && order != "BA" {
		t.Errorf("half a block: %s", order)
	}
}

func TestOrderComesFromTheSeed(t *testing.T) {
	orders := map[string]int{}
	for seed := range uint64(64) {
		p, err := plan(t, shop, Options{Seed: seed, Pairs: 4})
		if err != nil {
			t.Fatal(err)
		}
		again, err := plan(t, shop, Options{Seed: seed, Pairs: 4})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Fatal(diff)
		}
		checkOrder(t, p.Slots, 4)
		orders[p.Slots[1].Label+p.Slots[5].Label]++
	}
	for _, o := range []string{"AA", "AB", "BA", "BB"} {
		if orders[o] < 6 {
			t.Errorf("64 seeds gave %v", orders)
		}
	}
}

func TestLooks(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		add  string // to the scenario
		want []int
	}{
		{"standard", Options{}, "", []int{4, 6, 8, 10, 12}},
		{"quick", Options{Quick: true}, "", []int{4, 6}},
		{"quick, longer", Options{Quick: true, PairsMax: 8}, "", []int{4, 6, 8}},
		{"once", Options{Pairs: 5}, "", []int{5}},
		{"once, without a verdict", Options{Pairs: 2}, "", []int{2}},
		{"longer", Options{PairsMax: 24}, "", []int{4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}},
		{"odd", Options{PairsMax: 7}, "", []int{4, 6, 7}},
		{"only the first", Options{PairsMax: 4}, "", []int{4}},
		{"of the scenario", Options{}, "abtest: { pairs_min: 6, pairs_max: 10 }\n", []int{6, 8, 10}},
	} {
		p, err := plan(t, shop+c.add, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, p.Looks); diff != "" || p.PairsMax != c.want[len(c.want)-1] || len(p.Slots) != 2*p.PairsMax+1 {
			t.Errorf("%s: %d pairs, %d slots\n%s", c.name, p.PairsMax, len(p.Slots), diff)
		}
	}
}

func TestLoadOfAPlan(t *testing.T) {
	rate := func(s string) arrival.Rate {
		r, err := arrival.ParseRate(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const quick = "abtest: { max_time: 2h, quick: { rate: 900/s, warmup: 6s, duration: 12s } }\n"
	type load struct {
		Rate                   string
		Warmup, Measure, Limit time.Duration
	}
	for _, c := range []struct {
		name string
		o    Options
		add  string
		want load
	}{
		{"scenario", Options{}, "", load{"50/s", 45 * time.Second, 3 * time.Minute, 0}},
		{"scenario with a limit", Options{}, quick, load{"50/s", 45 * time.Second, 3 * time.Minute, 2 * time.Hour}},
		{"quick", Options{Quick: true}, "", load{"50/s", quickWarmup, quickMeasure, quickMaxTime}},
		{"quick of the scenario", Options{Quick: true}, quick, load{"900/s", 6 * time.Second, 12 * time.Second, quickMaxTime}},
		{"options", Options{Quick: true, Rate: rate("70/s"), Warmup: 5 * time.Second, Measure: 9 * time.Second, MaxTime: time.Hour}, quick,
			load{"70/s", 5 * time.Second, 9 * time.Second, time.Hour}},
	} {
		p, err := plan(t, shop+c.add, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := load{p.Rate, time.Duration(p.WarmupNS), time.Duration(p.MeasureNS), time.Duration(p.MaxTimeNS)}
		if got != c.want || p.Quick != c.o.Quick {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	third := strings.Replace(shop, "  tpc: {", "  other: {}\n  tpc: {", 1)
	for _, c := range []struct {
		name, text string
		o          Options
		want       string
	}{
		{"no candidate", third, Options{}, "no variant to compare: give --b, or abtest.a and abtest.b in the scenario; variants: community, other, tpc"},
		{"unknown sides", shop, Options{A: "x", B: "y"}, "no variant named \"x\" (--a); variants: community, tpc\nno variant named \"y\" (--b); variants: community, tpc"},
		{"one pair", shop, Options{Pairs: 1}, "--pairs 1: a verdict needs at least 4 pairs, an interval at least 2"},
		{"negative", shop, Options{Pairs: -3}, "--pairs -3: a verdict needs"},
		{"negative maximum", shop, Options{PairsMax: -3}, "--pairs-max -3: want at least 4"},
		{"both", shop, Options{Pairs: 4, PairsMax: 8}, "--pairs and --pairs-max: give one of them"},
		{"too few", shop, Options{PairsMax: 3}, "at most 3 pairs: a verdict needs at least 4; raise --pairs-max"},
		{"maximum below minimum", shop + "abtest: { pairs_min: 8 }\n", Options{PairsMax: 6}, "at most 6 pairs: a verdict needs at least 8; raise --pairs-max"},
		{"parts of seconds", shop, Options{Warmup: 1500 * time.Millisecond, Measure: 2500 * time.Millisecond},
			"the warm-up of 1.5s is not a whole number of seconds; write 10s, 3m\nthe measured window of 2.5s is not a whole number of seconds; write 10s, 3m"},
		{"a margin without effect", shop + "abtest: { name_at: { p99.9: 5% 1ms, p90: 5% }, rule_out: { p99.9: 9% 1ms } }\n", Options{},
			"abtest.name_at of p90 has no effect: no metric of the session has that statistic\nabtest.name_at of p99.9 has no effect: no metric of the session has that statistic\nabtest.rule_out of p99.9 has no effect"},
		{"named above what is ruled out", shop + "abtest: { name_at: { p95: 15% 1ms } }\n", Options{}, "abtest.name_at and abtest.rule_out: create_order p95: margin rule out {0.1 2} is below name at {0.15 1}"},
	} {
		_, err := plan(t, c.text, c.o)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestAATestsAreAllowed(t *testing.T) {
	p, err := plan(t, shop, Options{B: "community"})
	if err != nil || p.A != "community" || p.B != "community" {
		t.Errorf("%v, %v against %v", err, p.A, p.B)
	}
}

// By default decides what will have 20 samples beyond its p95, with two standard deviations
// to spare: 443 arrivals.
func TestDefaultPrimaries(t *testing.T) {
	for _, c := range []struct {
		measure time.Duration
		add     string
		want    []string
	}{
		{9 * time.Second, "", []string{"errors"}},
		{11 * time.Second, "", []string{"errors"}}, // 412 orders
		{12 * time.Second, "", []string{"create_order p95", "done p95", "errors"}},
		{35 * time.Second, "", []string{"create_order p95", "done p95", "errors"}}, // 437 of the other
		{40 * time.Second, "", []string{"create_order p95", "done p95", "reserve_stock p95", "errors"}},
		{9 * time.Second, "abtest: { decide_on: [ create_order p99, done completed, system_errors ] }\n", []string{"create_order p99", "done completed", "errors"}},
	} {
		p, err := plan(t, shop+c.add, Options{Measure: c.measure})
		if err != nil {
			t.Errorf("%v: %v", c.measure, err)
		}
		if diff := cmp.Diff(c.want, p.Primary); diff != "" {
			t.Errorf("%v:\n%s", c.measure, diff)
		}
	}
	var many strings.Builder
	many.WriteString(strings.Split(shop, "operations:")[0] + "operations:\n")
	for i := range 8 {
		many.WriteString("  op" + string(rune('a'+i)) + ": { post: shop:/x, weight: 1 }\n")
	}
	many.WriteString("load: { rate: 500/s, duration: 3m }\nvariants: { a: { baseline: true }, b: {} }\n")
	if _, err := plan(t, many.String(), Options{}); err == nil || err.Error() != "9 metrics would decide; at most 8 can: name them in abtest.decide_on" {
		t.Errorf("got %v", err)
	}
}

func TestOwnMargins(t *testing.T) {
	sc := parse(t, shop+"abtest: { name_at: { p95: 7% 3ms, system_errors: 0.2pp, memory: 6% 20MiB }, rule_out: { p95: 12% 30ms, system_errors: 0.4pp, completed: 3pp } }\n")
	for name, want := range map[string][4]float64{
		"create_order p95": {.07, 3, .12, 30}, "done p95": {.07, 10, .12, 30}, "errors": {0, .002, 0, .004}, "done completed": {0, .005, 0, .03}, "memory": {.06, 20, .1, 32},
		"create_order p50": {.03, .5, .05, 1},
	} {
		m, err := metric(sc, name, Subjects(sc))
		if err != nil {
			t.Fatal(err)
		}
		if got := [4]float64{m.NameAt.Rel, m.NameAt.Abs, m.RuleOut.Rel, m.RuleOut.Abs}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if _, err := NewSession(parse(t, shop), rundir.Plan{Looks: []int{4}, Primary: []string{"nothing p95"}}); err == nil || !strings.HasPrefix(err.Error(), `primary metric "nothing p95": no operation`) {
		t.Errorf("got %v", err)
	}
	if _, err := NewSession(parse(t, shop), rundir.Plan{Primary: []string{"errors"}}); err == nil || !strings.Contains(err.Error(), "looks") {
		t.Errorf("got %v", err)
	}
}

func TestExpected(t *testing.T) {
	p := rundir.Plan{WarmupNS: 45e9, MeasureNS: 180e9, PairsMax: 12, Burn: true}
	least, most := Expected(p, standard, 15*time.Second)
	if least != 9*4*time.Minute || most != 25*4*time.Minute {
		t.Errorf("%v to %v", least, most)
	}
	p.MaxTimeNS, p.Burn = int64(time.Hour), false
	if least, most = Expected(p, standard, 15*time.Second); least != 32*time.Minute || most != time.Hour {
		t.Errorf("%v to %v", least, most)
	}
	if Variant(parse(t, shop), "none") != nil || DrainOf(parse(t, strings.ReplaceAll(shop, "timeout: 10s }\noperations", "timeout: 30s }\noperations"))) != 31*time.Second {
		t.Error("variant or drain")
	}
}
