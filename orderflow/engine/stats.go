package engine

import (
	"sync"
	"sync/atomic"
)

// Stats counts the work of an engine for one service.
type Stats struct {
	Tasks   atomic.Int64 // tasks submitted
	Hops    atomic.Int64 // crossings of a queue or channel between goroutines
	Locks   atomic.Int64 // lock acquisitions: queues, registry and maps
	Pending atomic.Int64 // tasks submitted and not yet done
}

// countedMutex is the lock of a map that several workers share.
type countedMutex struct {
	sync.Mutex
	stats *Stats
}

func (m *countedMutex) Lock() {
	m.stats.Locks.Add(1)
	m.Mutex.Lock()
}

// unshared is the lock of a map that has one owner: there is nothing to lock.
type unshared struct{}

func (unshared) Lock()   {}
func (unshared) Unlock() {}
