package arrival

import (
	"context"
	"time"
)

// A Sleeper waits for an instant. It belongs to the goroutine that opened it.
type Sleeper interface {
	// SleepUntil returns true when t has come, false as soon as the context that the
	// sleeper was opened with is done.
	SleepUntil(t time.Time) bool
	Close()
}

// OpenTimer returns a sleeper on Go's own timers. They are portable and run on fake
// time in a testing/synctest bubble; real ones may fire a millisecond late.
func OpenTimer(ctx context.Context) Sleeper {
	t := time.NewTimer(0)
	t.Stop()
	return &timerSleeper{ctx, t}
}

type timerSleeper struct {
	ctx   context.Context
	timer *time.Timer
}

func (s *timerSleeper) SleepUntil(t time.Time) bool {
	if s.ctx.Err() != nil {
		return false
	}
	wait := time.Until(t)
	if wait <= 0 {
		return true
	}
	s.timer.Reset(wait)
	select {
	case <-s.timer.C:
		return true
	case <-s.ctx.Done():
		s.timer.Stop()
		return false
	}
}

func (s *timerSleeper) Close() { s.timer.Stop() }
