package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
)

// startLead lets the pacer's thread be ready before the first arrival is due.
const startLead = 10 * time.Millisecond

// Run makes one load run to its end. See [Runner] to watch or abort one.
func Run(ctx context.Context, w Workload, e client.Engine, o Options, s Sink) (Totals, error) {
	r, err := New(w, e, o, s)
	if err != nil {
		return Totals{}, err
	}
	return r.Run(ctx)
}

// A Runner is one load run. Four kinds of goroutine take part: the pacer sends what is
// due, the engine's own call back with answers, the follower polls completions, and the
// caller of Run keeps the clock: it hands over what is finished and ends the run. One
// lock guards all that they share; no one holds it while sending, judging or writing.
type Runner struct {
	workload Workload
	engine   client.Engine
	options  Options
	sink     Sink
	names    names
	start    time.Time
	wake     chan struct{} // for the clock, when what it waits for may have happened
	rouse    chan struct{} // for the follower, when its next turn may be earlier
	abort    chan struct{}
	aborting sync.Once

	// The clock's own.
	history   []Second // what Steady is shown
	accounted int64    // arrivals of the seconds that were handed over

	mu      sync.Mutex
	book    ledger
	window  window
	begun   bool
	paced   bool // the pacer has ended
	cut     bool // nothing more is sent
	closed  bool // nothing more is booked but what was never sent
	head    int64
	due     int64 // arrivals [head, due) wait in line
	flights flights
	follows followHeap
	records []CompletionRecord
	totals  Totals
	errors  *errorLedger
	slow    slowest
	recent  recent
	settled tally
}

// A tally counts for the live view.
type tally struct{ sent, done, failed int64 }

// A window says which arrivals there are and which are measured. While it is open
// (Steady has not spoken) from and end are the latest possible.
type window struct {
	open      bool
	from, end time.Duration
}

func (w window) measured(second int64) bool {
	start := time.Duration(second) * time.Second
	return start >= w.from && start < w.end
}

// New checks the options and returns a run that has not begun.
func New(w Workload, e client.Engine, o Options, s Sink) (*Runner, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	operations := w.Operations()
	if len(operations) == 0 {
		return nil, errors.New("load: the workload has no operations")
	}
	r := &Runner{
		workload: w, engine: e, options: o, sink: s,
		names:  newNames(operations, w.Completions()),
		wake:   make(chan struct{}, 1),
		rouse:  make(chan struct{}, 1),
		abort:  make(chan struct{}),
		window: window{open: o.Steady != nil && o.WarmupMax > o.Warmup, from: o.Warmup},
		errors: newErrorLedger(),
		slow:   slowest{limit: o.Slowest},
	}
	if r.window.open {
		r.window.from = o.WarmupMax
	}
	r.window.end = r.window.from + o.Measure
	r.book.names = r.names
	r.recent.operations = len(operations)
	r.totals = newTotals(r.names)
	return r, nil
}

// Abort ends the run at once: what has no answer is a timeout, what waits is unsent.
func (r *Runner) Abort() { r.aborting.Do(func() { close(r.abort) }) }

// Run sends the schedule and returns when each arrival is over or the drain has ended.
// When ctx is done, arrivals stop at once and the drain begins. It may be called once.
func (r *Runner) Run(ctx context.Context) (Totals, error) {
	r.mu.Lock()
	if r.begun {
		r.mu.Unlock()
		return Totals{}, errors.New("load: this run has been made: a Runner runs once")
	}
	r.begun = true
	if r.start = r.options.Start; r.start.IsZero() {
		r.start = time.Now().Add(startLead)
	}
	r.totals.Start = r.start
	r.mu.Unlock()

	pacing, stopPacing := context.WithCancel(ctx)
	following, stopFollowing := context.WithCancel(context.WithoutCancel(ctx))
	var goroutines sync.WaitGroup
	goroutines.Go(func() { r.pace(ctx, pacing) })
	if r.names.completions > 0 {
		goroutines.Go(func() { r.follow(following) })
	}
	err := r.keepTime(ctx, stopPacing)
	stopPacing()
	stopFollowing()
	goroutines.Wait()
	return r.sum(), err
}

// pace sends each arrival when it is due. The exchange is prepared before the wait.
func (r *Runner) pace(ctx, pacing context.Context) {
	sleeper := r.options.Sleeper(pacing)
	defer sleeper.Close()
	pacer := arrival.NewPacer(r.start, r.options.Schedule, sleeper)
	for i := int64(0); r.planned(ctx, i); i++ {
		x := r.workload.Arrival(i)
		// An interrupted wait is the end of the window or of the context. At the end of
		// the window an arrival before it is due all the same.
		if _, due := pacer.Wait(i); !due && !r.planned(ctx, i) {
			break
		}
		if f := r.admit(x); f != nil {
			r.send(f)
		}
	}
	r.mu.Lock()
	r.paced = true
	r.mu.Unlock()
	poke(r.wake)
}

func (r *Runner) planned(ctx context.Context, i int64) bool {
	at := r.options.Schedule.At(i)
	r.mu.Lock()
	defer r.mu.Unlock()
	return ctx.Err() == nil && !r.cut && !r.closed && at < r.window.end
}

// poke wakes a goroutine that waits on c, now or the next time it waits.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (r *Runner) send(f *flight) {
	r.engine.Send(f.exchange.Request, func(resp *client.Response) { r.answered(f, resp) })
}

// handOver gives the sink what is finished; at the last call, all that there is.
func (r *Runner) handOver(last bool) error {
	for {
		r.mu.Lock()
		records := r.records
		r.records = nil
		limit := r.finishedBefore()
		if last {
			limit = r.book.base + int64(len(r.book.seconds))
		}
		s, number, ok := r.book.takeOver(limit)
		measured := ok && r.window.measured(number)
		r.mu.Unlock()
		for _, c := range records {
			if err := r.sink.Completion(c); err != nil {
				return fmt.Errorf("load: hand over completion of arrival %d: %w", c.Index, err)
			}
		}
		if !ok {
			return nil
		}
		if err := r.names.check(s, number); err != nil {
			return err
		}
		second := r.names.second(s, time.Duration(number)*time.Second, measured)
		r.add(second)
		if err := r.sink.Second(second); err != nil {
			return fmt.Errorf("load: hand over second %d: %w", number, err)
		}
	}
}

// finishedBefore returns the first second in which something may still happen: the
// one of the clock, or of the first arrival not yet sent. The caller holds mu.
func (r *Runner) finishedBefore() int64 {
	limit := secondOf(time.Since(r.start))
	if at := r.options.Schedule.At(r.head); at < r.window.end {
		limit = min(limit, secondOf(at))
	}
	return limit
}
