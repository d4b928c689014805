package load

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
	"pgregory.net/rapid"
)

// Whatever the system does: planned = sent + unsent, sent is the sum of the outcomes,
// each arrival is in exactly one series of its own second, and the times are in order.
func TestNothingVanishes(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		services := rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 20).Draw(draw, "service ms")
		statuses := rapid.SliceOfN(rapid.SampledFrom([]int{200, 200, 200, 409, 503}), 1, 5).Draw(draw, "status")
		w := fakeWorkload{timeout: time.Duration(rapid.IntRange(1, 4000).Draw(draw, "timeout ms")) * ms}
		if rapid.Bool().Draw(draw, "followed") {
			w = polled(Completion{First: 5 * ms, Growth: 1.5, Timeout: w.timeout * 2})
		}
		schedule := arrival.Constant(rate(t, "20/s"))
		if rapid.Bool().Draw(draw, "poisson") {
			schedule = arrival.Poisson(rate(t, "20/s"), rapid.Uint64().Draw(draw, "seed"))
		}
		o := Options{
			Schedule: schedule, Sleeper: arrival.OpenTimer, Slowest: 1000,
			Warmup:      time.Duration(rapid.IntRange(0, 2).Draw(draw, "warm-up")) * time.Second,
			Measure:     time.Duration(rapid.IntRange(1, 5000).Draw(draw, "measure ms")) * ms,
			Drain:       time.Duration(rapid.IntRange(0, 3000).Draw(draw, "drain ms")) * ms,
			MaxInFlight: rapid.IntRange(1, 50).Draw(draw, "limit"),
		}
		cutAt := time.Duration(rapid.IntRange(0, 20_000).Draw(draw, "cut ms")) * ms
		system := newFake(func(i int64, poll int, _ time.Duration) (time.Duration, client.Response) {
			place := int(i) + poll
			return time.Duration(services[place%len(services)]) * ms, client.Response{Status: statuses[place%len(statuses)]}
		})
		sink := new(ledgerSink)
		var totals Totals
		var err error
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), cutAt)
			defer cancel()
			totals, err = Run(ctx, w, system, o, sink)
			system.Close()
		})
		if err == nil {
			err = accounts(o, totals, sink)
		}
		if err != nil {
			draw.Fatal(err)
		}
	})
}

// accounts adds everything up again from what the sink was handed.
func accounts(o Options, totals Totals, sink *ledgerSink) error {
	planned, warmup := o.Schedule.Count(o.Warmup+o.Measure), o.Schedule.Count(o.Warmup)
	if totals.Planned != planned || totals.Sent+totals.Unsent != totals.Scheduled {
		return fmt.Errorf("planned %d: %+v", planned, totals)
	}
	if !totals.Cut && totals.Scheduled != planned-warmup {
		return fmt.Errorf("planned %d, %d of them in the warm-up: %+v", planned, warmup, totals)
	}
	all, sent, late := int64(0), int64(0), int64(0)
	for k, s := range sink.seconds {
		from := time.Duration(k) * time.Second
		end := max(from, min(from+time.Second, o.Warmup+o.Measure))
		due := o.Schedule.Count(end) - o.Schedule.Count(from)
		if s.Start != from || s.Scheduled["order"] > due || (!totals.Cut && s.Scheduled["order"] != due) {
			return fmt.Errorf("second %d begins at %v with %d arrivals of %d", k, s.Start, s.Scheduled["order"], due)
		}
		for key, series := range s.Series {
			if key.Operation == "order" {
				all += series.Count
			}
			if key.Outcome != Unsent && series.Response.TotalCount() != series.Count {
				return fmt.Errorf("second %d, %v: %d arrivals, %d times", k, key, series.Count, series.Response.TotalCount())
			}
		}
		sent += s.Sent
		late += s.Lateness.TotalCount()
	}
	unsent := sink.count("order", Unsent)
	if (!totals.Cut && all != planned) || sent+unsent != all || late != sent {
		return fmt.Errorf("%d planned, %d booked, %d sent, %d with a lateness, %d unsent", planned, all, sent, late, unsent)
	}
	if n := int64(len(sink.completions)); n != 0 && n != all {
		return fmt.Errorf("%d sampled arrivals, %d records", all, n)
	}
	for _, r := range totals.Slowest {
		if got := timesOf(r); got.service < 0 || got.lateness < 0 || got.response < got.service {
			return fmt.Errorf("arrival %d: %+v", r.Index, got)
		}
	}
	for _, c := range sink.completions {
		if c.Lower < 0 || c.Upper < c.Lower {
			return fmt.Errorf("completion %+v", c)
		}
	}
	return nil
}

func TestErrorLedgerIsBounded(t *testing.T) {
	l := newErrorLedger()
	for i := range 250 {
		l.add("order", System, fmt.Sprintf("500 id-%03d", i), strings.Repeat("é", 200), time.Duration(i))
	}
	l.add("order", System, "500 id-007", "", 3)
	l.add("pay", Timeout, "", "late", 5)
	list := l.list()
	if len(list) != maxSignatures+2 {
		t.Fatalf("%d records", len(list))
	}
	if other := list[0]; other.Signature != "other" || other.Count != 150 || other.First != 100 || other.Last != 249 {
		t.Errorf("%+v", other)
	}
	if again := list[1]; again.Signature != "500 id-007" || again.Count != 2 || again.First != 3 || again.Last != 7 || again.Example != strings.Repeat("é", 150) {
		t.Errorf("%+v", again)
	}
	if last := list[len(list)-1]; last != (ErrorRecord{"pay", Timeout, "timeout", 1, 5, 5, "late"}) {
		t.Errorf("%+v", last)
	}
	if got := cutTo("aé"+"é", 4); got != "aé" {
		t.Errorf("cut to %q", got)
	}
}

func TestSlowestKeepsTheSlowest(t *testing.T) {
	s := slowest{limit: 3}
	for i, d := range []time.Duration{5, 9, 1, 9, 7, 9, 2} {
		s.add(SlowRequest{Index: int64(i), Intended: 100, Done: 100 + d})
	}
	var got []int64
	for _, r := range s.list() {
		got = append(got, r.Index)
	}
	if fmt.Sprint(got) != "[1 3 5]" {
		t.Errorf("%v", got)
	}
	none := slowest{}
	if none.add(SlowRequest{Done: 1}); len(none.list()) != 0 {
		t.Error("kept one of none")
	}
}

// Times above ten minutes are kept as ten minutes, and told.
func TestRecordClamps(t *testing.T) {
	h := newPacked()
	clamped := record(h, -1) + record(h, 0) + record(h, 10*time.Minute)
	if clamped != 0 {
		t.Errorf("%d of the range clamped", clamped)
	}
	if n := record(h, 10*time.Minute+1) + record(h, math.MaxInt64); n != 2 || h.TotalCount() != 5 {
		t.Errorf("%d clamped, %d recorded", n, h.TotalCount())
	}
	d := dense(h)
	if d.TotalCount() != 5 || d.Max() != h.Max() || d.Min() != 0 {
		t.Errorf("dense: %d from %d to %d", d.TotalCount(), d.Min(), d.Max())
	}
}
