package load

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/perfctl/perfctl/client"
)

// shortestWait keeps a completion without waits from being polled in a tight loop.
const shortestWait = time.Millisecond

// A followUp is one accepted arrival whose completion is polled. Its turn comes at
// due: the next poll, or its timeout when a poll is out or would come later.
type followUp struct {
	completion *Completion
	name       int // position among the completions
	index      int64
	intended   time.Duration
	second     int64
	due        time.Duration
	wait       time.Duration
	lower      time.Duration
	polling    bool
	seen       bool // a poll knew the thing
	over       bool
	place      int // in the heap
	polls      int
	misses     int
	contrary   int
	errors     int
}

// deadline returns the offset at which it is censored.
func (u *followUp) deadline() time.Duration {
	if u.completion.Timeout <= 0 {
		return math.MaxInt64
	}
	return u.intended + u.completion.Timeout
}

// beginFollowUp begins to follow an answered sampled arrival, or records at once why
// that cannot be. The caller holds mu.
func (r *Runner) beginFollowUp(f *flight, o Outcome, c *Completion, refusal error, resp *client.Response) {
	name := r.names.all[r.names.completion(f.exchange.Completion)]
	sent, done := resp.Sent.Sub(r.start)-f.intended, resp.Done.Sub(r.start)-f.intended
	if o == OK && c == nil {
		o = System
		if refusal == nil {
			refusal = fmt.Errorf("arrival %d: the reply gave nothing to follow", f.exchange.Index)
		}
		if r.window.measured(f.second) {
			r.errors.add(name, System, "cannot be followed", refusal.Error(), f.intended)
		}
	}
	if o != OK {
		r.recordCompletion(f.second, CompletionRecord{
			Index: f.exchange.Index, Completion: name, Intended: f.intended,
			Lower: min(max(0, sent), done), Upper: done, Outcome: o,
		}, f.exchange.Completion)
		return
	}
	u := &followUp{
		completion: c, name: f.exchange.Completion, index: f.exchange.Index, intended: f.intended, second: f.second,
		lower: max(0, sent), // it cannot be done before it was asked for
		wait:  c.First,
	}
	u.due = min(f.intended+done+u.wait, u.deadline())
	r.book.at(u.second).open++
	heap.Push(&r.follows, u)
	if u.place == 0 {
		poke(r.rouse)
	}
}

// follow sends the polls when they are due and censors what has timed out.
func (r *Runner) follow(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		polls, next := r.duePolls()
		for _, f := range polls {
			r.engine.Send(f.exchange.Request, func(resp *client.Response) { r.polled(f, resp) })
		}
		timer.Reset(next)
		select {
		case <-timer.C:
		case <-r.rouse:
		case <-ctx.Done():
			return
		}
	}
}

// duePolls returns the polls to send now and how long the next turn is away.
func (r *Runner) duePolls() (polls []*flight, next time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Since(r.start)
	for len(r.follows) > 0 && r.follows[0].due <= now && !r.closed {
		u := r.follows[0]
		if u.deadline() <= now {
			r.finishFollowUp(u, Timeout, u.completion.Timeout)
			continue
		}
		// A poll has no schedule of its own to be late for: its response time begins now,
		// so that the roughness of Go's timers is no part of it.
		f := &flight{
			exchange: Exchange{Request: u.completion.Poll}, followUp: u,
			intended: now, second: u.second, begun: now,
		}
		r.flights.add(f)
		r.book.at(u.second).open++
		u.polls++
		u.polling = true
		u.due = u.deadline()
		heap.Fix(&r.follows, u.place)
		polls = append(polls, f)
	}
	next = time.Hour
	if len(r.follows) > 0 {
		next = min(next, r.follows[0].due-now)
	}
	return polls, next
}

