package abtest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// A tester is a *testing.T or a *rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// shop has two operations, a completion and two variants.
const shop = `perfctl: 1
name: shop
target: { external: true }
services:
  shop: { url: http://127.0.0.1:1, timeout: 10s }
operations:
  create_order:
    post: shop:/orders
    weight: 3
    save: { id: $.id }
    completion: { name: done, sample: 100%, poll: "GET shop:/orders/${id}", until: "$.s in [OK, BAD]", success: [OK], timeout: 10s }
  reserve_stock: { post: shop:/stock, weight: 1 }
load: { rate: 50/s, duration: 3m }
warmup: { for: 45s }
variants:
  community: { baseline: true, title: worker pool }
  tpc: { title: thread per core }
`

func parse(t tester, text string) *scenario.Scenario {
	t.Helper()
	sc, problems := scenario.Parse("shop.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if sc == nil {
		t.Fatal(problems)
	}
	return sc
}

// planOf is a plan of the shop with short windows, so that trials are quick to make.
func planOf(t tester, primary []string, looks ...int) rundir.Plan {
	t.Helper()
	p := rundir.Plan{Method: Method, A: "community", B: "tpc", Rate: "50/s", PerSecond: 50, Arrivals: "constant", WarmupNS: 1e9, MeasureNS: 10e9,
		DrainNS: 11e9, MaxInFlight: 200, Looks: looks, PairsMax: looks[len(looks)-1], Primary: primary, Burn: true}
	var err error
	if p.Slots, err = slots(41, p); err != nil {
		t.Fatal(err)
	}
	return p
}

func sessionOf(t tester, p rundir.Plan) *Session {
	t.Helper()
	s, err := NewSession(parse(t, shop), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var standard = []int{4, 6, 8, 10, 12}

// slot of one side of a pair, in which A runs first or not.
func slotOf(pair int, label string, aFirst bool) rundir.Slot {
	first := (label == "A") == aFirst
	s := rundir.Slot{Index: 2*pair - 1, Block: (pair + 1) / 2, Pair: pair, First: first, Label: label, Variant: "community", Seed: uint64(pair)}
	if !first {
		s.Index++
	}
	if label == "B" {
		s.Variant = "tpc"
	}
	return s
}

// trialOf is a healthy trial with 500 orders of one response time.
func trialOf(slot rundir.Slot, ms float64) factstest.Trial {
	x := factstest.Trial{Record: rundir.Trial{Name: fmt.Sprintf("%02d-%s", slot.Index, slot.Label), Slot: slot, Attempt: 1, WarmupEndNS: 1e9, MeasureNS: 10e9,
		Asked:    []rundir.Setting{{Where: "shop", Name: "engine", Value: slot.Variant}},
		Observed: []rundir.Setting{{Where: "shop", Name: "engine", Value: slot.Variant}}},
		Operations: []factstest.Operation{{Name: "create_order", OK: slices.Repeat([]float64{ms}, 500)}, {Name: "reserve_stock", OK: slices.Repeat([]float64{5}, 1500)}},
		WarmupMS:   ms}
	x.Record.Lateness = rundir.Quantiles{N: 2000, P50: 20e3, P99: 100e3, Max: 1e6}
	return x
}

// fill adds pairs whose orders all took the given times.
func fill(s *Session, a, b []float64, aFirst string) {
	for j := range a {
		first := aFirst[j] == '+'
		for _, label := range order(first) {
			ms := a[j]
			if label == "B" {
				ms = b[j]
			}
			s.Add(trialOf(slotOf(j+1, label, first), ms).Facts())
		}
	}
}

func order(aFirst bool) []string {
	if aFirst {
		return []string{"A", "B"}
	}
	return []string{"B", "A"}
}

func manifest(p rundir.Plan) rundir.Manifest {
	at := time.Date(2026, 11, 30, 10, 15, 0, 0, time.UTC)
	return rundir.Manifest{Version: rundir.Version, Kind: result.KindABTest, ID: "x", Started: at, Ended: at.Add(time.Hour), State: rundir.Complete,
		ScenarioName: "shop", ScenarioFile: "shop.yaml", Scenario: shop, ScenarioSHA256: "0123456789abcdef0123", Tier: "external", Plan: p, Seed: 41}
}

func judged1(t tester, s *Session) *result.Result {
	t.Helper()
	r, err := s.Result(manifest(s.plan))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func metricOf(t tester, r *result.Result, name string) result.Metric {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %q", name)
	return result.Metric{}
}

func codes(r *result.Result) []string {
	var out []string
	for _, w := range r.Warnings {
		if !slices.Contains(out, w.Code) {
			out = append(out, w.Code)
		}
	}
	return out
}

func warningOf(r *result.Result, code string) result.Warning {
	for _, w := range r.Warnings {
		if w.Code == code {
			return w
		}
	}
	return result.Warning{}
}

// exact weighs values as they are, without the histograms' rounding, at look k of the
// standard looks.
func exact(t tester, name string, a, b []float64, aFirst string, k int) finding {
	t.Helper()
	s := sessionOf(t, planOf(t, []string{name}, standard...))
	f := finding{Metric: s.primary[0], primary: true}
	var pairs []pair
	for j := range a {
		f.a, f.b = append(f.a, verdict.Measure{Value: a[j], N: 500}), append(f.b, verdict.Measure{Value: b[j], N: 500})
		if aFirst != "" {
			first := aFirst[j] == '+'
			pairs = append(pairs, pair{trialOf(slotOf(j+1, "A", first), 1).Facts(), trialOf(slotOf(j+1, "B", first), 1).Facts()})
		} else {
			pairs = append(pairs, pair{&facts.Trial{TrialRecord: &rundir.TrialRecord{}}, &facts.Trial{TrialRecord: &rundir.TrialRecord{}}})
		}
	}
	var err error
	if f.evidence, err = f.weigh(pairs); err != nil {
		t.Fatal(err)
	}
	decideAt(t, s, &f, k)
	return f
}

func decideAt(t tester, s *Session, f *finding, k int) {
	t.Helper()
	j, err := s.procedure.Judge(k, evidence([]finding{*f}))
	if err != nil {
		t.Fatal(err)
	}
	f.decision = j.Decisions[0]
}

func close9(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want)) }
