package facts

import (
	"cmp"
	"slices"
	"time"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
)

// A Completion is what one completion did in the measured window.
type Completion struct {
	Name, Operation string
	Sampled         int64
	Succeeded       Distribution // time at which it was first seen done
	Width           Distribution // how long before that it was last seen not done
	Failed          int64        // ended in a declared failure
	TimedOut        int64        // accepted, and not seen to end
	NotAccepted     int64        // its own request did not succeed
	Declined        int64        // of those, by a declared business error
	Polls, Misses   int64
	Disagreements   int64
	Timeout         time.Duration
	bounds          []bound       // of the successes
	scheduled       int64         // by the ledger
	followed        time.Duration // how long the least patient of the timed-out ones was followed
}

// A bound is one success: when it was first seen done, and how long before that not yet.
type bound struct{ upper, width int64 }

// Ranked is the completion's sampled arrivals under the one rule.
func (c *Completion) Ranked() Ranked {
	return Ranked{OK: &c.Succeeded, TimedOut: c.TimedOut, Failed: c.Failed + c.NotAccepted - c.Declined, Timeout: c.followed}
}

// Due is the number of sampled arrivals that should have been completed: all but those
// that a declared business error declined.
func (c *Completion) Due() int64 { return c.Sampled - c.Declined }

// Accepted counts the sampled arrivals whose own request succeeded.
func (c *Completion) Accepted() int64 { return c.Sampled - c.NotAccepted }

// NewCompletion is a completion of which nothing was sampled yet.
func NewCompletion(p rundir.CompletionPlan) *Completion {
	timeout := time.Duration(p.TimeoutNS)
	return &Completion{Name: p.Name, Operation: p.Operation, Timeout: timeout, followed: timeout}
}

// Book enters one followed arrival. One that was never polled and did not end well was
// not accepted: its outcome is that of its own request.
func (c *Completion) Book(l rundir.CompletionLine) {
	c.Sampled++
	c.Polls += int64(l.Polls)
	c.Misses += int64(l.Misses)
	c.Disagreements += int64(l.Disagreements)
	switch {
	case l.Outcome == "ok":
		c.Succeeded.AddValue(l.UpperNS)
		c.Width.AddValue(l.UpperNS - l.LowerNS)
		c.bounds = append(c.bounds, bound{l.UpperNS, l.UpperNS - l.LowerNS})
	case l.Polls == 0:
		c.NotAccepted++
		if l.Outcome == "functional" {
			c.Declined++
		}
	case l.Outcome == "timeout": // or cut short with the run, and then "> 10 s" is not known
		c.TimedOut++
		c.followed = min(c.followed, time.Duration(l.UpperNS))
	default:
		c.Failed++
	}
}

// WidthAt is how closely the completion's quantile is known, in ns: the median width of
// the hundredth of the successes on either side of its rank, at least two.
func (c *Completion) WidthAt(q float64) float64 {
	at := c.Ranked().Quantile(q)
	rank, err := stats.Rank(q, at.N)
	if at.Where != Measured || err != nil {
		return 0
	}
	slices.SortFunc(c.bounds, func(a, b bound) int { return cmp.Or(cmp.Compare(a.upper, b.upper), cmp.Compare(a.width, b.width)) })
	reach := max(2, len(c.bounds)/100)
	i := int(rank) - 1
	var widths []float64
	for _, b := range c.bounds[max(0, i-reach):min(len(c.bounds), i+reach+1)] {
		widths = append(widths, float64(b.width))
	}
	median, err := stats.Quantile(widths, .5)
	if err != nil {
		return 0
	}
	return median
}
