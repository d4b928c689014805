package load

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
)

// begin starts a run whose context the caller cancels, and returns how to wait for it.
func begin(t *testing.T, e *fakeSystem, o Options) (r *Runner, sink *ledgerSink, cancel context.CancelFunc, wait func() Totals) {
	t.Helper()
	sink = new(ledgerSink)
	r, err := New(fakeWorkload{}, e, o, sink)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.begin = time.Now()
	ended := make(chan Totals)
	go func() {
		totals, err := r.Run(ctx)
		if err != nil {
			t.Error(err)
		}
		ended <- totals
	}()
	time.Sleep(startLead)
	return r, sink, cancel, func() Totals {
		totals := <-ended
		e.Close()
		return totals
	}
}

// Cancelling stops arrivals at once; what is in flight may still answer.
func TestCancelStopsArrivalsAndDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, sink, cancel, wait := begin(t, takes(func(int64) time.Duration { return 400 * ms }), options(t, "10/s", time.Minute))
		time.Sleep(1050 * ms)
		cancel()
		totals := wait()
		if !totals.Cut || totals.Planned != 600 || totals.Scheduled != 11 || totals.Sent != 11 || totals.Unsent != 0 || totals.End != 1400*ms {
			t.Errorf("%+v", totals)
		}
		if diff := cmp.Diff(map[Outcome]int64{OK: 11}, totals.Outcomes["order"]); diff != "" {
			t.Error(diff)
		}
		if n := len(sink.seconds); n != 2 {
			t.Errorf("%d seconds", n)
		}
	})
}

// What waits in line when the run is cut short is not sent any more.
func TestCancelLeavesTheLineUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "10/s", time.Minute)
		o.MaxInFlight = 1
		_, _, cancel, wait := begin(t, takes(func(int64) time.Duration { return 10 * time.Second }), o)
		time.Sleep(450 * ms)
		cancel()
		totals := wait()
		if diff := cmp.Diff(map[Outcome]int64{OK: 1, Unsent: 4}, totals.Outcomes["order"]); diff != "" || !totals.Cut || totals.CapHit != 4 {
			t.Errorf("cut %v, cap hit %d: %s", totals.Cut, totals.CapHit, diff)
		}
	})
}

func TestCancelInTheDrainCutsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, cancel, wait := begin(t, takes(func(int64) time.Duration { return 5 * time.Second }), options(t, "10/s", time.Second))
		time.Sleep(2 * time.Second)
		cancel()
		totals := wait()
		if diff := cmp.Diff(map[Outcome]int64{OK: 10}, totals.Outcomes["order"]); diff != "" || totals.Cut {
			t.Errorf("cut %v: %s", totals.Cut, diff)
		}
	})
}

// The drain after a cancel is bounded, counted from the cancel.
func TestDrainAfterCancelIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "1/s", time.Hour)
		o.Drain = 3 * time.Second
		_, _, cancel, wait := begin(t, takes(func(int64) time.Duration { return 24 * time.Hour }), o)
		time.Sleep(1500 * ms)
		cancel()
		totals := wait()
		if diff := cmp.Diff(map[Outcome]int64{Timeout: 2}, totals.Outcomes["order"]); diff != "" {
			t.Error(diff)
		}
		if slow := totals.Slowest[0]; slow.Done-slow.Intended != 4500*ms {
			t.Errorf("censored at %v", slow.Done-slow.Intended)
		}
	})
}

// A warm-up that was cut short is over: Steady is not asked in the drain, and nothing
// was measured.
func TestCancelInAnOpenWarmup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "1/s", time.Minute)
		o.Warmup, o.WarmupMax = time.Second, time.Minute
		asked := 0
		o.Steady = func([]Second) bool {
			asked++
			return asked == 4
		}
		_, _, cancel, wait := begin(t, takes(func(int64) time.Duration { return 30 * time.Second }), o)
		time.Sleep(3500 * ms)
		cancel()
		totals := wait()
		if asked != 3 || !totals.Cut || totals.Steady || totals.Planned != 120 || totals.Scheduled != 0 ||
			totals.WarmupEnd != 3500*ms || totals.End != 33*time.Second {
			t.Errorf("asked %d times: %+v", asked, totals)
		}
	})
}

func TestAbortEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "10/s", time.Minute)
		o.MaxInFlight = 2
		r, _, cancel, wait := begin(t, takes(func(int64) time.Duration { return time.Hour }), o)
		defer cancel()
		time.Sleep(550 * ms)
		r.Abort()
		r.Abort() // twice is harmless
		totals := wait()
		if diff := cmp.Diff(map[Outcome]int64{Timeout: 2, Unsent: 4}, totals.Outcomes["order"]); diff != "" || !totals.Cut {
			t.Errorf("cut %v: %s", totals.Cut, diff)
		}
		if slow := totals.Slowest[0]; slow.Done-slow.Intended != 550*ms {
			t.Errorf("censored at %v", slow.Done-slow.Intended)
		}
	})
}

