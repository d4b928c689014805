package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/arrival"
)

// parsed returns the scenario of a text that must have no problems.
func parsed(t testing.TB, src string) *Scenario {
	t.Helper()
	s, problems := Parse("shop.yaml", []byte(src), environment)
	if len(problems) > 0 {
		t.Fatalf("problems:\n%v", problems)
	}
	return s
}

func rate(t testing.TB, text string) arrival.Rate {
	t.Helper()
	r, err := arrival.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compare compares scenarios by all of their fields; places are compared only where
// the test is about them.
func compare(want, got any) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b arrival.Rate) bool { return a == b }),
		cmp.FilterValues(func(a, b Pos) bool { return true }, cmp.Ignore()))
}

func text(s string) Template {
	if s == "" {
		return Template{}
	}
	return Template{Parts: []Part{{Text: s}}}
}

func arg(name string) []Arg { return []Arg{{Text: name}} }

func number(n int64, text string) Arg { return Arg{Text: text, Min: n, Max: n, IsNumber: true} }

const whole = `perfctl: 1
name: shop
description: What does it cost?
notes: |
  two lines
  of words
target:
  process:
    programs:
      shop:
        command: ["${perfctl}", orderflow, serve, "--host=${env.HOST}"]
        env: { WORKERS: 4, ADDR: "${addr.order}", PORT: "${port.account}", EMPTY: "", API_KEY: in-the-file }
      extra: { command: [sleep, "10"] }
    wait: 1m30s
services:
  account: http://127.0.0.1:auto
  order:
    url: https://${env.HOST}:8443/base/
    health: /health
    metrics: /metrics
    program: shop
    timeout: 2s
    headers: { Authorization: "Bearer ${env.API_TOKEN}" }
feeders:
  colours: { list: [red, 5, 1.50, true], order: sequential }
  products: { list: [{ sku: a, price: 12345678901234567 }, { sku: "b\"c", price: 1.50 }] }
seed:
  - name: customers
    count: 100
    post: account:/api/customers
    json: { name: "Seed ${seq}" }
    expect: [200, 201]
    keep: $.customerId
    parallel: 2
  - name: products
    count: 2
    put: account:/api/products/${row.sku}
    json: { price: "${row.price}", label: "${row.sku}!", owner: "${pick(customers)}" }
    keep: $.id
operations:
  create_order:
    weight: 60
    post: order:/api/orders?colour=${next(colours)}
    headers: { X-Run: "${run}-${seq}", Accept: application/json }
    json: { id: "${uuid}", lines: ["${int(-1,3)}"], notes: "${text(0..2000)}", raw: "$${x}" }
    expect: 201
    functional: { 409: [SOLD_OUT, LIMIT], 422: }
    save: { orderId: $.orderId }
    completion:
      name: order_done
      sample: 12.5%
      poll: GET order:/api/orders/${orderId}
      until: $.status in [CONFIRMED, FAILED, 'CANCELLED']
      success: CONFIRMED
      every: 100ms
      timeout: 5s
  note:
    weight: 0
    put: account:/notes
    headers: { content-type: text/csv }
    body: "a,${int(5,5)}\n"
  ping: { get: account:/ping }
load: { rate: 1.5k/m, duration: 1h30m, arrivals: poisson, max_in_flight: 100 }
warmup: { for: 10s, until: steady, max: 2m }
reset: { do: recreate }
thresholds:
  - create_order p99.9 <= 1.5s
  - order_done completed >= 99.5%
  - system_errors<1%
observe: { resources: 2s, scrape: 10s }
variants:
  plain: { baseline: true }
  quick:
    title: quick and dirty
    env: { MODE: quick, extra.LEVEL: 2 }
    require_env: [HZ_LICENSEKEY, NOT_SET]
    verify: [{ http: "order:/info", path: $.mode, equals: 1.50 }]
abtest:
  a: quick
  b: plain
  decide_on: [create_order p95, order_done completed, cpu, memory]
  pairs_min: 4
  pairs_max: 24
  max_time: 1d
  name_at: { p95: 5% 1ms, memory: 16MiB, completed: 0.5pp }
  rule_out: { p95: 10% 2ms }
  quick: { rate: 900/s, warmup: 4s, duration: 10s }
`

