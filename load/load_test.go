package load

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/client"
)

const ms = time.Millisecond

// times are the three times of an arrival.
type times struct{ response, service, lateness time.Duration }

func timesOf(r SlowRequest) times {
	return times{r.Done - r.Intended, r.Done - r.Sent, r.Sent - r.Intended}
}

// 100/s, one slot; arrival 0 takes 1 s, the others 1 ms. Those that wait for the slot
// are charged from their intended start.
func TestWaitForTheSlotIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "100/s", 2*time.Second)
		o.MaxInFlight = 1
		system := takes(func(i int64) time.Duration {
			if i == 0 {
				return time.Second
			}
			return ms
		})
		totals, sink, got := drive(t, fakeWorkload{}, system, o)
		for i, want := range map[int64]times{
			0:   {1000 * ms, 1000 * ms, 0},
			1:   {991 * ms, ms, 990 * ms}, // due at 10 ms, sent at 1,000 ms
			2:   {982 * ms, ms, 981 * ms},
			50:  {550 * ms, ms, 549 * ms}, // the line shrinks by 9 ms with each arrival
			110: {10 * ms, ms, 9 * ms},
			111: {ms, ms, 0},
			199: {ms, ms, 0},
		} {
			if diff := cmp.Diff(want, timesOf(got[i]), cmp.AllowUnexported(times{})); diff != "" {
				t.Errorf("arrival %d: %s", i, diff)
			}
		}
		// Arrivals 1 to 110 found the slot taken; 111 is due at the instant when it becomes free.
		if (totals.CapHit != 110 && totals.CapHit != 111) || totals.InFlightMax != 1 || totals.Sent != 200 || totals.Unsent != 0 {
			t.Errorf("cap hit %d, in flight %d, sent %d, unsent %d", totals.CapHit, totals.InFlightMax, totals.Sent, totals.Unsent)
		}
		if first := sink.seconds[0]; first.Waiting != 99 || first.Sent != 1 || first.Done != 0 {
			t.Errorf("second 0: waiting %d, sent %d, done %d", first.Waiting, first.Sent, first.Done)
		}
		if second := sink.seconds[1]; second.Waiting < 99 || second.Waiting > 100 || second.Sent != 199 || second.Done != 200 {
			t.Errorf("second 1: waiting %d, sent %d, done %d", second.Waiting, second.Sent, second.Done)
		}
	})
}

// The system stands still from 3 s to 4 s and then answers all in 1 ms. At 100/s with
// no limit nothing waits for a slot, and each arrival of the stall is charged the rest of it.
func TestStallIsChargedToTheOnesThatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		totals, sink, got := drive(t, fakeWorkload{}, stalled(3*time.Second, 4*time.Second), options(t, "100/s", 10*time.Second))
		for i, r := range got {
			want := times{ms, ms, 0}
			if i >= 300 && i < 400 {
				rest := time.Duration(400-i)*10*ms + ms
				want = times{rest, rest, 0}
			}
			if diff := cmp.Diff(want, timesOf(r), cmp.AllowUnexported(times{})); diff != "" {
				t.Errorf("arrival %d: %s", i, diff)
			}
		}
		if totals.InFlightMax != 101 { // the 100 of the stall, and 400 at the instant of its end
			t.Errorf("in flight %d", totals.InFlightMax)
		}
		want := []int64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
		var sent []int64
		for _, s := range sink.seconds {
			sent = append(sent, s.Sent)
		}
		if diff := cmp.Diff(want, sent[:10]); diff != "" {
			t.Errorf("sent by second: %s", diff)
		}
	})
}

func stalled(from, to time.Duration) *fakeSystem {
	return newFake(func(_ int64, _ int, at time.Duration) (time.Duration, client.Response) {
		if at >= from && at < to {
			return to - at + ms, client.Response{Status: 200}
		}
		return ms, client.Response{Status: 200}
	})
}

// A 2 s stall at 1,000/s for 30 s: the recorded quantiles are those of the true times,
// which are known, to the histogram's precision.
func TestQuantilesOfAStallAreTheAnalyticOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "1000/s", 30*time.Second)
		o.Slowest = 3
		totals, sink, _ := drive(t, fakeWorkload{}, stalled(14*time.Second, 16*time.Second), o)
		want := map[Outcome]int64{OK: 30_000}
		if diff := cmp.Diff(want, totals.Outcomes["order"]); diff != "" || totals.Planned != 30_000 || totals.Sent != 30_000 {
			t.Errorf("planned %d, sent %d: %s", totals.Planned, totals.Sent, diff)
		}
		whole := newPacked()
		for _, s := range sink.seconds {
			if series := s.Series[Key{"order", OK}]; series != nil {
				whole.MergeFrom(series.Response)
			}
		}
		// Rank k of 30,000: the 28,000 outside the stall take 1 ms, the 2,000 in it 2 ms to 2,001 ms.
		for percentile, rank := range map[float64]int64{50: 15_000, 90: 27_000, 95: 28_500, 99: 29_700, 99.9: 29_970, 100: 30_000} {
			truth := int64(ms)
			if rank > 28_000 {
				truth = (rank - 28_000 + 1) * int64(ms)
			}
			if got := whole.ValueAtPercentile(percentile); got < truth || float64(got) > float64(truth)*1.001 {
				t.Errorf("p%v: %v, truth %v", percentile, time.Duration(got), time.Duration(truth))
			}
		}
		if slow := totals.Slowest[2]; slow.Index != 14_002 || slow.Done-slow.Intended != 1999*ms {
			t.Errorf("third slowest: %+v", slow)
		}
	})
}

