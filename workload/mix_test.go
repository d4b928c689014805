package workload

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/scenario"
)

const shop = `
perfctl: 1
name: shop
services:
  order: { url: http://order:1, headers: { X-Run: "${run}", X-Kind: service }, timeout: 3s }
  stock: { url: http://stock:2 }
feeders:
  colours: { list: [red, green/blue, 'a "b"'] }
  turns: { list: [one, two, three], order: sequential }
seed:
  - { name: customers, count: 3, post: order:/customers, json: { n: "${seq}" }, keep: $.id }
operations:
  create:
    weight: 60
    post: order:/orders
    json: { customer: "${pick(customers)}", colour: "${pick(colours)}", n: "${int(1,6)}", seq: "${seq}", note: "${text(0..40)}", id: "id-${uuid}" }
    headers: { x-kind: operation }
    save: { orderId: $.orderId }
    completion:
      name: confirmed
      sample: 10%
      poll: GET order:/orders/${orderId}?nonce=${uuid}
      until: $.status in [DONE, FAILED]
      success: [DONE]
      every: 50ms
      timeout: 10s
  look:
    weight: 25
    get: stock:/colours/${pick(colours)}?turn=${pick(turns)}&next=${next(turns)}
  note:
    weight: 15
    post: stock:/notes
    body: "note ${seq}"
    headers: { Content-Type: text/markdown }
load: { rate: 10/s, duration: 10s }
`

func parse(t testing.TB, src string) *scenario.Scenario {
	t.Helper()
	sc, problems := scenario.Parse("shop.yaml", []byte(src), func(string) (string, bool) { return "", false })
	if problems.Failed() {
		t.Fatal(problems)
	}
	return sc
}

func addresses(sc *scenario.Scenario) map[string]string {
	m := map[string]string{}
	for _, s := range sc.Services {
		m[s.Name] = s.URL
	}
	return m
}

func newMix(t testing.TB, src string, seed uint64) *Mix {
	t.Helper()
	sc := parse(t, src)
	feeds := map[string]Feed{}
	for _, s := range sc.Seed {
		for i := range s.Count {
			feeds[s.Name] = Feed{Rows: append(feeds[s.Name].Rows, scenario.Row{Value: fmt.Sprintf("%s-%d", s.Name, i)})}
		}
	}
	m, err := New(sc, Options{Endpoints: addresses(sc), Feeds: feeds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOneSeedOneSequence renders the same arrivals forwards, backwards, at the same
// time, and by a second mix.
func TestOneSeedOneSequence(t *testing.T) {
	const n = 400
	m := newMix(t, shop, 41)
	want := make([]load.Exchange, n)
	for i := range want {
		want[i] = m.Arrival(int64(i))
	}
	backwards := make([]load.Exchange, n)
	for i := n - 1; i >= 0; i-- {
		backwards[i] = m.Arrival(int64(i))
	}
	if diff := cmp.Diff(want, backwards); diff != "" {
		t.Fatalf("backwards: %s", diff)
	}
	together := make([]load.Exchange, n)
	other := newMix(t, shop, 41)
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for i := k; i < n; i += 8 {
				together[i] = other.Arrival(int64(i))
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(want, together); diff != "" {
		t.Fatalf("by eight at once: %s", diff)
	}
	if cmp.Equal(want[0].Request, newMix(t, shop, 42).Arrival(0).Request) {
		t.Error("another seed gave the same request")
	}
}

// TestRequest fixes whole requests: addresses, headers, bodies and escapes.
func TestRequest(t *testing.T) {
	m := newMix(t, shop, 7)
	seen := map[string]*client.Request{}
	for i := int64(0); len(seen) < 3; i++ {
		x := m.Arrival(i)
		if seen[m.Operations()[x.Operation]] == nil {
			seen[m.Operations()[x.Operation]] = x.Request
		}
	}
	var body struct {
		Customer, Colour, Note, ID string
		N, Seq                     int64
	}
	if err := json.Unmarshal(seen["create"].Body, &body); err != nil {
		t.Fatalf("%v in %s", err, seen["create"].Body)
	}
	if !strings.HasPrefix(body.Customer, "customers-") || body.N < 1 || body.N > 6 || !strings.HasPrefix(body.ID, "id-") {
		t.Errorf("body %+v", body)
	}
	create := *seen["create"]
	create.Body = nil
	want := client.Request{Method: "POST", URL: "http://order:1/orders", Timeout: 3e9, Header: []client.Header{
		{Name: "X-Run", Value: RunID(7)}, {Name: "x-kind", Value: "operation"}, {Name: "Content-Type", Value: "application/json"}}}
	if diff := cmp.Diff(want, create); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]client.Header{{Name: "Content-Type", Value: "text/markdown"}}, seen["note"].Header); diff != "" {
		t.Errorf("a request's own content type: %s", diff)
	}
	form := regexp.MustCompile(`^http://stock:2/colours/(red|green%2Fblue|a%20%22b%22)\?turn=(one|two|three)&next=(one|two|three)$`)
	if !form.MatchString(seen["look"].URL) {
		t.Errorf("address %s", seen["look"].URL)
	}
}

// TestTurns shows that next, and pick on a sequential feeder, follow the arrival's number.
func TestTurns(t *testing.T) {
	m := newMix(t, shop, 7)
	words := []string{"one", "two", "three"}
	for i := range int64(300) {
		x := m.Arrival(i)
		if m.Operations()[x.Operation] != "look" {
			continue
		}
		u, err := url.Parse(x.Request.URL)
		if err != nil {
			t.Fatal(err)
		}
		if q := u.Query(); q.Get("turn") != words[i%3] || q.Get("next") != words[i%3] {
			t.Fatalf("arrival %d: %s", i, x.Request.URL)
		}
	}
}

// TestNewRefuses shows that what fails for one arrival fails at the start.
func TestNewRefuses(t *testing.T) {
	sc := parse(t, shop)
	for want, o := range map[string]Options{
		`operation create: ${pick(customers)}: "customers" has no rows`: {Endpoints: addresses(sc)},
		`operation create: service "order" has no address`:              {Feeds: map[string]Feed{"customers": {Rows: []scenario.Row{{Value: "1"}}}}},
	} {
		if _, err := New(sc, o); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
