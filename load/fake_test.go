package load

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
)

// A fakeSystem answers in fake time. It is asked with the arrival's number (the nth
// poll of arrival i is "i/n") and the time since it began, and says how long it takes.
type fakeSystem struct {
	begin  time.Time
	answer func(i int64, poll int, at time.Duration) (time.Duration, client.Response)

	out   sync.WaitGroup
	mu    sync.Mutex
	polls map[int64]int
}

func newFake(answer func(i int64, poll int, at time.Duration) (time.Duration, client.Response)) *fakeSystem {
	return &fakeSystem{answer: answer, polls: make(map[int64]int)}
}

// takes makes a system that always says 200 after a time that depends on the arrival.
func takes(service func(i int64) time.Duration) *fakeSystem {
	return newFake(func(i int64, _ int, _ time.Duration) (time.Duration, client.Response) {
		return service(i), client.Response{Status: 200}
	})
}

func (s *fakeSystem) Send(r *client.Request, done func(*client.Response)) {
	i, _ := strconv.ParseInt(r.URL, 10, 64)
	poll := 0
	s.mu.Lock()
	if r.Method == "POLL" {
		s.polls[i]++
		poll = s.polls[i]
	}
	s.mu.Unlock()
	sent := time.Now()
	service, resp := s.answer(i, poll, sent.Sub(s.begin)-startLead)
	s.out.Go(func() {
		if r.Timeout > 0 && service > r.Timeout {
			service, resp = r.Timeout, client.Response{Fault: client.Timeout, Err: context.DeadlineExceeded}
		}
		time.Sleep(service)
		resp.Sent, resp.Done = sent, time.Now()
		done(&resp)
	})
}

func (s *fakeSystem) Stats() client.Stats { return client.Stats{Dialed: 1} }

// Close lets the answers come that nobody waits for any more.
func (s *fakeSystem) Close() { s.out.Wait() }

// A fakeWorkload has one operation; each arrival is sampled when completion is set.
type fakeWorkload struct {
	timeout    time.Duration
	completion *Completion
	refuse     error
}

func (w fakeWorkload) Operations() []string { return []string{"order"} }

func (w fakeWorkload) Completions() []string {
	if w.completion == nil {
		return nil
	}
	return []string{"confirmed"}
}

func (w fakeWorkload) Arrival(i int64) Exchange {
	x := Exchange{
		Index: i, Completion: -1, Key: fmt.Sprint("key-", i),
		Request: &client.Request{Method: "POST", URL: fmt.Sprint(i), Timeout: w.timeout},
	}
	if w.completion != nil {
		x.Completion = 0
	}
	return x
}

func (w fakeWorkload) Judge(_ int, r *client.Response) (Outcome, string) {
	switch {
	case r.Status < 300:
		return OK, ""
	case r.Status == 409:
		return Functional, "409 SOLD_OUT"
	case r.Status == 999:
		return "nonsense", ""
	}
	return System, strconv.Itoa(r.Status)
}

func (w fakeWorkload) Follow(x Exchange, r *client.Response) (*Completion, error) {
	if w.refuse != nil {
		return nil, w.refuse
	}
	if w.completion.Judge == nil {
		return nil, nil
	}
	c := *w.completion
	c.Poll = &client.Request{Method: "POLL", URL: x.Request.URL, Timeout: w.timeout}
	return &c, nil
}

// A ledgerSink keeps all that it is handed.
type ledgerSink struct {
	seconds              []Second
	completions          []CompletionRecord
	fail, failCompletion error
}

func (s *ledgerSink) Second(x Second) error {
	s.seconds = append(s.seconds, x)
	return s.fail
}

func (s *ledgerSink) Completion(c CompletionRecord) error {
	s.completions = append(s.completions, c)
	return s.failCompletion
}

// count sums the series of a name over all seconds.
func (s *ledgerSink) count(operation string, o Outcome) (n int64) {
	for _, second := range s.seconds {
		if series := second.Series[Key{operation, o}]; series != nil {
			n += series.Count
		}
	}
	return n
}

func rate(t testing.TB, text string) arrival.Rate {
	t.Helper()
	r, err := arrival.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// options returns those of a run at a constant rate in a bubble.
func options(t testing.TB, perSecond string, measure time.Duration) Options {
	t.Helper()
	return Options{
		Schedule: arrival.Constant(rate(t, perSecond)), Measure: measure, Drain: time.Minute,
		MaxInFlight: 1 << 30, Slowest: 1 << 20, Sleeper: arrival.OpenTimer,
	}
}

// drive makes one run in the bubble of the caller and fails on its error. The slowest
// requests are all of them, by arrival.
func drive(t testing.TB, w Workload, e *fakeSystem, o Options) (Totals, *ledgerSink, map[int64]SlowRequest) {
	t.Helper()
	sink := new(ledgerSink)
	e.begin = time.Now()
	totals, err := Run(t.Context(), w, e, o, sink)
	e.Close()
	if err != nil {
		t.Fatal(err)
	}
	byIndex := make(map[int64]SlowRequest)
	for _, r := range totals.Slowest {
		byIndex[r.Index] = r
	}
	return totals, sink, byIndex
}