// TestNothingIsLost compares a scenario that uses every key with what it must become.
func TestNothingIsLost(t *testing.T) {
	call := func(mode Mode, name string, args ...Arg) Part {
		return Part{Call: &Call{Name: name, Args: args}, Mode: mode}
	}
	want := &Scenario{
		File: "shop.yaml", Source: []byte(whole), Name: "shop",
		Description: "What does it cost?", Notes: "two lines\nof words",
		Target: Target{Process: &ProcessTarget{
			Programs: []Program{
				{
					Name:    "shop",
					Command: []Template{{Parts: []Part{call(Raw, "perfctl")}}, text("orderflow"), text("serve"), text("--host=shop.example")},
					Env: []EnvVar{
						{Name: "WORKERS", Value: text("4")},
						{Name: "ADDR", Value: Template{Parts: []Part{call(Raw, "addr", Arg{Text: "order"})}}},
						{Name: "PORT", Value: Template{Parts: []Part{call(Raw, "port", Arg{Text: "account"})}}},
						{Name: "EMPTY"},
						{Name: "API_KEY", Value: text("in-the-file")},
					},
				},
				{Name: "extra", Command: []Template{text("sleep"), text("10")}},
			},
			Wait: 90 * time.Second,
		}},
		Services: []Service{
			{Name: "account", URL: "http://127.0.0.1:auto", Timeout: 10 * time.Second},
			{
				Name: "order", URL: "https://shop.example:8443/base", Health: "/health", Metrics: "/metrics", Program: "shop",
				Headers: []HeaderTemplate{{Name: "Authorization", Value: text("Bearer t0p-s3cret")}},
				Timeout: 2 * time.Second,
			},
		},
		Feeders: []Feeder{
			{Name: "colours", Order: "sequential", Rows: []Row{{Value: "red"}, {Value: "5"}, {Value: "1.50"}, {Value: "true"}}},
			{Name: "products", Order: "random", Rows: []Row{
				{Value: `{"sku":"a","price":12345678901234567}`, Fields: map[string]string{"sku": `"a"`, "price": "12345678901234567"}},
				{Value: `{"sku":"b\"c","price":1.50}`, Fields: map[string]string{"sku": `"b\"c"`, "price": "1.50"}},
			}},
		},
		Seed: []Seed{
			{
				Name: "customers", Count: 100, Expect: []int{200, 201}, Keep: "$.customerId", Parallel: 2,
				Request: Request{Method: "POST", Service: "account", Path: text("/api/customers"), Body: &Body{
					ContentType: "application/json",
					Template:    Template{Parts: []Part{{Text: `{"name":"Seed `}, call(JSONText, "seq"), {Text: `"}`}}},
				}},
			},
			{
				Name: "products", Count: 2, Keep: "$.id", Parallel: 8,
				Request: Request{
					Method: "PUT", Service: "account",
					Path: Template{Parts: []Part{{Text: "/api/products/"}, call(PathSegment, "row", Arg{Text: "sku"})}},
					Body: &Body{ContentType: "application/json", Template: Template{Parts: []Part{
						{Text: `{"price":`}, call(JSONValue, "row", Arg{Text: "price"}),
						{Text: `,"label":"`}, call(JSONText, "row", Arg{Text: "sku"}),
						{Text: `!","owner":"`}, call(JSONText, "pick", Arg{Text: "customers"}), {Text: `"}`},
					}}},
				},
			},
		},
		Operations: []Operation{
			{
				Name: "create_order", Weight: 60, Expect: []int{201},
				Functional: []Functional{{Status: 409, Code: "SOLD_OUT"}, {Status: 409, Code: "LIMIT"}, {Status: 422}},
				Save:       []Save{{Name: "orderId", Path: "$.orderId"}},
				Request: Request{
					Method: "POST", Service: "order",
					Path: Template{Parts: []Part{{Text: "/api/orders?colour="}, call(PathSegment, "next", Arg{Text: "colours"})}},
					Headers: []HeaderTemplate{
						{Name: "X-Run", Value: Template{Parts: []Part{call(Raw, "run"), {Text: "-"}, call(Raw, "seq")}}},
						{Name: "Accept", Value: text("application/json")},
					},
					Body: &Body{ContentType: "application/json", Template: Template{Parts: []Part{
						{Text: `{"id":"`}, call(JSONText, "uuid"),
						{Text: `","lines":[`}, call(JSONValue, "int", number(-1, "-1"), number(3, "3")),
						{Text: `],"notes":"`}, call(JSONText, "text", Arg{Text: "0..2000", Max: 2000, IsNumber: true}),
						{Text: `","raw":"${x}"}`},
					}}},
				},
				Completion: &Completion{
					Name: "order_done", Sample: 0.125,
					Poll: Request{Method: "GET", Service: "order", Path: Template{Parts: []Part{
						{Text: "/api/orders/"}, call(PathSegment, "saved", Arg{Text: "orderId"}),
					}}},
					Until:   Condition{Path: "$.status", In: []string{"CONFIRMED", "FAILED", "CANCELLED"}},
					Success: []string{"CONFIRMED"},
					Every:   100 * time.Millisecond, Timeout: 5 * time.Second,
				},
			},
			{
				Name: "note",
				Request: Request{
					Method: "PUT", Service: "account", Path: text("/notes"), Headers: []HeaderTemplate{},
					Body: &Body{ContentType: "text/csv", Template: Template{Parts: []Part{
						{Text: "a,"}, call(Raw, "int", number(5, "5"), number(5, "5")), {Text: "\n"},
					}}},
				},
			},
			{Name: "ping", Weight: 1, Request: Request{Method: "GET", Service: "account", Path: text("/ping")}},
		},
		Load:   Load{Rate: rate(t, "25/s"), Duration: 90 * time.Minute, Poisson: true, MaxInFlight: 100},
		Warmup: Warmup{For: 10 * time.Second, UntilSteady: true, Max: 2 * time.Minute},
		Reset:  Reset{Do: "recreate"},
		Thresholds: []Threshold{
			{Text: "create_order p99.9 <= 1.5s", Subject: "create_order", Stat: "p99.9", Op: "<=", Value: 1500, Unit: "ms"},
			{Text: "order_done completed >= 99.5%", Subject: "order_done", Stat: "completed", Op: ">=", Value: 99.5, Unit: "%"},
			{Text: "system_errors<1%", Stat: "system_errors", Op: "<", Value: 1, Unit: "%"},
		},
		Observe: Observe{Resources: 2 * time.Second, Scrape: 10 * time.Second},
		Variants: []Variant{
			{Name: "plain", Title: "plain", Baseline: true},
			{
				Name: "quick", Title: "quick and dirty",
				Env:        []EnvVar{{Name: "MODE", Value: text("quick")}, {Name: "extra.LEVEL", Value: text("2")}},
				RequireEnv: []string{"HZ_LICENSEKEY", "NOT_SET"},
				Verify:     []Probe{{Service: "order", GetPath: "/info", Path: "$.mode", Equals: "1.50"}},
			},
		},
		ABTest: ABTest{
			A: "quick", B: "plain",
			Primary: []Metric{
				{Subject: "create_order", Stat: "p95"}, {Subject: "order_done", Stat: "completed"}, {Stat: "cpu"}, {Stat: "memory"},
			},
			PairsMin: 4, PairsMax: 24, MaxTime: 24 * time.Hour,
			NameAt:  map[string]Margin{"p95": {Percent: 5, Absolute: 1}, "memory": {Absolute: 16}, "completed": {Absolute: 0.5}},
			RuleOut: map[string]Margin{"p95": {Percent: 10, Absolute: 2}},
			Quick:   &Quick{Rate: rate(t, "900/s"), Warmup: 4 * time.Second, Duration: 10 * time.Second},
		},
		Secrets: []string{"t0p-s3cret", "Bearer t0p-s3cret", "in-the-file", `lic"ence/1`},
	}
	got := parsed(t, whole)
	if diff := compare(want, got); diff != "" {
		t.Error(diff)
	}
	if at, want := got.Target.Process.Programs[0].Pos, (Pos{10, 7}); at != want {
		t.Errorf("program at %v, want %v", at, want)
	}
}

