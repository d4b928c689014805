package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/theory/jsonpath"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/scenario"
)

// Plant runs the scenario's seed steps in order and returns the kept ids as feeds.
// Every item must be created with an expected status and give an id; otherwise it
// fails with the first reply that did not, and how many did.
func Plant(ctx context.Context, sc *scenario.Scenario, e client.Engine, o Options) (map[string]Feed, error) {
	feeds := map[string]Feed{}
	for name, f := range o.Feeds {
		feeds[name] = f
	}
	for n, s := range sc.Seed {
		m, err := New(&scenario.Scenario{Services: sc.Services, Feeders: sc.Feeders, Seed: sc.Seed},
			Options{Endpoints: o.Endpoints, Feeds: feeds, Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		feed, err := m.plantOne(ctx, s, n, e)
		if err != nil {
			return nil, fmt.Errorf("seed %s: %w", s.Name, err)
		}
		feeds[s.Name] = feed
	}
	return feeds, nil
}

func (m *Mix) plantOne(ctx context.Context, s scenario.Seed, step int, e client.Engine) (Feed, error) {
	keep, err := jsonpath.Parse(s.Keep)
	if err != nil {
		return Feed{}, fmt.Errorf("keep: %w", err)
	}
	rows := make([]scenario.Row, s.Count)
	errs := make([]error, s.Count)
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, s.Parallel) {
		wg.Go(func() {
			for i := range next {
				rows[i].Value, errs[i] = m.plantItem(ctx, s, step, i, keep, e)
			}
		})
	}
	for i := range s.Count {
		next <- i
	}
	close(next)
	wg.Wait()
	return Feed{Rows: rows}, planted(errs)
}

// planted turns the items' errors into one that says how many were created.
func planted(errs []error) error {
	var first error
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else if first == nil {
			first = err
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("%d of %d created; the first that was not: %w", made, len(errs), first)
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
	if req.Timeout == 0 {
		req.Timeout = 10 * time.Second
	}
	reply := exchange(e, req)
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

// exchange sends one request and waits for its end.
func exchange(e client.Engine, r *client.Request) reply {
	done := make(chan reply, 1)
	e.Send(r, func(resp *client.Response) {
		if resp.Fault != client.NoFault {
			done <- reply{err: errors.Join(resp.Err, fmt.Errorf("no answer"))}
			return
		}
		done <- reply{status: resp.Status, body: append([]byte(nil), resp.Body...)}
	})
	return <-done
}

func excerpt(body []byte) string {
	s := strings.TrimSpace(string(body))
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}
