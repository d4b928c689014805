package arrival

import "time"

// A Schedule says when each arrival is intended to start, as an offset from the start
// of the run. Implementations are safe for concurrent use.
type Schedule interface {
	// At returns the intended start of arrival i >= 0. It depends on i alone and never
	// decreases; it is the longest Duration when the true time does not fit in one.
	At(i int64) time.Duration
	// Count returns how many arrivals have At < d: the planned total of a run that long.
	Count(d time.Duration) int64
}

// Constant returns the schedule with evenly spaced arrivals, the first at 0.
func Constant(r Rate) Schedule { return constant{r} }

type constant struct{ rate Rate }

func (c constant) At(i int64) time.Duration    { return c.rate.at(i) }
func (c constant) Count(d time.Duration) int64 { return c.rate.Count(d) }
