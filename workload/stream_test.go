package workload

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/perfctl/perfctl/scenario"
)

// TestShares holds the mix and the sampled share to five standard deviations of the
// binomial distribution.
func TestShares(t *testing.T) {
	const n = 50000
	m := newMix(t, shop, 3)
	count, sampled := map[string]float64{}, 0.0
	for i := range int64(n) {
		x := m.Arrival(i)
		name := m.Operations()[x.Operation]
		count[name]++
		if x.Completion >= 0 {
			if name != "create" || m.Completions()[x.Completion] != "confirmed" {
				t.Fatalf("arrival %d of %s follows completion %d", i, name, x.Completion)
			}
			sampled++
		}
	}
	check := func(what string, got, of, share float64) {
		t.Helper()
		if limit := 5 * math.Sqrt(of*share*(1-share)); math.Abs(got-of*share) > limit {
			t.Errorf("%s: %v of %v, want %v within %.0f", what, got, of, of*share, limit)
		}
	}
	check("create", count["create"], n, .60)
	check("look", count["look"], n, .25)
	check("note", count["note"], n, .15)
	check("sampled", sampled, count["create"], .10)
}

// TestStreamsAreUnrelated takes the choices of neighbouring arrivals together: were they
// related, their joint counts would leave the chi-square distribution. Each bound is
// passed by chance less than once in a million.
func TestStreamsAreUnrelated(t *testing.T) {
	const n = 120000
	m := newMix(t, shop, 11)
	shares := []float64{.60, .25, .15}
	var joint [3][3]float64
	last := m.choose(stream(11, purposeArrival, 0))
	for i := int64(1); i <= n; i++ {
		next := m.choose(stream(11, purposeArrival, i))
		joint[last][next]++
		last = next
	}
	chi := 0.0
	for a, row := range joint {
		for b, got := range row {
			want := n * shares[a] * shares[b]
			chi += (got - want) * (got - want) / want
		}
	}
	if chi > 48 { // 8 degrees of freedom
		t.Errorf("pairs of neighbours: chi-square %.1f: %v", chi, joint)
	}
}

func uniform(t *testing.T, what string, counts []float64, n float64) {
	t.Helper()
	chi, want := 0.0, n/float64(len(counts))
	for _, got := range counts {
		chi += (got - want) * (got - want) / want
	}
	k := float64(len(counts) - 1)
	if limit := k + 6*math.Sqrt(2*k) + 12; chi > limit {
		t.Errorf("%s: chi-square %.1f over %.1f: %v", what, chi, limit, counts)
	}
}

func TestUniform(t *testing.T) {
	const n = 60000
	feeds := map[string]Feed{"f": {Rows: []scenario.Row{{Value: "0"}, {Value: "1"}, {Value: "2"}, {Value: "3"}}}}
	call := func(name string, args ...scenario.Arg) *scenario.Call { return &scenario.Call{Name: name, Args: args} }
	at := func(n int64) scenario.Arg { return scenario.Arg{Min: n, Max: n, IsNumber: true} }
	die, length, row := make([]float64, 6), make([]float64, 11), make([]float64, 4)
	pool := textPool(5, 10)
	for i := range int64(n) {
		v := &values{rand: stream(5, purposeArrival, i), text: pool, feeds: feeds}
		get := func(c *scenario.Call) string {
			x, err := v.call(c)
			if err != nil {
				t.Fatal(err)
			}
			return x.text
		}
		var k int
		fmt.Sscan(get(call("int", at(-2), at(3))), &k)
		die[k+2]++
		length[len(get(call("text", scenario.Arg{Min: 0, Max: 10})))]++
		fmt.Sscan(get(call("pick", scenario.Arg{Text: "f"})), &k)
		row[k]++
	}
	uniform(t, "int(-2,3)", die, n)
	uniform(t, "text(0..10)", length, n)
	uniform(t, "pick", row, n)
}

func TestUUID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for i := range int64(1000) {
		v := &values{rand: stream(1, purposeArrival, i)}
		u := v.uuid()
		if !form.MatchString(u) || seen[u] {
			t.Fatalf("uuid %d: %s (seen: %t)", i, u, seen[u])
		}
		seen[u] = true
	}
}