// A system that answers 50 of 100 a second, one at a time: the line grows by 50 a second.
func TestHalfTheOfferedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "100/s", 10*time.Second)
		o.MaxInFlight = 1
		totals, sink, got := drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return 20 * ms }), o)
		for _, i := range []int64{0, 1, 500, 999} {
			want := times{time.Duration(i)*10*ms + 20*ms, 20 * ms, time.Duration(i) * 10 * ms}
			if diff := cmp.Diff(want, timesOf(got[i]), cmp.AllowUnexported(times{})); diff != "" {
				t.Errorf("arrival %d: %s", i, diff)
			}
		}
		if totals.Sent != 1000 || totals.CapHit != 999 || totals.End != 20*time.Second {
			t.Errorf("sent %d, cap hit %d, end %v", totals.Sent, totals.CapHit, totals.End)
		}
		// The histograms hold these times, each in the second of its intended start.
		for k, s := range sink.seconds[:10] {
			response, service, lateness := newPacked(), newPacked(), newPacked()
			for i := range 100 {
				late := time.Duration(100*k+i) * 10 * ms
				record(response, late+20*ms)
				record(service, 20*ms)
				record(lateness, late)
			}
			series := s.Series[Key{"order", OK}]
			if !series.Response.Equals(dense(response)) || !series.Service.Equals(dense(service)) || !s.Lateness.Equals(dense(lateness)) {
				t.Errorf("second %d: wrong times", k)
			}
		}
		if len(sink.seconds) != 21 { // the last answer comes at 20.000 s
			t.Fatalf("%d seconds", len(sink.seconds))
		}
		for k, s := range sink.seconds[:10] {
			if s.Scheduled["order"] != 100 || !s.Measured || s.Start != time.Duration(k)*time.Second {
				t.Errorf("second %d: %+v", k, s)
			}
		}
		if s := sink.seconds[15]; s.Measured || s.Scheduled["order"] != 0 || s.Sent != 50 || s.Done != 50 || s.InFlight != 1 {
			t.Errorf("second 15 of the drain: %+v", s)
		}
	})
}

// What still waits when the drain ends was never sent; what was sent and has no answer
// is censored at what it waited. Nothing is lost.
func TestEndOfTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "10/s", 2*time.Second)
		o.MaxInFlight = 3
		o.Drain = 500 * ms
		totals, sink, got := drive(t, fakeWorkload{}, takes(func(i int64) time.Duration {
			if i < 5 {
				return 100 * ms
			}
			return time.Hour
		}), o)
		want := map[Outcome]int64{OK: 5, Timeout: 3, Unsent: 12}
		if diff := cmp.Diff(want, totals.Outcomes["order"]); diff != "" {
			t.Error(diff)
		}
		if totals.Planned != 20 || totals.Scheduled != 20 || totals.Sent != 8 || totals.Unsent != 12 || totals.CapHit != 12 {
			t.Errorf("%+v", totals)
		}
		// Arrival 5 is due at 500 ms; the drain ends at 2,500 ms.
		if diff := cmp.Diff(times{2000 * ms, 2000 * ms, 0}, timesOf(got[5]), cmp.AllowUnexported(times{})); diff != "" {
			t.Error(diff)
		}
		series := sink.seconds[1].Series[Key{"order", Unsent}]
		if series.Count != 10 || series.Response.TotalCount() != 0 {
			t.Errorf("unsent: %d, with %d times", series.Count, series.Response.TotalCount())
		}
		wantErrors := []ErrorRecord{{
			Operation: "order", Outcome: Timeout, Signature: noAnswer, Count: 3,
			First: 500 * ms, Last: 700 * ms, Example: noAnswer,
		}}
		if diff := cmp.Diff(wantErrors, totals.Errors); diff != "" {
			t.Error(diff)
		}
	})
}

