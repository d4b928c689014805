package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/scenario"
)

// A Mix is a scenario's operations bound to a live system: where its services
// answer, and what data was seeded. It implements load.Workload.
type Mix struct {
	ops         []scenario.Operation
	completions []int // positions of operations with a completion
	completion  []int // operation -> position among completions, or -1
	cumulative  []int64
	endpoints   map[string]string
	timeouts    map[string]time.Duration
	headers     map[string][]scenario.HeaderTemplate
	feeds       map[string]Feed
	seed        uint64
	run         string
	text        string
	judges      []*judge
}

// Options bind a mix to a live system.
type Options struct {
	Endpoints map[string]string // service -> base URL without a trailing slash
	Feeds     map[string]Feed   // seeded ids by seed name
	Seed      uint64
}

// New checks that every operation can be rendered.
func New(sc *scenario.Scenario, o Options) (*Mix, error) {
	m := &Mix{
		ops: sc.Operations, endpoints: o.Endpoints, seed: o.Seed, run: RunID(o.Seed),
		timeouts: map[string]time.Duration{}, headers: map[string][]scenario.HeaderTemplate{},
		feeds: map[string]Feed{}, text: textPool(o.Seed, longestText(sc)),
	}
	for _, f := range sc.Feeders {
		m.feeds[f.Name] = Feed{Rows: f.Rows, Sequential: f.Order == "sequential"}
	}
	for name, f := range o.Feeds {
		m.feeds[name] = f
	}
	for _, s := range sc.Services {
		m.timeouts[s.Name], m.headers[s.Name] = s.Timeout, s.Headers
	}
	var sum int64
	for i, op := range sc.Operations {
		sum += op.Weight
		m.cumulative = append(m.cumulative, sum)
		j, err := newJudge(op)
		if err != nil {
			return nil, err
		}
		m.judges = append(m.judges, j)
		m.completion = append(m.completion, -1)
		if op.Completion != nil {
			m.completion[i] = len(m.completions)
			m.completions = append(m.completions, i)
		}
		if err := m.tryRender(op); err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.Name, err)
		}
	}
	return m, nil
}

// RunID is the value of ${run}: short, and the same for the two trials of a pair.
func RunID(seed uint64) string { return fmt.Sprintf("%08x", uint32(splitmix64(seed))) }

// tryRender finds at the start what would otherwise fail at each arrival or poll.
func (m *Mix) tryRender(op scenario.Operation) error {
	v := m.values(0, stream(m.seed, purposeArrival, 0))
	if _, err := m.request(v, op.Request); err != nil {
		return err
	}
	if op.Completion == nil {
		return nil
	}
	v.saved = map[string]string{}
	for _, s := range op.Save {
		v.saved[s.Name] = "1"
	}
	_, err := m.request(v, op.Completion.Poll)
	return err
}

func (m *Mix) values(i int64, r *rand.Rand) *values {
	return &values{rand: r, seq: i, run: m.run, feeds: m.feeds, text: m.text}
}

// Operations names the operations in the scenario's order.
func (m *Mix) Operations() []string {
	names := make([]string, len(m.ops))
	for i, op := range m.ops {
		names[i] = op.Name
	}
	return names
}

// Completions names the completions in the order of their operations.
func (m *Mix) Completions() []string {
	names := make([]string, len(m.completions))
	for i, op := range m.completions {
		names[i] = m.ops[op].Completion.Name
	}
	return names
}

// Arrival renders arrival i. A template that cannot be rendered now could not be at
// the start either, where New refused it; so a failure here is a bug and panics.
func (m *Mix) Arrival(i int64) load.Exchange {
	r := stream(m.seed, purposeArrival, i)
	op := m.choose(r)
	x := load.Exchange{Index: i, Operation: op, Completion: -1}
	if c := m.ops[op].Completion; c != nil && r.Float64() < c.Sample {
		x.Completion = m.completion[op]
	}
	v := m.values(i, r)
	req, err := m.request(v, m.ops[op].Request)
	if err != nil {
		panic(fmt.Sprintf("workload: arrival %d of %s: %v", i, m.ops[op].Name, err))
	}
	x.Request, x.Key = req, strings.Join(v.keys, " ")
	return x
}

func (m *Mix) choose(r *rand.Rand) int {
	n := r.Int64N(m.cumulative[len(m.cumulative)-1])
	for i, c := range m.cumulative {
		if n < c {
			return i
		}
	}
	return len(m.cumulative) - 1
}

func (m *Mix) request(v *values, t scenario.Request) (*client.Request, error) {
	base, ok := m.endpoints[t.Service]
	if !ok {
		return nil, fmt.Errorf("service %q has no address", t.Service)
	}
	url, err := v.render([]byte(base), t.Path)
	if err != nil {
		return nil, err
	}
	r := &client.Request{Method: t.Method, URL: string(url), Timeout: m.timeouts[t.Service]}
	for _, h := range m.headers[t.Service] {
		if named(t.Headers, h.Name) {
			continue // the request's own header takes the place of the service's
		}
		if err := v.header(r, h); err != nil {
			return nil, err
		}
	}
	for _, h := range t.Headers {
		if err := v.header(r, h); err != nil {
			return nil, err
		}
	}
	if t.Body == nil {
		return r, nil
	}
	if !slices.ContainsFunc(r.Header, func(h client.Header) bool { return strings.EqualFold(h.Name, contentType) }) {
		r.Header = append(r.Header, client.Header{Name: contentType, Value: t.Body.ContentType})
	}
	r.Body, err = v.render(nil, t.Body.Template)
	return r, err
}

const contentType = "Content-Type"

func named(list []scenario.HeaderTemplate, name string) bool {
	return slices.ContainsFunc(list, func(h scenario.HeaderTemplate) bool { return strings.EqualFold(h.Name, name) })
}

func (v *values) header(r *client.Request, h scenario.HeaderTemplate) error {
	text, err := v.render(nil, h.Value)
	r.Header = append(r.Header, client.Header{Name: h.Name, Value: string(text)})
	return err
}

// longestText is the longest ${text} of the scenario in bytes.
func longestText(sc *scenario.Scenario) int64 {
	var longest int64
	see := func(r scenario.Request) {
		for _, t := range templates(r) {
			for _, p := range t.Parts {
				if p.Call != nil && p.Call.Name == "text" {
					longest = max(longest, p.Call.Args[0].Max)
				}
			}
		}
	}
	for _, op := range sc.Operations {
		see(op.Request)
		if op.Completion != nil {
			see(op.Completion.Poll)
		}
	}
	for _, s := range sc.Seed {
		see(s.Request)
	}
	for _, s := range sc.Services {
		see(scenario.Request{Headers: s.Headers})
	}
	return longest
}

func templates(r scenario.Request) []scenario.Template {
	t := []scenario.Template{r.Path}
	for _, h := range r.Headers {
		t = append(t, h.Value)
	}
	if r.Body != nil {
		t = append(t, r.Body.Template)
	}
	return t
}
