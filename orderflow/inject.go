package orderflow

import (
	"context"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// faults carries out faults, for all services of the process.
type faults struct {
	enabled   bool
	started   time.Time
	inventory *inventory // nil when it does not run here
	orders    *orders    // nil when it does not run here

	pausedUntil  atomic.Int64 // nanoseconds since started
	refusedUntil atomic.Int64
	injected     atomic.Int64

	mu     sync.Mutex
	leaked [][]byte
	wait   sync.WaitGroup
	ctx    context.Context // ends the leaks that go on
	stop   context.CancelFunc
}

func newFaults(enabled bool) *faults {
	f := &faults{enabled: enabled, started: time.Now()}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// pass lets a request through unless a fault is on: it waits while the process is paused and closes the
// connection while it refuses.
func (f *faults) pass(ctx context.Context) {
	if !f.enabled {
		return
	}
	now := int64(time.Since(f.started))
	if now < f.refusedUntil.Load() {
		panic(http.ErrAbortHandler)
	}
	if until := f.pausedUntil.Load(); now < until {
		pause(ctx, time.Duration(until-now))
	}
}

// pause waits for d or until the client is gone.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (f *faults) inject(fault Fault) {
	f.injected.Add(1)
	until := int64(time.Since(f.started) + fault.Duration)
	switch fault.Kind {
	case faultPause:
		f.pausedUntil.Store(until)
	case faultRefuse:
		f.refusedUntil.Store(until)
	case faultExhaust:
		if f.inventory != nil {
			f.inventory.exhaust()
		}
	case faultSlow:
		for _, r := range f.orderReplicas() {
			if r.name == fault.Replica {
				r.delay.Store(int64(fault.Duration))
			}
		}
	case faultLeak:
		f.leak(fault.Bytes)
		if fault.EachSec {
			f.wait.Go(func() { f.keepLeaking(fault.Bytes) })
		}
	}
}

// leak holds memory for good and touches each page, so that it is resident.
func (f *faults) leak(n int64) {
	block := make([]byte, n)
	for i := 0; i < len(block); i += os.Getpagesize() {
		block[i] = 1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leaked = append(f.leaked, block)
}

func (f *faults) keepLeaking(n int64) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-ticker.C:
			f.leak(n)
		}
	}
}

// leakedBytes is how much has been leaked.
func (f *faults) leakedBytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	var n int64
	for _, b := range f.leaked {
		n += int64(len(b))
	}
	return n
}

func (f *faults) orderReplicas() []*replica {
	if f.orders == nil {
		return nil
	}
	return f.orders.replicas
}

func (f *faults) replicas() int { return len(f.orderReplicas()) }

// run injects the planned faults, each at its time.
func (f *faults) run(plan []Fault) {
	for _, fault := range plan {
		f.wait.Go(func() {
			pause(f.ctx, fault.At-time.Since(f.started))
			if f.ctx.Err() == nil {
				f.inject(fault)
			}
		})
	}
}

// close ends what goes on and waits for it.
func (f *faults) close() {
	f.stop()
	f.wait.Wait()
}