// polled takes the engine's answer to a poll.
func (r *Runner) polled(f *flight, resp *client.Response) {
	u := f.followUp
	progress := PollError
	if resp.Fault == client.NoFault {
		progress = u.completion.Judge(resp)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	r.flights.remove(f)
	r.book.at(f.second).open--
	sent, done := resp.Sent.Sub(r.start), resp.Done.Sub(r.start)
	r.totals.End = max(r.totals.End, done)
	r.bookPoll(f, progress, sent, done, resp)
	if !u.over {
		r.learn(u, progress, sent, done)
	}
	if r.paced && r.flights.count == 0 {
		poke(r.wake)
	}
}

func (r *Runner) bookPoll(f *flight, progress Progress, sent, done time.Duration, resp *client.Response) {
	name := r.names.poll(f.followUp.name)
	o, signature := OK, ""
	switch {
	case resp.Fault != client.NoFault:
		o, signature = faultOutcome(resp.Fault), resp.Fault.String()
	case progress == Missing:
		o, signature = Functional, fmt.Sprintf("%d missing", resp.Status)
	case progress == PollError:
		o, signature = System, fmt.Sprintf("%d poll error", resp.Status)
	}
	r.book.book(f.second, name, o, done-f.intended, done-sent)
	if o != OK && r.window.measured(f.second) {
		r.errors.add(r.names.all[name], o, signature, example(resp), f.followUp.intended)
	}
}

// learn narrows the interval of a completion by one poll. Only Pending says that it was
// not done when the poll was sent: a replica that does not know a thing cannot tell
// whether another one has done it, and a failed poll says nothing.
func (r *Runner) learn(u *followUp, progress Progress, sent, done time.Duration) {
	u.polling = false
	if done > u.deadline() {
		r.finishFollowUp(u, Timeout, u.completion.Timeout)
		return
	}
	switch progress {
	case Succeeded:
		r.finishFollowUp(u, OK, done-u.intended)
		return
	case Failed:
		r.finishFollowUp(u, Functional, done-u.intended)
		return
	case Pending:
		u.seen = true
		u.lower = max(u.lower, sent-u.intended)
	case Missing:
		u.misses++
		if u.seen {
			u.contrary++
		}
	default:
		u.errors++
	}
	u.due = min(sent+u.nextWait(done-sent), u.deadline())
	heap.Fix(&r.follows, u.place)
	if u.place == 0 {
		poke(r.rouse)
	}
}

// nextWait grows the wait, from send to send, with the time waited so far, so that the
// interval is a constant share of the completion's time. It is at least a round trip.
func (u *followUp) nextWait(roundTrip time.Duration) time.Duration {
	grown := float64(u.wait) * max(1, u.completion.Growth)
	u.wait = time.Duration(min(grown, float64(time.Hour)))
	if u.completion.Every > 0 {
		u.wait = min(u.wait, u.completion.Every)
	}
	u.wait = max(u.wait, shortestWait, roundTrip)
	return u.wait
}

// finishFollowUp ends a completion. The caller holds mu.
func (r *Runner) finishFollowUp(u *followUp, o Outcome, upper time.Duration) {
	u.over = true
	heap.Remove(&r.follows, u.place)
	r.book.at(u.second).open--
	r.recordCompletion(u.second, CompletionRecord{
		Index: u.index, Completion: r.names.all[r.names.completion(u.name)],
		Intended: u.intended, Lower: min(u.lower, upper), Upper: upper, Outcome: o,
		Polls: u.polls, Misses: u.misses, Disagreements: u.contrary, PollErrors: u.errors,
	}, u.name)
	if r.paced && len(r.follows) == 0 {
		poke(r.wake)
	}
}

// recordCompletion books a completion that is over, by its upper bound, and keeps its
// record for the sink. The caller holds mu.
func (r *Runner) recordCompletion(second int64, c CompletionRecord, completion int) {
	c.Measured = r.window.measured(second)
	r.book.book(second, r.names.completion(completion), c.Outcome, c.Upper, 0)
	r.records = append(r.records, c)
}

// closeFollows censors what is still open. The caller holds mu.
func (r *Runner) closeFollows(now time.Duration) {
	for len(r.follows) > 0 {
		u := r.follows[0]
		r.finishFollowUp(u, Timeout, min(now, u.deadline())-u.intended)
	}
}

// followHeap orders follow-ups by their next turn.
type followHeap []*followUp

func (h followHeap) Len() int           { return len(h) }
func (h followHeap) Less(i, j int) bool { return h[i].due < h[j].due }
func (h followHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}
func (h *followHeap) Push(x any) {
	u := x.(*followUp)
	u.place = len(*h)
	*h = append(*h, u)
}
func (h *followHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}
