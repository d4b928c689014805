package load

import (
	"fmt"
	"time"
)

// A ledger holds the seconds that are not over, from base on without a gap. What
// happens is booked in two ways: an arrival to the second of its intended start, and
// the levels (in flight, waiting) to the newest second.
type ledger struct {
	names    names
	base     int64
	seconds  []*openSecond
	inFlight int64
	waiting  int64
	clamped  int64
}

func secondOf(offset time.Duration) int64 { return int64(max(0, offset) / time.Second) }

// at returns a second, after adding those up to it; for one that has been handed over
// already, as a clock read just before may name, it is the oldest that has not. A new
// second begins at the levels that the last one ended with.
func (l *ledger) at(second int64) *openSecond {
	i := max(0, second-l.base)
	for int64(len(l.seconds)) <= i {
		s := l.names.newSecond()
		s.inFlight, s.waiting = l.inFlight, l.waiting
		l.seconds = append(l.seconds, s)
	}
	return l.seconds[i]
}

// level changes the levels and keeps the highest of the second.
func (l *ledger) level(at time.Duration, inFlight, waiting int64) {
	l.at(secondOf(at))
	l.inFlight += inFlight
	l.waiting += waiting
	newest := l.seconds[len(l.seconds)-1]
	newest.inFlight = max(newest.inFlight, l.inFlight)
	newest.waiting = max(newest.waiting, l.waiting)
}

// book enters one outcome with its times.
func (l *ledger) book(second int64, name int, o Outcome, response, service time.Duration) {
	c := l.at(second).cell(name, o)
	c.count++
	l.clamped += record(c.response, response)
	if !l.names.isCompletion(name) {
		l.clamped += record(c.service, service)
	}
}

// bookUnsent enters an arrival that has no times.
func (l *ledger) bookUnsent(second int64, name int) { l.at(second).cell(name, Unsent).count++ }

// takeOver removes the oldest second if it is before the limit and all that was booked
// to it is over.
func (l *ledger) takeOver(limit int64) (s *openSecond, number int64, ok bool) {
	if len(l.seconds) == 0 || l.base >= limit || l.seconds[0].open > 0 {
		return nil, 0, false
	}
	s, number = l.seconds[0], l.base
	l.seconds[0] = nil
	l.seconds = l.seconds[1:]
	l.base++
	return s, number, true
}

// check asserts that nothing has vanished from a second that is over.
func (n names) check(s *openSecond, number int64) error {
	for name, scheduled := range s.scheduled {
		sum := int64(0)
		for _, c := range s.cells[name*len(outcomes) : (name+1)*len(outcomes)] {
			if c != nil {
				sum += c.count
			}
		}
		if sum != scheduled {
			return fmt.Errorf("load: internal: second %d: %d arrivals of %q, %d outcomes", number, scheduled, n.all[name], sum)
		}
	}
	return nil
}
