package trial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/observe"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/tier"
	"github.com/perfctl/perfctl/workload"
)

const (
	lead          = 250 * time.Millisecond // for files to be written and samplers to stand ready before the first arrival
	slowestKept   = 100
	scrapeTimeout = 2 * time.Second
	liveEvery     = 250 * time.Millisecond
	askEvery      = 20 * time.Millisecond // whether the warm-up has ended
)

// measure makes the load run with everything that watches it.
func (t *one) measure(ctx context.Context, mix *workload.Mix, engine client.Engine, instance *tier.Instance) error {
	start := time.Now().Add(lead)
	if err := t.w.Begin(start); err != nil {
		return err
	}
	t.record.Start, t.record.WarmupEndNS = start, t.Plan.WarmupNS
	if err := t.w.Trial(t.record); err != nil {
		return err
	}
	runner, err := load.New(mix, engine, load.Options{
		Schedule: t.schedule(), Start: start,
		Warmup: time.Duration(t.Plan.WarmupNS), Measure: time.Duration(t.Plan.MeasureNS), Drain: time.Duration(t.Plan.DrainNS),
		MaxInFlight: t.Plan.MaxInFlight, Steady: t.Steady, WarmupMax: t.Scenario.Warmup.Max, Slowest: slowestKept,
	}, sink{t.w})
	if err != nil {
		return err
	}
	t.phase("warm-up")
	defer promptly()()
	seen := t.watch(ctx, runner, instance, start)
	totals, err := runner.Run(ctx)
	seen.end(err == nil && !totals.Cut)
	t.phase("collect")
	t.totals(totals)
	err = errors.Join(err, seen.write(t), t.slowest(totals))
	if totals.Cut {
		err = errors.Join(context.Cause(ctx), err)
	}
	return err
}

// totals copies what the load run counted.
func (t *one) totals(l load.Totals) {
	r := &t.record
	r.WarmupEndNS, r.EndNS = int64(l.WarmupEnd), int64(l.End)
	r.Planned, r.Scheduled, r.Sent, r.Unsent = l.Planned, l.Scheduled, l.Sent, l.Unsent
	r.InFlightMax, r.CapHit, r.Dialed, r.Cut = l.InFlightMax, l.CapHit, l.Engine.Dialed, l.Cut
	if l.Lateness != nil {
		r.Lateness = rundir.Quantiles{N: l.Lateness.TotalCount(), P50: l.Lateness.ValueAtQuantile(50),
			P99: l.Lateness.ValueAtQuantile(99), Max: l.Lateness.Max()}
	}
	r.Outcomes = map[string]map[string]int64{}
	for op, outcomes := range l.Outcomes {
		r.Outcomes[op] = map[string]int64{}
		for o, n := range outcomes {
			r.Outcomes[op][string(o)] = n
		}
	}
	for _, e := range l.Errors {
		r.Errors = append(r.Errors, rundir.ErrorEntry{Operation: e.Operation, Outcome: string(e.Outcome), Signature: t.Scenario.Mask(e.Signature),
			Count: e.Count, FirstNS: int64(e.First - l.WarmupEnd), LastNS: int64(e.Last - l.WarmupEnd), Example: t.Scenario.Mask(e.Example)})
	}
	if l.Clamped > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d times were longer than the ten minutes that histograms hold and count as ten minutes", l.Clamped))
	}
}

func (t *one) slowest(l load.Totals) error {
	for _, s := range l.Slowest {
		err := t.w.Slow(rundir.SlowLine{Index: s.Index, Operation: s.Operation, Outcome: string(s.Outcome),
			IntendedNS: int64(s.Intended - l.WarmupEnd), SentNS: int64(s.Sent - l.WarmupEnd), DoneNS: int64(s.Done - l.WarmupEnd),
			Status: s.Status, RequestBytes: s.RequestBytes, ResponseBytes: s.ResponseBytes, Reused: s.Reused,
			Replica: s.Replica, Remote: s.Remote, Key: s.Key})
		if err != nil {
			return err
		}
	}
	return nil
}

// path says how the load reaches the system.
func path(endpoints map[string]string) string {
	for _, e := range endpoints {
		u, err := url.Parse(e)
		if err != nil {
			return "unknown"
		}
		host := u.Hostname()
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return "direct, network"
		}
	}
	return "direct, loopback"
}

// endpoints of services that have metrics.
func (t *one) metrics(instance *tier.Instance) []observe.Endpoint {
	var out []observe.Endpoint
	for _, s := range t.Scenario.Services {
		if s.Metrics != "" {
			out = append(out, observe.Endpoint{Service: s.Name, URL: instance.Endpoints()[s.Name] + s.Metrics})
		}
	}
	return out
}