// TestDefaults shows what the smallest scenario stands for.
func TestDefaults(t *testing.T) {
	const small = `perfctl: 1
services: { account: http://localhost:8081 }
operations:
  ping:
    get: account:/ping
    save: { id: $.id }
    completion: { poll: "GET account:/ping/${id}", until: $.done == true, timeout: 1s }
load: { rate: 50/s, duration: 1m }
`
	want := &Scenario{
		File: "shop.yaml", Source: []byte(small), Name: "shop",
		Target:   Target{External: true},
		Services: []Service{{Name: "account", URL: "http://localhost:8081", Timeout: 10 * time.Second}},
		Operations: []Operation{{
			Name: "ping", Weight: 1,
			Request: Request{Method: "GET", Service: "account", Path: text("/ping")},
			Save:    []Save{{Name: "id", Path: "$.id"}},
			Completion: &Completion{
				Name: "ping_done", Sample: 1,
				Poll: Request{Method: "GET", Service: "account", Path: Template{Parts: []Part{
					{Text: "/ping/"}, {Call: &Call{Name: "saved", Args: arg("id")}, Mode: PathSegment},
				}}},
				Until: Condition{Path: "$.done", In: []string{"true"}}, Success: []string{"true"},
				Every: 50 * time.Millisecond, Timeout: time.Second,
			},
		}},
		Load:    Load{Rate: rate(t, "50/s"), Duration: time.Minute},
		Reset:   Reset{Do: "none"},
		Observe: Observe{Resources: time.Second, Scrape: 5 * time.Second},
	}
	if diff := compare(want, parsed(t, small)); diff != "" {
		t.Error(diff)
	}
}

