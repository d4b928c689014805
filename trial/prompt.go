package trial

import (
	"runtime/debug"
	"sync"
	"time"
)

// collectLess is the garbage collector's target while load is sent: a collection takes a
// core for milliseconds, and the generator's live heap is a few MiB.
const collectLess = 400

// promptly keeps the generator out of its own way until undo is called: fewer
// collections, and threads that the kernel runs soon after they wake.
func promptly() (undo func()) {
	before := debug.SetGCPercent(collectLess)
	shortSlices()
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { // threads that the runtime starts later
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				shortSlices()
			}
		}
	})
	return func() {
		close(stop)
		watching.Wait()
		debug.SetGCPercent(before)
	}
}
