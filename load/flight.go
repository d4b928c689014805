package load

import (
	"time"

	"github.com/perfctl/perfctl/client"
)

// A flight is one exchange that the engine has and has not answered: an arrival, or a
// poll of the follow-up that it belongs to.
type flight struct {
	next, previous *flight
	exchange       Exchange
	followUp       *followUp
	intended       time.Duration
	second         int64 // to which it is booked
	begun          time.Duration
	closed         bool
}

// flights is the list of all flights, so that the end of the drain finds them.
type flights struct {
	first *flight
	count int64
}

func (l *flights) add(f *flight) {
	f.next = l.first
	if l.first != nil {
		l.first.previous = f
	}
	l.first = f
	l.count++
}

func (l *flights) remove(f *flight) {
	if f.previous != nil {
		f.previous.next = f.next
	} else {
		l.first = f.next
	}
	if f.next != nil {
		f.next.previous = f.previous
	}
	f.next, f.previous = nil, nil
	l.count--
}

// admit lets a due arrival begin at once, or puts it in line when the in-flight limit
// is reached or others wait already.
func (r *Runner) admit(x Exchange) *flight {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.cut {
		return nil
	}
	r.due++
	if r.head == r.due-1 && r.book.inFlight < int64(r.options.MaxInFlight) {
		return r.begin(x)
	}
	r.book.level(time.Since(r.start), 0, 1)
	return nil
}

// begin books the first arrival that was not sent as sent. The caller holds mu.
func (r *Runner) begin(x Exchange) *flight {
	now := time.Since(r.start)
	f := &flight{exchange: x, intended: r.options.Schedule.At(r.head), begun: now}
	f.second = secondOf(f.intended)
	f.exchange.Index = r.head
	r.head++
	r.flights.add(f)
	r.book.level(now, 1, 0)
	r.book.at(secondOf(now)).sent++
	s := r.book.at(f.second)
	s.open++
	s.scheduled[x.Operation]++
	if x.Completion >= 0 {
		s.scheduled[r.names.completion(x.Completion)]++
	}
	r.settled.sent++
	return f
}

// nextInLine begins the arrival that waits longest, if one may be sent. The caller holds mu.
func (r *Runner) nextInLine() *flight {
	if r.head == r.due || r.cut || r.closed || r.book.inFlight >= int64(r.options.MaxInFlight) {
		return nil
	}
	r.countCapHit(r.head)
	r.book.level(time.Since(r.start), 0, -1)
	return r.begin(r.workload.Arrival(r.head))
}

func (r *Runner) countCapHit(i int64) {
	if r.window.measured(secondOf(r.options.Schedule.At(i))) {
		r.totals.CapHit++
	}
}

// answered takes the engine's answer to an arrival.
func (r *Runner) answered(f *flight, resp *client.Response) {
	o, signature := r.judge(f.exchange.Operation, resp)
	var c *Completion
	var refusal error
	if f.exchange.Completion >= 0 && o == OK {
		c, refusal = r.workload.Follow(f.exchange, resp)
	}
	r.mu.Lock()
	if f.closed {
		r.mu.Unlock()
		return
	}
	r.settle(f, o, signature, resp)
	if f.exchange.Completion >= 0 {
		r.beginFollowUp(f, o, c, refusal, resp)
	}
	next := r.nextInLine()
	idle := r.paced && r.flights.count == 0
	r.mu.Unlock()
	if next != nil {
		r.send(next)
	}
	if idle {
		poke(r.wake)
	}
}

// judge classifies an answer. A fault is no answer, so the workload is not asked.
func (r *Runner) judge(operation int, resp *client.Response) (Outcome, string) {
	if resp.Fault != client.NoFault {
		return faultOutcome(resp.Fault), resp.Fault.String()
	}
	o, signature := r.workload.Judge(operation, resp)
	if place(o) < 0 || o == Unsent {
		return System, "the workload judged " + string(o)
	}
	return o, signature
}

func faultOutcome(f client.Fault) Outcome {
	switch f {
	case client.Timeout:
		return Timeout
	case client.Generator, client.Cancelled:
		return Client
	}
	return System
}

// settle books an answered arrival. The caller holds mu.
func (r *Runner) settle(f *flight, o Outcome, signature string, resp *client.Response) {
	f.closed = true
	sent, done := resp.Sent.Sub(r.start), resp.Done.Sub(r.start)
	r.flights.remove(f)
	r.book.level(done, -1, 0)
	r.book.at(secondOf(done)).done++
	r.book.at(f.second).open--
	r.totals.End = max(r.totals.End, done)
	r.settled.done++
	r.bookArrival(f, o, sent, done)
	r.recent.add(done, f.exchange.Operation, o, done-f.intended, sent-f.intended)
	if !r.window.measured(f.second) {
		return
	}
	if o != OK {
		r.errors.add(r.names.all[f.exchange.Operation], o, signature, example(resp), f.intended)
	}
	r.slow.add(SlowRequest{
		Index: f.exchange.Index, Operation: r.names.all[f.exchange.Operation], Outcome: o,
		Intended: f.intended, Sent: sent, Done: done,
		Status: resp.Status, RequestBytes: len(f.exchange.Request.Body), ResponseBytes: resp.Bytes,
		Reused: resp.Reused, Replica: resp.Replica, Remote: resp.Remote, Key: f.exchange.Key,
	})
}

func (r *Runner) bookArrival(f *flight, o Outcome, sent, done time.Duration) {
	r.book.book(f.second, f.exchange.Operation, o, done-f.intended, done-sent)
	r.book.clamped += record(r.book.at(f.second).lateness, sent-f.intended)
	if o != OK && o != Functional {
		r.settled.failed++
	}
}

func example(resp *client.Response) string {
	if resp.Err != nil {
		return resp.Err.Error()
	}
	return string(resp.Body[:min(len(resp.Body), maxExample+1)])
}

const noAnswer = "no answer by the end of the drain"

// closeFlights censors all that has no answer. The caller holds mu.
func (r *Runner) closeFlights(now time.Duration) {
	for f := r.flights.first; f != nil; f = r.flights.first {
		f.closed = true
		r.flights.remove(f)
		r.book.at(f.second).open--
		if f.followUp != nil {
			name := r.names.poll(f.followUp.name)
			r.book.book(f.second, name, Timeout, now-f.intended, now-f.begun)
			continue
		}
		r.bookArrival(f, Timeout, f.begun, now)
		if f.exchange.Completion >= 0 {
			r.recordCompletion(f.second, CompletionRecord{
				Index: f.exchange.Index, Completion: r.names.all[r.names.completion(f.exchange.Completion)],
				Intended: f.intended, Lower: f.begun - f.intended, Upper: now - f.intended, Outcome: Timeout,
			}, f.exchange.Completion)
		}
		if !r.window.measured(f.second) {
			continue
		}
		operation := r.names.all[f.exchange.Operation]
		r.errors.add(operation, Timeout, noAnswer, noAnswer, f.intended)
		r.slow.add(SlowRequest{
			Index: f.exchange.Index, Operation: operation, Outcome: Timeout,
			Intended: f.intended, Sent: f.begun, Done: now,
			RequestBytes: len(f.exchange.Request.Body), Key: f.exchange.Key,
		})
	}
}