// TestDefaultSides names the sides of an A-B test that the file leaves open.
func TestDefaultSides(t *testing.T) {
	const base = `perfctl: 1
services: { account: http://localhost:8081 }
operations: { ping: { get: account:/ping } }
load: { rate: 50/s, duration: 1m }
variants:
`
	for _, test := range []struct{ variants, a, b string }{
		{"  x: { baseline: true }\n  y: {}\n", "x", "y"},
		{"  x: {}\n  y: { baseline: true }\n", "y", "x"},
		{"  x: {}\n  y:\n", "", ""},
		{"  x: { baseline: true }\n  y:\n  z:\n", "x", ""},
	} {
		if got := parsed(t, base+test.variants).ABTest; got.A != test.a || got.B != test.b {
			t.Errorf("%q: a %q, b %q, want %q and %q", test.variants, got.A, got.B, test.a, test.b)
		}
	}
}

// TestPlacesOfHoles checks the place of a call behind characters of several bytes.
func TestPlacesOfHoles(t *testing.T) {
	s := parsed(t, `perfctl: 1
services: { account: http://localhost:8081 }
operations:
  ping:
    post: account:/ping
    json: { größe: "日本 ${seq} ${seq}" }
load: { rate: 50/s, duration: 1m }
`)
	var got []Pos
	for _, p := range s.Operations[0].Request.Body.Template.Parts {
		if p.Call != nil {
			got = append(got, p.Call.Pos)
		}
	}
	if diff := cmp.Diff([]Pos{{6, 24}, {6, 31}}, got); diff != "" {
		t.Error(diff)
	}
	if want := (Pos{7, 15}); s.Load.RatePos != want {
		t.Errorf("rate at %v, want %v", s.Load.RatePos, want)
	}
}

