package trial

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

const fakeShop = `
perfctl: 1
name: fake
target: { external: true }
services: { s: { url: http://127.0.0.1:1, metrics: /metrics } }
seed: [ { name: things, count: 3, post: s:/things, json: { n: "${seq}" }, keep: $.id } ]
operations: { get: { get: "s:/things/${pick(things)}" } }
load: { rate: 50/s, duration: 1s }
observe: { scrape: 1s }
variants:
  a: { baseline: true, verify: [ { http: "s:/info", path: $.engine, equals: fast } ] }
`

// A journal is what happened, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// once leaves out what came before already.
func (j *journal) once() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for _, l := range j.lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

func (j *journal) count(line string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, l := range j.lines {
		if l == line {
			n++
		}
	}
	return n
}

// A system is a fake tier and the server it brings up.
type system struct {
	journal
	t         *testing.T
	on        func(r *http.Request) (status int, body string) // overrides an answer when status is not 0
	upErr     error
	downErr   error
	untreated []tier.Difference
	exited    chan tier.Exit
}

func newSystem(t *testing.T) *system { return &system{t: t, exited: make(chan tier.Exit, 1)} }

func (s *system) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimRight(r.Method+" "+r.URL.Path, "0123456789")
	s.add("%s", name)
	if s.on != nil {
		if status, body := s.on(r); status != 0 {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	switch r.URL.Path {
	case "/things":
		fmt.Fprintf(w, `{"id":%d}`, s.count(name))
	case "/info":
		fmt.Fprint(w, `{"engine":"fast"}`)
	case "/metrics":
		fmt.Fprintf(w, "# TYPE served_total counter\nserved_total %d\n", s.count("GET /things/"))
	}
}

func (s *system) Up(_ context.Context, v *scenario.Variant, dir string, event func(rundir.EventLine)) (*tier.Instance, error) {
	s.add("tier up %s", v.Name)
	if s.upErr != nil {
		return nil, s.upErr
	}
	event(rundir.EventLine{Time: clock(), Kind: "ready", Text: "every service is ready"})
	server := httptest.NewServer(s)
	s.t.Cleanup(server.Close)
	proof := tier.Proof{Endpoints: map[string]string{"s": server.URL}, Untreated: s.untreated,
		Asked:    []rundir.Setting{{Where: "s", Name: "$.engine", Value: "fast"}},
		Observed: []rundir.Setting{{Where: "s", Name: "$.engine", Value: "fast", Proof: "GET s:/info $.engine"}}}
	proof.Again = func(ctx context.Context) []tier.Difference {
		_, _, missed := tier.Probe(ctx, tier.NewClient(), proof.Endpoints, parse(s.t, fakeShop), v)
		return missed
	}
	return tier.NewInstance(proof, s.exited, func(ctx context.Context) error {
		s.add("tier down (patient: %t)", ctx.Err() == nil)
		close(s.exited)
		return s.downErr
	}), nil
}

// run runs one trial of the fake system and reads it back.
func (s *system) run(ctx context.Context, change func(*Runner)) (*rundir.TrialRecord, error) {
	s.t.Helper()
	dir, err := rundir.Create(s.t.TempDir(), "run", "fake", clock())
	if err != nil {
		s.t.Fatal(err)
	}
	rate, err := arrival.ParseRate("50/s")
	if err != nil {
		s.t.Fatal(err)
	}
	slot := rundir.Slot{Index: 1, Block: 1, Pair: 1, First: true, Label: "A", Variant: "a", Seed: 5}
	r := &Runner{Dir: dir, Scenario: parse(s.t, fakeShop), Tier: s, Rate: rate, Now: clock,
		Plan:  rundir.Plan{Rate: "50/s", Arrivals: "constant", WarmupNS: 1e9, MeasureNS: 1e9, DrainNS: 5e9, MaxInFlight: 16, Slots: []rundir.Slot{slot}},
		Watch: Watch{Phase: func(_, phase string) { s.add("phase %s", phase) }}}
	if change != nil {
		change(r)
	}
	name, err := r.Run(ctx, slot, 1)
	record, readErr := dir.Trial(name)
	if readErr != nil {
		s.t.Fatalf("the trial cannot be read: %v", readErr)
	}
	return record, err
}

// A talkative tier tells an event with a secret in it.
type talkative struct{ *system }

func (s talkative) Up(ctx context.Context, v *scenario.Variant, dir string, event func(rundir.EventLine)) (*tier.Instance, error) {
	event(rundir.EventLine{Time: clock(), Kind: "warning", Text: "GET http://user:hunter2hunter2@s/"})
	return s.system.Up(ctx, v, dir, event)
}
