package workload

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/theory/jsonpath"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/scenario"
)

// Plant runs the scenario's seed steps in order and returns the kept ids as feeds.
// Every item must be created with an expected status and give an id; the first that does
// not ends the seeding, and the error says how many were created.
func Plant(ctx context.Context, sc *scenario.Scenario, e client.Engine, o Options) (map[string]Feed, error) {
	feeds := maps.Clone(o.Feeds)
	if feeds == nil {
		feeds = map[string]Feed{}
	}
	for n, s := range sc.Seed {
		m, err := New(&scenario.Scenario{Services: sc.Services, Feeders: sc.Feeders, Seed: sc.Seed},
			Options{Endpoints: o.Endpoints, Feeds: feeds, Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		rows, err := m.plantStep(ctx, s, n, e)
		if err != nil {
			return nil, fmt.Errorf("seed %s: %w", s.Name, err)
		}
		feeds[s.Name] = Feed{Rows: rows}
	}
	return feeds, nil
}

// plantStep creates the items of one step, so many at a time as the step says.
func (m *Mix) plantStep(ctx context.Context, s scenario.Seed, step int, e client.Engine) ([]scenario.Row, error) {
	keep, err := jsonpath.Parse(s.Keep)
	if err != nil {
		return nil, fmt.Errorf("keep: %w", err)
	}
	rows := make([]scenario.Row, s.Count)
	errs := make([]error, s.Count)
	var begun, made atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range max(1, s.Parallel) {
		wg.Go(func() {
			for !failed.Load() {
				i := int(begun.Add(1) - 1)
				if i >= s.Count {
					return
				}
				if rows[i].Value, errs[i] = m.plantItem(ctx, s, step, i, keep, e); errs[i] != nil {
					failed.Store(true)
					return
				}
				made.Add(1)
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%d of %d created; item %d was not: %w", made.Load(), s.Count, i, err)
		}
	}
	return rows, nil
}

func (m *Mix) plantItem(ctx context.Context, s scenario.Seed, step, i int, keep *jsonpath.Path, e client.Engine) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	v := m.values(int64(i), stream(m.seed, purposePlant+uint64(step)<<8, int64(i)))
	if rows := m.feeds[s.Name].Rows; i < len(rows) {
		v.row = &rows[i]
	}
	req, err := m.request(v, s.Request)
	if err != nil {
		return "", err
	}
	reply := exchange(ctx, e, req)
	if reply.err != nil {
		return "", fmt.Errorf("%s %s: %w", req.Method, req.URL, reply.err)
	}
	if !expected(s.Expect, reply.status) {
		return "", fmt.Errorf("%s %s: status %d: %s", req.Method, req.URL, reply.status, excerpt(reply.body))
	}
	doc, err := decode(reply.body)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", req.Method, req.URL, err)
	}
	id, err := one(keep, doc)
	if err != nil {
		return "", fmt.Errorf("%s %s: keep %s %w; the reply was %s", req.Method, req.URL, s.Keep, err, excerpt(reply.body))
	}
	return id, nil
}

type reply struct {
	status int
	body   []byte
	err    error
}

// exchange sends one request and waits for its end, or for that of ctx.
func exchange(ctx context.Context, e client.Engine, r *client.Request) reply {
	done := make(chan reply, 1)
	e.Send(r, func(resp *client.Response) {
		if resp.Fault != client.NoFault {
			done <- reply{err: fmt.Errorf("no answer (%v): %w", resp.Fault, resp.Err)}
			return
		}
		done <- reply{status: resp.Status, body: slices.Clone(resp.Body)}
	})
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return reply{err: context.Cause(ctx)}
	}
}

const longestExcerpt = 200

func excerpt(body []byte) string {
	s := strings.TrimSpace(string(body))
	if len(s) > longestExcerpt {
		return strings.ToValidUTF8(s[:longestExcerpt], "") + "..."
	}
	return s
}