// TestAliases follows a plain alias.
func TestAliases(t *testing.T) {
	s := parsed(t, `perfctl: 1
services: { account: &base http://localhost:8081, order: *base }
operations: { ping: { get: account:/ping } }
load: { rate: 50/s, duration: 1m }
`)
	if got := s.Services[1].URL; got != "http://localhost:8081" {
		t.Errorf("alias became %q", got)
	}
}

// TestParseFile reads rows from a JSON file beside the scenario.
func TestParseFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const base = `perfctl: 1
services: { account: http://localhost:8081 }
operations: { ping: { get: "account:/ping/${pick(rows)}" } }
load: { rate: 50/s, duration: 1m }
feeders: { rows: { file: rows.json } }
`
	path := write("shop.yaml", base)
	for _, test := range []struct {
		rows string
		want []Row
		err  string
	}{
		{rows: `["a\u00e9", 12345678901234567, true, {"id": 9007199254740993}]`, want: []Row{
			{Value: "aé"}, {Value: "12345678901234567"}, {Value: "true"},
			{Value: `{"id":9007199254740993}`, Fields: map[string]string{"id": "9007199254740993"}},
		}},
		{rows: `{"a": 1}`, err: "is not a JSON array"},
		{rows: `[1] 2`, err: "goes on after its array"},
		{rows: `[]`, err: "has no rows"},
		{rows: `[1, null]`, err: `row 2 of the file "rows.json": a row cannot be null`},
		{rows: `[[1]]`, err: "a row cannot be a list"},
		{rows: `[1,`, err: "is not a JSON array"},
	} {
		write("rows.json", test.rows)
		s, problems, err := ParseFile(path)
		switch {
		case err != nil:
			t.Fatal(err)
		case test.err != "":
			if !strings.Contains(problems.Error(), test.err) {
				t.Errorf("%s: problems %q, want %q", test.rows, problems, test.err)
			}
		case len(problems) > 0:
			t.Errorf("%s: %v", test.rows, problems)
		default:
			if diff := cmp.Diff(test.want, s.Feeders[0].Rows); diff != "" {
				t.Errorf("%s: %s", test.rows, diff)
			}
		}
	}
	if _, _, err := ParseFile(filepath.Join(dir, "none.yaml")); err == nil || !strings.HasPrefix(err.Error(), "read scenario: ") {
		t.Errorf("missing file: %v", err)
	}
	if _, problems := Parse(path, []byte(base), environment); !strings.Contains(problems.Error(), "is not a file on disk") {
		t.Errorf("Parse read a file: %v", problems)
	}
}

// TestSmallestScenario is the one of the documentation: nothing more is needed.
func TestSmallestScenario(t *testing.T) {
	s := parsed(t, `perfctl: 1
name: customers
services:
  account: { url: http://localhost:8081, health: /actuator/health }
operations:
  create_customer:
    post: account:/api/customers
    json: { name: "Load ${seq}", email: "load-${run}-${seq}@example.com", address: "1 Test St" }
    expect: [200, 201]
load:
  rate: 50/s
  duration: 1m
thresholds:
  - create_customer p95 < 200ms
  - system_errors < 1%
`)
	if len(s.Thresholds) != 2 || s.Operations[0].Weight != 1 {
		t.Errorf("thresholds %v, weight %d", s.Thresholds, s.Operations[0].Weight)
	}
}

// TestThreeMistakesAtOnce demands each mistake once, at its place, in one go.
func TestThreeMistakesAtOnce(t *testing.T) {
	src, err := os.ReadFile("testdata/three-mistakes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, problems := Parse("three-mistakes.yaml", src, environment)
	type place struct {
		Pos   Pos
		Width int
	}
	var got []place
	for _, p := range problems {
		got = append(got, place{p.Pos, p.Width})
	}
	want := []place{{Pos{16, 5}, 6}, {Pos{20, 25}, 16}, {Pos{22, 9}, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