// A context that is done before the run sends nothing and accounts for nothing.
func TestCancelBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		totals, err := Run(ctx, fakeWorkload{}, takes(func(int64) time.Duration { return 0 }), options(t, "10/s", time.Minute), new(ledgerSink))
		if err != nil || !totals.Cut || totals.Sent != 0 || totals.Scheduled != 0 || totals.Planned != 600 {
			t.Errorf("%+v, %v", totals, err)
		}
	})
}

func TestSinkErrorEndsTheRun(t *testing.T) {
	disk := errors.New("no space left on device")
	for want, sink := range map[string]*ledgerSink{
		"load: hand over second 0: no space left on device":                {fail: disk},
		"load: hand over completion of arrival 0: no space left on device": {failCompletion: disk},
	} {
		synctest.Test(t, func(t *testing.T) {
			system := takes(func(int64) time.Duration { return ms })
			begun := time.Now()
			totals, err := Run(t.Context(), polled(Completion{}), system, options(t, "1/s", time.Minute), sink)
			if !errors.Is(err, disk) || err.Error() != want || time.Since(begun) > 3*time.Second {
				t.Errorf("%v after %v", err, time.Since(begun))
			}
			if totals.Start.IsZero() || totals.Engine.Dialed != 1 {
				t.Errorf("%+v", totals)
			}
			system.Close()
		})
	}
}

// Accounts that do not add up end the run with an error.
func TestAccountsAreAsserted(t *testing.T) {
	n := newNames([]string{"order"}, nil)
	s := n.newSecond()
	s.scheduled[0] = 2
	s.cell(0, OK).count = 1
	want := `load: internal: second 7: 2 arrivals of "order", 1 outcomes`
	if err := n.check(s, 7); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "5/s", time.Second)
		o.Schedule = forgetful{o.Schedule}
		_, err := Run(t.Context(), fakeWorkload{}, takes(func(int64) time.Duration { return 0 }), o, new(ledgerSink))
		want := "load: internal: 4 arrivals planned, 5 accounted for"
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// A forgetful schedule counts one arrival less than it has.
type forgetful struct{ arrival.Schedule }

func (f forgetful) Count(d time.Duration) int64 { return f.Schedule.Count(d) - 1 }

// The books of a run hold the seconds that are not over, however long it is.
func TestMemoryDoesNotGrowWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &levels{}
		r, err := New(fakeWorkload{}, takes(func(int64) time.Duration { return 1500 * ms }), options(t, "2/s", time.Hour), sink)
		if err != nil {
			t.Fatal(err)
		}
		sink.r = r
		if totals, err := r.Run(t.Context()); err != nil || totals.Sent != 7200 {
			t.Errorf("sent %d, %v", totals.Sent, err)
		}
		if sink.open > 4 || sink.records != 0 {
			t.Errorf("up to %d seconds and %d records were open", sink.open, sink.records)
		}
	})
}

type levels struct {
	r             *Runner
	open, records int
}

func (l *levels) Second(Second) error {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	l.open = max(l.open, len(l.r.book.seconds))
	l.records = max(l.records, len(l.r.records))
	return nil
}

func (l *levels) Completion(CompletionRecord) error { return nil }

func TestARunnerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(fakeWorkload{}, takes(func(int64) time.Duration { return 0 }), options(t, "1/s", time.Second), new(ledgerSink))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context()); err == nil {
			t.Error("it ran twice")
		}
	})
}

// The warm-up ends when Steady says so, at the next whole second.
func TestSteadyEndsTheWarmup(t *testing.T) {
	tests := []struct {
		name      string
		sayAt     int // the question at which Steady says yes
		warmupMax time.Duration
		want      Totals
		asked     []int // seconds shown at each question
	}{
		{"at the second question", 2, 10 * time.Second, Totals{Planned: 60, WarmupEnd: 4 * time.Second, Steady: true}, []int{2, 3}},
		{"never", 99, 5 * time.Second, Totals{Planned: 70, WarmupEnd: 5 * time.Second}, []int{2, 3, 4}},
		{"no time to ask", 1, 2 * time.Second, Totals{Planned: 40, WarmupEnd: 2 * time.Second}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := options(t, "10/s", 2*time.Second)
				o.Warmup, o.WarmupMax = 2*time.Second, tt.warmupMax
				var asked []int
				o.Steady = func(seconds []Second) bool {
					asked = append(asked, len(seconds))
					return len(asked) == tt.sayAt
				}
				got, sink, slow := drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return ms }), o)
				if diff := cmp.Diff(tt.asked, asked); diff != "" {
					t.Error(diff)
				}
				if got.Planned != tt.want.Planned || got.WarmupEnd != tt.want.WarmupEnd || got.Steady != tt.want.Steady {
					t.Errorf("planned %d, warm-up %v, steady %v", got.Planned, got.WarmupEnd, got.Steady)
				}
				if got.Scheduled != 20 || len(slow) != 20 {
					t.Errorf("measured %d, of them %d among the slowest", got.Scheduled, len(slow))
				}
				for _, s := range sink.seconds {
					if want := s.Start >= tt.want.WarmupEnd && s.Start < tt.want.WarmupEnd+2*time.Second; s.Measured != want {
						t.Errorf("second at %v: measured %v", s.Start, s.Measured)
					}
				}
			})
		})
	}
}

