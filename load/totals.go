package load

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func newTotals(n names) Totals {
	t := Totals{
		Outcomes:    make(map[string]map[Outcome]int64),
		Completions: make(map[string]map[Outcome]int64),
		Lateness:    hdr.New(lowestTime, highestTime, digits),
	}
	for i, name := range n.all[:n.operations+n.completions] {
		if i < n.operations {
			t.Outcomes[name] = make(map[Outcome]int64)
		} else {
			t.Completions[name] = make(map[Outcome]int64)
		}
	}
	return t
}

// add sums up a second that is over. Only the clock calls it.
func (r *Runner) add(s Second) {
	for name, n := range s.Scheduled {
		if _, ok := r.totals.Outcomes[name]; ok {
			r.accounted += n
		}
	}
	if r.window.open {
		r.history = append(r.history, s)
		r.history = r.history[max(0, len(r.history)-steadySeconds):]
	}
	if !s.Measured {
		return
	}
	t := &r.totals
	for key, series := range s.Series {
		if byOutcome, ok := t.Outcomes[key.Operation]; ok {
			byOutcome[key.Outcome] += series.Count
			t.Scheduled += series.Count
			if key.Outcome == Unsent {
				t.Unsent += series.Count
			} else {
				t.Sent += series.Count
			}
		}
		if byOutcome, ok := t.Completions[key.Operation]; ok {
			byOutcome[key.Outcome] += series.Count
		}
	}
	t.InFlightMax = max(t.InFlightMax, s.InFlight)
	t.Lateness.Merge(s.Lateness)
}

// checkTotal asserts that each planned arrival is accounted for.
func (r *Runner) checkTotal() error {
	planned := r.options.Schedule.Count(r.window.end)
	if r.accounted != planned {
		return fmt.Errorf("load: internal: %d arrivals planned, %d accounted for", planned, r.accounted)
	}
	if left := len(r.book.seconds); left > 0 {
		return fmt.Errorf("load: internal: %d seconds are not over after the end", left)
	}
	return nil
}

// sum closes the totals.
func (r *Runner) sum() Totals {
	t := r.totals
	t.WarmupEnd = min(r.window.from, r.window.end)
	t.Clamped = r.book.clamped
	t.Errors = r.errors.list()
	t.Slowest = r.slow.list()
	t.Engine = r.engine.Stats()
	return t
}
