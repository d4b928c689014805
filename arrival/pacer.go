package arrival

import "time"

// A Pacer waits for the arrivals of one schedule. Each wait ends at the start plus the
// arrival's own offset, so a late arrival makes no other one late, and one that is
// already due is not waited for: a pacer that fell behind sends at once, without skipping.
type Pacer struct {
	start    time.Time
	schedule Schedule
	sleeper  Sleeper
}

// NewPacer returns a pacer whose offset 0 is start, for good.
func NewPacer(start time.Time, s Schedule, sleeper Sleeper) *Pacer {
	return &Pacer{start, s, sleeper}
}

// Wait returns when arrival i is due, with its lateness so far: now - intended start.
// It returns false when the sleeper was interrupted before that.
func (p *Pacer) Wait(i int64) (lateness time.Duration, due bool) {
	intended := p.start.Add(p.schedule.At(i))
	lateness = time.Since(intended)
	if lateness >= 0 {
		return lateness, true
	}
	if !p.sleeper.SleepUntil(intended) {
		return 0, false
	}
	return max(0, time.Since(intended)), true
}
