package load

import (
	"container/heap"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/client"
)

// progressOf reads the fake poll's answer.
func progressOf(r *client.Response) Progress {
	switch r.Status {
	case 200:
		return Succeeded
	case 202:
		return Pending
	case 404:
		return Missing
	case 410:
		return Failed
	}
	return PollError
}

// polled makes a workload whose arrivals are followed.
func polled(c Completion) fakeWorkload {
	c.Judge = progressOf
	return fakeWorkload{timeout: time.Second, completion: &c}
}

// completesAfter makes a system that accepts in 1 ms, answers polls after a round trip,
// and is done a time after the arrival was sent.
func completesAfter(done, roundTrip time.Duration) *fakeSystem {
	return newFake(func(i int64, poll int, at time.Duration) (time.Duration, client.Response) {
		if poll == 0 {
			return ms, client.Response{Status: 201}
		}
		if at+roundTrip/2 >= time.Duration(i)*time.Second+done { // the state when the poll gets there
			return roundTrip, client.Response{Status: 200}
		}
		return roundTrip, client.Response{Status: 202}
	})
}

// What completes at 120 ms is found in an interval that holds 120 ms. With waits that
// grow by a tenth, the wait at age a is a/10 plus the first wait (a geometric sum), and
// the last round trip is added: that is the width.
func TestCompletionIsAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first, roundTrip = 2 * ms, 2 * ms
		w := polled(Completion{First: first, Growth: 1.1, Timeout: 10 * time.Second})
		_, sink, _ := drive(t, w, completesAfter(120*ms, roundTrip), options(t, "1/s", 3*time.Second))
		if len(sink.completions) != 3 {
			t.Fatalf("%d completions", len(sink.completions))
		}
		for i, c := range sink.completions {
			if c.Lower > 120*ms || c.Upper < 120*ms || c.Upper-c.Lower > c.Lower/10+first+roundTrip {
				t.Errorf("completed in [%v, %v], truth 120ms", c.Lower, c.Upper)
			}
			want := CompletionRecord{
				Index: int64(i), Completion: "confirmed", Intended: time.Duration(i) * time.Second,
				Measured: true, Outcome: OK, Lower: c.Lower, Upper: c.Upper, Polls: c.Polls,
			}
			if diff := cmp.Diff(want, c); diff != "" || c.Polls < 10 || c.Polls > 30 {
				t.Errorf("%d polls: %s", c.Polls, diff)
			}
		}
		if n := sink.count("confirmed", OK); n != 3 {
			t.Errorf("%d completions booked", n)
		}
		if n := sink.count("confirmed.poll", OK); n != int64(3*sink.completions[0].Polls) {
			t.Errorf("%d polls booked", n)
		}
		if n := sink.count("order", OK); n != 3 {
			t.Errorf("%d orders: polls must not be among them", n)
		}
		series := sink.seconds[0].Series
		if series[Key{"confirmed", OK}].Service != nil || series[Key{"confirmed.poll", OK}].Service == nil {
			t.Error("only polls have a service time")
		}
	})
}

// The instants of the polls: each wait is the one before times the growth, from send to
// send, at least a round trip, at most the longest.
func TestPollTimes(t *testing.T) {
	tests := []struct {
		name      string
		c         Completion
		roundTrip time.Duration
		want      []time.Duration // from the answer to the arrival
	}{
		{"growing", Completion{First: 10 * ms, Growth: 2}, ms, []time.Duration{10 * ms, 30 * ms, 70 * ms, 150 * ms}},
		{"constant", Completion{First: 10 * ms}, ms, []time.Duration{10 * ms, 20 * ms, 30 * ms, 40 * ms}},
		{"at most", Completion{First: 10 * ms, Growth: 2, Every: 25 * ms}, ms, []time.Duration{10 * ms, 30 * ms, 55 * ms, 80 * ms}},
		{"a round trip", Completion{First: ms, Growth: 2}, 50 * ms, []time.Duration{ms, 51 * ms, 151 * ms, 351 * ms}},
		{"at once", Completion{}, 0, []time.Duration{0, ms, 2 * ms, 3 * ms}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []time.Duration
				system := newFake(func(_ int64, poll int, at time.Duration) (time.Duration, client.Response) {
					if poll == 0 {
						return ms, client.Response{Status: 201}
					}
					got = append(got, at-ms)
					if poll == len(tt.want) {
						return tt.roundTrip, client.Response{Status: 200}
					}
					return tt.roundTrip, client.Response{Status: 202}
				})
				drive(t, polled(tt.c), system, options(t, "1/s", time.Second))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Two replicas, one of which never knows the thing: a poll that misses moves no bound.
func TestReplicasThatDisagree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		statuses := []int{404, 404, 202, 404, 500, 202, 404, 200}
		system := newFake(func(_ int64, poll int, _ time.Duration) (time.Duration, client.Response) {
			if poll == 0 {
				return ms, client.Response{Status: 201}
			}
			return ms, client.Response{Status: statuses[poll-1]}
		})
		totals, sink, _ := drive(t, polled(Completion{First: 10 * ms, Timeout: time.Minute}), system, options(t, "1/s", time.Second))
		want := []CompletionRecord{{
			Completion: "confirmed", Measured: true, Outcome: OK,
			Lower: 61 * ms, Upper: 82 * ms, // the sixth poll was sent at 61 ms, the eighth answered at 82 ms
			Polls: 8, Misses: 4, Disagreements: 2, PollErrors: 1,
		}}
		if diff := cmp.Diff(want, sink.completions); diff != "" {
			t.Error(diff)
		}
		wantErrors := []ErrorRecord{
			{Operation: "confirmed.poll", Outcome: Functional, Signature: "404 missing", Count: 4},
			{Operation: "confirmed.poll", Outcome: System, Signature: "500 poll error", Count: 1},
		}
		if diff := cmp.Diff(wantErrors, totals.Errors); diff != "" {
			t.Error(diff)
		}
		if ok, missing, failed := sink.count("confirmed.poll", OK), sink.count("confirmed.poll", Functional), sink.count("confirmed.poll", System); ok != 3 || missing != 4 || failed != 1 {
			t.Errorf("polls: %d ok, %d missing, %d failed", ok, missing, failed)
		}
	})
}

