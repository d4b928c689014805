package arrival

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestPacerHoldsTheGlobalSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(100 * time.Millisecond)
		sleeper := OpenTimer(t.Context())
		defer sleeper.Close()
		p := NewPacer(start, Constant(mustParse(t, "3/s")), sleeper)
		want := []time.Duration{0, 333_333_333, 666_666_666, time.Second}
		for i, offset := range want {
			late, due := p.Wait(int64(i))
			if at := time.Since(start); !due || late != 0 || at != offset {
				t.Errorf("arrival %d: at %v, late %v, due %v; want at %v", i, at, late, due, offset)
			}
		}
	})
}

// A sender that was held up for 100 ms sends what is due at once, in order and with its
// lateness; the arrival after that is on time again.
func TestPacerCatchesUpWithoutSkipping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleeper := OpenTimer(t.Context())
		defer sleeper.Close()
		p := NewPacer(time.Now(), Constant(mustParse(t, "100/s")), sleeper)
		p.Wait(0)
		time.Sleep(35 * time.Millisecond)
		for i, want := range []time.Duration{25, 15, 5, 0, 0} {
			late, due := p.Wait(int64(i + 1))
			if !due || late != want*time.Millisecond {
				t.Errorf("arrival %d: late %v, due %v; want %dms", i+1, late, due, want)
			}
		}
	})
}

func TestTimerIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sleeper := OpenTimer(ctx)
		defer sleeper.Close()
		p := NewPacer(time.Now(), Constant(mustParse(t, "1/10s")), sleeper)
		time.AfterFunc(3*time.Second, cancel)
		before := time.Now()
		if late, due := p.Wait(1); due || late != 0 || time.Since(before) != 3*time.Second {
			t.Errorf("late %v, due %v after %v", late, due, time.Since(before))
		}
		if sleeper.SleepUntil(time.Now().Add(time.Hour)) {
			t.Error("it slept after its context was done")
		}
		// What is due already needs no sleep.
		if late, due := p.Wait(0); !due || late != 3*time.Second {
			t.Errorf("arrival 0: late %v, due %v", late, due)
		}
	})
}

// The most exact sleeper is driven by the kernel, so only order is asserted.
func TestOpen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sleeper := Open(ctx)
	defer sleeper.Close()
	for range 20 {
		until := time.Now().Add(500 * time.Microsecond)
		if !sleeper.SleepUntil(until) || time.Now().Before(until) {
			t.Fatal("it woke up early")
		}
	}
	if past := time.Now().Add(-time.Second); !sleeper.SleepUntil(past) {
		t.Error("a time that is past was waited for")
	}
	go func() {
		runtime.Gosched()
		cancel()
	}()
	if sleeper.SleepUntil(time.Now().Add(time.Hour)) {
		t.Error("it slept an hour")
	}
	sleeper.Close() // twice is harmless
}

func TestCloseBeforeInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sleeper := Open(ctx)
	sleeper.Close()
	cancel()
	if sleeper.SleepUntil(time.Now().Add(time.Hour)) {
		t.Error("it slept after its context was done")
	}
}

func BenchmarkPacerLateness(b *testing.B) {
	for name, open := range map[string]func(context.Context) Sleeper{"open": Open, "timer": OpenTimer} {
		b.Run(name, func(b *testing.B) {
			sleeper := open(b.Context())
			defer sleeper.Close()
			p := NewPacer(time.Now(), Constant(mustParse(b, "1000/s")), sleeper)
			var late []time.Duration
			for i := int64(0); b.Loop(); i++ {
				l, _ := p.Wait(i)
				late = append(late, l)
			}
			slices.Sort(late)
			b.ReportMetric(float64(late[len(late)/2].Nanoseconds())/1e3, "p50-us")
			b.ReportMetric(float64(late[len(late)*99/100].Nanoseconds())/1e3, "p99-us")
		})
	}
}
