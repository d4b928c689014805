package load

import (
	"context"
	"time"
)

// steadySeconds bounds what Steady is shown, and so the memory of a long warm-up.
const steadySeconds = 60

// keepTime hands over each second when it is finished, ends the warm-up, and returns
// when all is over. It is the only one who calls the sink.
func (r *Runner) keepTime(ctx context.Context, stopPacing context.CancelFunc) error {
	cancelled, abort := ctx.Done(), r.abort
	timer := time.NewTimer(0)
	defer timer.Stop()
	asked := secondOf(r.options.Warmup) // the next second at which Steady is asked
	for {
		now := time.Since(r.start)
		if err := r.handOver(false); err != nil {
			r.end(now)
			return err
		}
		if r.window.open && secondOf(now) >= asked && now >= r.options.Warmup {
			asked = secondOf(now) + 1
			r.endWarmup(now)
		}
		if now >= r.window.end {
			stopPacing() // it may be asleep until an arrival that a shorter warm-up took away
		}
		next, over := r.nextTurn(now)
		if over {
			r.end(now)
			return r.finish()
		}
		timer.Reset(next - now)
		select {
		case <-timer.C:
		case <-r.wake:
		case <-cancelled:
			cancelled = nil
			r.cutShort()
		case <-abort:
			abort = nil
			r.cutShort()
			r.end(time.Since(r.start))
		}
	}
}

// endWarmup asks whether the warm-up is over, and begins the measured window at the
// next whole second, in which no arrival has been sent yet.
func (r *Runner) endWarmup(now time.Duration) {
	from := time.Duration(secondOf(now)+1) * time.Second
	steady := from <= r.options.WarmupMax && r.options.Steady(r.history)
	if !steady && from < r.options.WarmupMax {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// Steady may have thought for longer than the second.
	from = max(from, time.Duration(secondOf(time.Since(r.start))+1)*time.Second)
	from = min(from, r.options.WarmupMax)
	r.window = window{from: from, end: from + r.options.Measure}
	r.totals.Steady = steady
	r.history = nil
}

// cutShort stops all arrivals now; what waits in line stays unsent.
func (r *Runner) cutShort() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Since(r.start)
	if nothingLeft := r.head == r.due && r.options.Schedule.At(r.due) >= r.window.end; nothingLeft || r.cut || r.closed {
		return
	}
	r.cut = true
	r.totals.Cut = true
	r.totals.Planned = r.options.Schedule.Count(r.window.end)
	r.window.open = false
	r.window.end = min(r.window.end, max(0, now))
	if r.due > 0 { // the newest arrival belongs to the run
		r.window.end = max(r.window.end, r.options.Schedule.At(r.due-1)+1)
	}
}

// nextTurn returns when the clock must look again, or that the run is over: the window
// has passed and nothing is open, or the drain has ended.
func (r *Runner) nextTurn(now time.Duration) (next time.Duration, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	drained := r.window.end + r.options.Drain
	idle := r.paced && (r.cut || r.head == r.due) && r.flights.count == 0 && len(r.follows) == 0
	if r.closed || now >= drained || (idle && now >= r.window.end) {
		return 0, true
	}
	next = min(time.Duration(secondOf(now)+1)*time.Second, drained)
	if now < r.window.end {
		next = min(next, r.window.end)
	}
	return next, false
}

// end closes the books: what has no answer is a timeout as long as it has waited, what
// was not sent stays in [head, due).
func (r *Runner) end(now time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	r.book.level(now, 0, 0)
	r.closeFlights(now)
	r.closeFollows(now)
	lined := r.due
	if !r.cut {
		r.totals.Planned = r.options.Schedule.Count(r.window.end)
	}
	r.due = max(r.due, r.options.Schedule.Count(r.window.end))
	for i := r.head; i < lined; i++ {
		r.countCapHit(i)
	}
}

// finish books what was never sent, second by second, and hands over all that is left.
func (r *Runner) finish() error {
	for r.bookUnsent() {
		if err := r.handOver(false); err != nil {
			return err
		}
	}
	if err := r.handOver(true); err != nil {
		return err
	}
	return r.checkTotal()
}

const unsentBatch = 4096

// bookUnsent books the next arrivals that were never sent, and tells whether there were any.
func (r *Runner) bookUnsent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range unsentBatch {
		if r.head >= r.due {
			return false
		}
		x := r.workload.Arrival(r.head)
		at := r.options.Schedule.At(r.head)
		second := secondOf(at)
		s := r.book.at(second)
		s.scheduled[x.Operation]++
		r.book.bookUnsent(second, x.Operation)
		if x.Completion >= 0 {
			name := r.names.completion(x.Completion)
			s.scheduled[name]++
			r.book.bookUnsent(second, name)
			r.records = append(r.records, CompletionRecord{
				Index: r.head, Completion: r.names.all[name], Intended: at,
				Measured: r.window.measured(second), Outcome: Unsent,
			})
		}
		r.head++
	}
	return r.head < r.due
}