// A request that times out is a sample of its timeout, never a small one.
func TestTimeoutIsCensored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		totals, sink, got := drive(t, fakeWorkload{timeout: 250 * ms}, takes(func(i int64) time.Duration {
			return time.Duration(i%2) * time.Hour
		}), options(t, "10/s", time.Second))
		if diff := cmp.Diff(map[Outcome]int64{OK: 5, Timeout: 5}, totals.Outcomes["order"]); diff != "" {
			t.Error(diff)
		}
		if r := got[1]; r.Outcome != Timeout || r.Done-r.Intended != 250*ms {
			t.Errorf("%+v", r)
		}
		if h := sink.seconds[0].Series[Key{"order", Timeout}].Response; h.Min() > int64(250*ms) || h.Max() < int64(250*ms) || h.TotalCount() != 5 {
			t.Errorf("%d to %d", h.Min(), h.Max())
		}
	})
}

func TestWarmupIsSentAndNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "10/s", 3*time.Second)
		o.Warmup = 2 * time.Second
		totals, sink, got := drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return ms }), o)
		var measured []bool
		for _, s := range sink.seconds {
			measured = append(measured, s.Measured)
		}
		if diff := cmp.Diff([]bool{false, false, true, true, true, false}, measured); diff != "" {
			t.Error(diff)
		}
		if totals.Planned != 50 || totals.Scheduled != 30 || totals.Sent != 30 || totals.WarmupEnd != 2*time.Second || totals.Cut || totals.Steady {
			t.Errorf("%+v", totals)
		}
		if len(got) != 30 || totals.Lateness.TotalCount() != 30 || totals.Engine.Dialed != 1 {
			t.Errorf("%d slow, %d late, %+v", len(got), totals.Lateness.TotalCount(), totals.Engine)
		}
	})
}

func TestSlowRequestHasItsAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newFake(func(int64, int, time.Duration) (time.Duration, client.Response) {
			return 7 * ms, client.Response{Status: 409, Bytes: 12, Reused: true, Replica: "pod-1", Remote: "10.0.0.1:80", Body: []byte("sold out")}
		})
		totals, _, _ := drive(t, fakeWorkload{}, system, options(t, "1/s", time.Second))
		want := []SlowRequest{{
			Operation: "order", Outcome: Functional, Done: 7 * ms, Status: 409, ResponseBytes: 12,
			Reused: true, Replica: "pod-1", Remote: "10.0.0.1:80", Key: "key-0",
		}}
		if diff := cmp.Diff(want, totals.Slowest); diff != "" {
			t.Error(diff)
		}
		wantErrors := []ErrorRecord{{Operation: "order", Outcome: Functional, Signature: "409 SOLD_OUT", Count: 1, Example: "sold out"}}
		if diff := cmp.Diff(wantErrors, totals.Errors); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFaultsAreClassified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		faults := []client.Fault{client.Refused, client.Reset, client.Malformed, client.Timeout, client.Cancelled, client.Generator, client.Unreachable}
		system := newFake(func(i int64, _ int, _ time.Duration) (time.Duration, client.Response) {
			if i < int64(len(faults)) {
				return ms, client.Response{Fault: faults[i]}
			}
			return ms, client.Response{Status: 999} // which the workload cannot judge
		})
		totals, _, _ := drive(t, fakeWorkload{}, system, options(t, "8/s", time.Second))
		want := map[Outcome]int64{System: 5, Timeout: 1, Client: 2}
		if diff := cmp.Diff(want, totals.Outcomes["order"]); diff != "" {
			t.Error(diff)
		}
	})
}

// A level lasts until it changes: one arrival of 3.5 s is in flight in four seconds.
func TestLevelsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "1/10s", 5*time.Second)
		_, sink, _ := drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return 3500 * ms }), o)
		var got []int64
		for _, s := range sink.seconds {
			got = append(got, s.InFlight)
		}
		if diff := cmp.Diff([]int64{1, 1, 1, 1, 0, 0}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A run ends with its window, or with the last answer or completion after it, and not a
// second later.
func TestRunEndsInTime(t *testing.T) {
	followed := polled(Completion{First: 700 * ms})
	for _, tt := range []struct {
		name    string
		w       fakeWorkload
		service time.Duration
		want    time.Duration
	}{
		{"window", fakeWorkload{}, ms, 1500 * ms},
		{"answer", fakeWorkload{}, 1600 * ms, 2600 * ms}, // of the arrival at 1,000 ms
		{"completion that times out", polled(Completion{First: time.Hour, Timeout: 900 * ms}), ms, 1900 * ms},
		{"completion", followed, 300 * ms, (1000 + 300 + 700 + 300) * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				system := takes(func(int64) time.Duration { return tt.service })
				if _, err := Run(t.Context(), tt.w, system, options(t, "1/s", 1500*ms), new(ledgerSink)); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun) - startLead; took != tt.want {
					t.Errorf("it took %v, want %v", took, tt.want)
				}
			})
		})
	}
}
