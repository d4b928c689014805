package abtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/result"
)

// simulate plays sessions whose runs vary by 4 % and whose order drifts by 1 % a run, and
// returns the final result of each.
func simulate(t *testing.T, sessions int, seed uint64, effect float64) []*result.Result {
	t.Helper()
	p := planOf(t, []string{"create_order p95", "reserve_stock p95", "errors"}, standard...)
	random := rand.New(rand.NewPCG(seed, 0))
	var out []*result.Result
	for range sessions {
		s := sessionOf(t, p)
		last := -1
		for slot := range p.Slots {
			x := p.Slots[slot]
			if x.Pair == 0 {
				continue
			}
			trial := factstest.Trial{Record: trialOf(x, 1).Record, Operations: []factstest.Operation{
				{Name: "create_order", OK: slices.Repeat([]float64{around(random, 40, x.Label, x.Index, effect)}, 400)},
				{Name: "reserve_stock", OK: slices.Repeat([]float64{around(random, 25, x.Label, x.Index, effect)}, 400)}}}
			s.Add(trial.Facts())
			k, ok := s.look()
			if !ok || k <= last {
				continue
			}
			last = k
			st, err := s.Stand(k)
			if err != nil {
				t.Fatal(err)
			}
			if st.Done {
				break
			}
		}
		out = append(out, judged1(t, s))
	}
	return out
}

func around(random *rand.Rand, ms float64, label string, slot int, effect float64) float64 {
	if label == "B" {
		ms *= 1 + effect
	}
	return ms * math.Exp(.04*random.NormFloat64()+.01*float64(slot))
}

// Identical variants: a false claim on any primary metric in at most 2.5 % of the sessions.
// With 300 sessions a true 2.5 % gives more than 14 once in a hundred times.
func TestNoFalseWinner(t *testing.T) {
	false1, same := 0, 0
	for _, r := range simulate(t, 300, 1, 0) {
		switch r.Verdict.Status {
		case result.Better, result.Worse:
			false1++
		case result.Same:
			same++
		}
	}
	if false1 > 14 || same < 270 {
		t.Errorf("of 300 sessions of identical variants %d have a winner, %d say same", false1, same)
	}
}

// A change of 20 % is found in nearly every session, and by its right name.
func TestALargeChangeIsFound(t *testing.T) {
	found, pairs := 0, 0
	for _, r := range simulate(t, 200, 2, .2) {
		m := metricOf(t, r, "create_order p95")
		if m.Verdict == result.Worse {
			found++
		}
		pairs += m.Pairs
		if m.Verdict == result.Better || m.Verdict == result.Same {
			t.Errorf("+20 %% is called %s: %s", m.Verdict, m.Sentence)
		}
	}
	if found < 198 || float64(pairs)/200 > 8 {
		t.Errorf("found in %d of 200 sessions, after %.1f pairs", found, float64(pairs)/200)
	}
}