// Without a sighting the lower bound is the send: work is not done before it is asked for.
func TestEndsOfACompletion(t *testing.T) {
	tests := []struct {
		name   string
		status int           // of each poll; 0 never answers
		accept time.Duration // service time of the arrival
		drain  time.Duration
		want   CompletionRecord
	}{
		{"succeeds at the first poll", 200, ms, time.Minute,
			CompletionRecord{Outcome: OK, Upper: 12 * ms, Polls: 1}},
		{"fails", 410, ms, time.Minute,
			CompletionRecord{Outcome: Functional, Upper: 12 * ms, Polls: 1}},
		{"never done", 202, ms, time.Minute,
			CompletionRecord{Outcome: Timeout, Lower: 91 * ms, Upper: 100 * ms, Polls: 9}},
		{"never answers", 0, ms, time.Minute,
			CompletionRecord{Outcome: Timeout, Upper: 100 * ms, Polls: 1}},
		{"accepted after its timeout", 200, 150 * ms, time.Minute,
			CompletionRecord{Outcome: Timeout, Upper: 100 * ms}},
		{"accepted just before its timeout", 202, 95 * ms, time.Minute,
			CompletionRecord{Outcome: Timeout, Upper: 100 * ms}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				system := newFake(func(_ int64, poll int, _ time.Duration) (time.Duration, client.Response) {
					switch {
					case poll == 0:
						return tt.accept, client.Response{Status: 201}
					case tt.status == 0:
						return time.Hour, client.Response{}
					}
					return ms, client.Response{Status: tt.status}
				})
				o := options(t, "1/s", time.Second)
				o.Drain = tt.drain
				totals, sink, _ := drive(t, polled(Completion{First: 10 * ms, Timeout: 100 * ms}), system, o)
				tt.want.Completion, tt.want.Measured = "confirmed", true
				if diff := cmp.Diff([]CompletionRecord{tt.want}, sink.completions); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(map[Outcome]int64{tt.want.Outcome: 1}, totals.Completions["confirmed"]); diff != "" {
					t.Error(diff)
				}
				polls := sink.count("confirmed.poll", OK) + sink.count("confirmed.poll", Timeout)
				if polls != int64(tt.want.Polls) {
					t.Errorf("%d polls sent, %d booked", tt.want.Polls, polls)
				}
			})
		})
	}
}

// At the end of the drain an open completion, and the poll that is out, are censored at
// what they waited.
func TestDrainEndsCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newFake(func(i int64, poll int, _ time.Duration) (time.Duration, client.Response) {
			if poll == 0 {
				return ms, client.Response{Status: 201}
			}
			if i == 0 {
				return 300 * ms, client.Response{Status: 202} // sent at 11, 311, 611, ... 2,711
			}
			return time.Hour, client.Response{} // sent at 1,011, its own timeout is 1 s; again at 2,011
		})
		o := options(t, "1/s", 2*time.Second)
		o.Drain = 800 * ms
		_, sink, _ := drive(t, polled(Completion{First: 10 * ms, Timeout: time.Hour}), system, o)
		want := []CompletionRecord{
			{Index: 0, Completion: "confirmed", Measured: true, Outcome: Timeout, Lower: 2411 * ms, Upper: 2800 * ms, Polls: 10},
			{Index: 1, Completion: "confirmed", Measured: true, Intended: time.Second, Outcome: Timeout, Upper: 1800 * ms, Polls: 2, PollErrors: 1},
		}
		byIndex := cmp.Transformer("byIndex", func(in []CompletionRecord) map[int64]CompletionRecord {
			out := make(map[int64]CompletionRecord)
			for _, c := range in {
				out[c.Index] = c
			}
			return out
		})
		if diff := cmp.Diff(want, sink.completions, byIndex); diff != "" {
			t.Error(diff)
		}
		if ok, timeout := sink.count("confirmed.poll", OK), sink.count("confirmed.poll", Timeout); ok != 9 || timeout != 3 {
			t.Errorf("polls: %d ok, %d timed out", ok, timeout)
		}
	})
}