// While Steady thinks, arrivals go on: the window begins after the answer, and never
// later than the longest warm-up.
func TestSteadyThinksLong(t *testing.T) {
	for warmupMax, want := range map[time.Duration]time.Duration{10 * time.Second: 5 * time.Second, 4 * time.Second: 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			o := options(t, "10/s", 2*time.Second)
			o.Warmup, o.WarmupMax = 2*time.Second, warmupMax
			o.Steady = func([]Second) bool {
				time.Sleep(2500 * ms)
				return true
			}
			got, _, slow := drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return ms }), o)
			if got.WarmupEnd != want || got.Scheduled != 20 || len(slow) != 20 || len(got.Slowest) != 20 {
				t.Errorf("warm-up %v, want %v: %d measured, %d slow", got.WarmupEnd, want, got.Scheduled, len(slow))
			}
		})
	}
}

// At 1 arrival in 10 s the pacer sleeps past the end that Steady has brought forward.
func TestSteadyInterruptsASleepingPacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "1/10s", 5*time.Second)
		o.Warmup, o.WarmupMax, o.Steady = time.Second, time.Hour, func([]Second) bool { return true }
		begun := time.Now()
		totals, _, _ := drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return ms }), o)
		if took := time.Since(begun); took != 7*time.Second+startLead || totals.Planned != 1 {
			t.Errorf("%v, planned %d", took, totals.Planned)
		}
	})
}

// Steady sees at most the last minute, so that a long warm-up costs no memory.
func TestSteadySeesTheLastMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "1/s", time.Second)
		o.Warmup, o.WarmupMax = 100*time.Second, 200*time.Second
		o.Steady = func(seconds []Second) bool {
			if len(seconds) != steadySeconds || seconds[59].Start != 99*time.Second {
				t.Errorf("%d seconds, the last at %v", len(seconds), seconds[len(seconds)-1].Start)
			}
			return true
		}
		drive(t, fakeWorkload{}, takes(func(int64) time.Duration { return ms }), o)
	})
}

func TestOptionsAreChecked(t *testing.T) {
	o := Options{Measure: -1, Drain: -1, Warmup: 1500 * ms, Slowest: -1, Steady: func([]Second) bool { return true }}
	_, err := New(fakeWorkload{}, nil, o, nil)
	want := `load: no schedule
load: the in-flight limit is 0: it must be above zero
load: the measured time is -1ns: it must be above zero
load: the drain is -1ns: it must not be negative
load: the warm-up is 1.5s: it must be whole seconds, because facts are booked by second
load: the longest warm-up is 0s: it must be whole seconds and at least the warm-up, 1.5s
load: -1 slowest requests: it must not be negative`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	if _, err := Run(t.Context(), fakeWorkload{}, nil, o, nil); err == nil {
		t.Error("Run took them")
	}
	good := Options{Schedule: arrival.Constant(rate(t, "1/s")), Measure: 1, MaxInFlight: 1}
	if _, err := New(empty{}, nil, good, nil); err == nil || err.Error() != "load: the workload has no operations" {
		t.Errorf("%v", err)
	}
}

type empty struct{ fakeWorkload }

func (empty) Operations() []string { return nil }

func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t, "10/s", time.Minute)
		o.MaxInFlight, o.Warmup = 2, 20*time.Second
		system := newFake(func(i int64, _ int, _ time.Duration) (time.Duration, client.Response) {
			switch {
			case i < 100:
				return 50 * ms, client.Response{Status: 200}
			case i < 300:
				return 10 * ms, client.Response{Status: 200 + int(i%2)*300}
			}
			return time.Hour, client.Response{}
		})
		unstarted, err := New(fakeWorkload{}, system, o, new(ledgerSink))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Live{OperationP95: map[string]time.Duration{}}, unstarted.Live()); diff != "" {
			t.Error(diff)
		}
		r, _, cancel, wait := begin(t, system, o)
		time.Sleep(30*time.Second + 950*ms)
		got := r.Live()
		if p95 := got.OperationP95["order"]; p95 < 10*ms || p95 > 10*ms+100*time.Microsecond {
			t.Errorf("p95 %v: only the last ten seconds count", p95)
		}
		got.OperationP95, got.LatenessP99 = nil, 0
		want := Live{
			At: 30*time.Second + 950*ms, Measuring: true, Scheduled: 310, Sent: 302, Done: 300,
			InFlight: 2, Waiting: 8, Failed: 100,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		time.Sleep(10 * time.Second)
		if late := r.Live(); len(late.OperationP95) != 0 || late.LatenessP99 != 0 {
			t.Errorf("after ten seconds without an answer: %+v", late)
		}
		cancel()
		r.Abort()
		wait()
	})
}
