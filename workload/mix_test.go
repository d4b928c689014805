package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// TestEscapes holds for any text: JSON and addresses give it back.
func TestEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		x := value{text: text}
		for _, body := range []string{
			`{"v":"` + string(appendAs(nil, x, scenario.JSONText)) + `"}`,
			`{"v":` + string(appendAs(nil, x, scenario.JSONValue)) + `}`,
		} {
			var got struct{ V string }
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.V != text {
				t.Fatalf("%s decodes to %q, %v; want %q", body, got.V, err, text)
			}
		}
		u, err := url.Parse(string(appendAs([]byte("http://h/a/"), x, scenario.PathSegment)) + "/end")
		if err != nil || u.Path != "/a/"+text+"/end" {
			t.Fatalf("path %q, %v; want %q", u.Path, err, text)
		}
		u, err = url.Parse(string(appendAs([]byte("http://h/a?q="), x, scenario.PathSegment)) + "&z=1")
		if err != nil || u.Query().Get("q") != text || u.Query().Get("z") != "1" {
			t.Fatalf("query %v, %v; want %q", u.RawQuery, err, text)
		}
		if got := string(appendAs(nil, x, scenario.Raw)); got != text {
			t.Fatalf("raw %q", got)
		}
	})
}

// TestRow shows a field of a row in each place where it may stand.
func TestRow(t *testing.T) {
	row := &scenario.Row{Fields: map[string]string{"name": `"A \"B\" ü"`, "big": "9007199254740993", "tags": `["x",1]`}}
	v := &values{row: row}
	for _, c := range []struct {
		field string
		mode  scenario.Mode
		want  string
	}{
		{"name", scenario.Raw, `A "B" ü`},
		{"name", scenario.JSONText, `A \"B\" ü`},
		{"name", scenario.JSONValue, `"A \"B\" ü"`},
		{"name", scenario.PathSegment, `A%20%22B%22%20%C3%BC`},
		{"big", scenario.JSONValue, "9007199254740993"},
		{"big", scenario.JSONText, "9007199254740993"},
		{"tags", scenario.JSONValue, `["x",1]`},
		{"tags", scenario.JSONText, `[\"x\",1]`},
	} {
		got, err := v.render(nil, scenario.Template{Parts: []scenario.Part{{Mode: c.mode,
			Call: &scenario.Call{Name: "row", Args: []scenario.Arg{{Text: c.field}}}}}})
		if err != nil || string(got) != c.want {
			t.Errorf("row.%s, mode %d: %s, %v; want %s", c.field, c.mode, got, err, c.want)
		}
	}
}

// TestRefusals names what cannot be rendered.
func TestRefusals(t *testing.T) {
	empty := func() *values { return &values{rand: rand.New(rand.NewPCG(1, 2))} }
	for _, c := range []struct {
		v    *values
		call scenario.Call
		want string
	}{
		{empty(), scenario.Call{Name: "pick", Args: []scenario.Arg{{Text: "f"}}}, `${pick(f)}: "f" has no rows`},
		{empty(), scenario.Call{Name: "row", Args: []scenario.Arg{{Text: "x"}}}, "${row.x} has no row here"},
		{&values{row: &scenario.Row{}}, scenario.Call{Name: "row", Args: []scenario.Arg{{Text: "x"}}}, "${row.x}: the row has no such field"},
		{empty(), scenario.Call{Name: "saved", Args: []scenario.Arg{{Text: "id"}}}, "${id} was not saved by the reply"},
		{empty(), scenario.Call{Name: "addr"}, "${addr} has no value here"},
	} {
		if _, err := c.v.call(&c.call); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.call.Name, err, c.want)
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