// Each sampled arrival has a record, whatever became of it, so that ranks are over all.
func TestSampledArrivalsThatWereNotFollowed(t *testing.T) {
	tests := []struct {
		name   string
		w      fakeWorkload
		status int // 0 never answers
		want   CompletionRecord
		errors []ErrorRecord
	}{
		{"failed", polled(Completion{}), 503, CompletionRecord{Outcome: System, Upper: ms},
			[]ErrorRecord{{Operation: "order", Outcome: System, Signature: "503", Count: 1}}},
		{"declared failure", polled(Completion{}), 409, CompletionRecord{Outcome: Functional, Upper: ms},
			[]ErrorRecord{{Operation: "order", Outcome: Functional, Signature: "409 SOLD_OUT", Count: 1}}},
		{"timed out", polled(Completion{}), 0, CompletionRecord{Outcome: Timeout, Upper: time.Second},
			[]ErrorRecord{{Operation: "order", Outcome: Timeout, Signature: "timeout", Count: 1, Example: "context deadline exceeded"}}},
		{"no answer by the end", fakeWorkload{completion: &Completion{}}, 0, CompletionRecord{Outcome: Timeout, Upper: 61 * time.Second},
			[]ErrorRecord{{Operation: "order", Outcome: Timeout, Signature: noAnswer, Count: 1, Example: noAnswer}}},
		{"reply without an id", fakeWorkload{completion: &Completion{}, refuse: errors.New("no $.id in the reply")}, 201,
			CompletionRecord{Outcome: System, Upper: ms},
			[]ErrorRecord{{Operation: "confirmed", Outcome: System, Signature: "cannot be followed", Count: 1, Example: "no $.id in the reply"}}},
		{"nothing to follow", fakeWorkload{completion: &Completion{}}, 201, CompletionRecord{Outcome: System, Upper: ms},
			[]ErrorRecord{{Operation: "confirmed", Outcome: System, Signature: "cannot be followed", Count: 1, Example: "arrival 0: the reply gave nothing to follow"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				system := newFake(func(int64, int, time.Duration) (time.Duration, client.Response) {
					if tt.status == 0 {
						return 24 * time.Hour, client.Response{}
					}
					return ms, client.Response{Status: tt.status}
				})
				totals, sink, _ := drive(t, tt.w, system, options(t, "1/s", time.Second))
				tt.want.Completion, tt.want.Measured = "confirmed", true
				if diff := cmp.Diff([]CompletionRecord{tt.want}, sink.completions); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(tt.errors, totals.Errors); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestUnsentSampledArrivalHasARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "2/s", time.Second)
		o.MaxInFlight, o.Drain = 1, 0
		totals, sink, _ := drive(t, fakeWorkload{completion: &Completion{}}, takes(func(int64) time.Duration { return time.Hour }), o)
		want := []CompletionRecord{
			{Index: 0, Completion: "confirmed", Measured: true, Outcome: Timeout, Upper: time.Second},
			{Index: 1, Completion: "confirmed", Measured: true, Intended: 500 * ms, Outcome: Unsent},
		}
		if diff := cmp.Diff(want, sink.completions); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[Outcome]int64{Timeout: 1, Unsent: 1}, totals.Completions["confirmed"]); diff != "" {
			t.Error(diff)
		}
	})
}

// An answer that came after the timeout is no completion, even if the follower had not
// looked yet.
func TestAnswerAfterTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := polled(Completion{})
		r, err := New(w, nil, options(t, "1/s", time.Minute), nil)
		if err != nil {
			t.Fatal(err)
		}
		u := &followUp{completion: &Completion{Timeout: 100 * ms}, polls: 1, lower: ms}
		r.book.at(0).open++
		heap.Push(&r.follows, u)
		r.learn(u, Succeeded, 99*ms, 101*ms)
		want := []CompletionRecord{{Completion: "confirmed", Measured: true, Lower: ms, Upper: 100 * ms, Outcome: Timeout, Polls: 1}}
		if diff := cmp.Diff(want, r.records); diff != "" || len(r.follows) != 0 {
			t.Errorf("%d open: %s", len(r.follows), diff)
		}
	})
}
