package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// tpc is the engine of event loops, one per core.
type tpc struct {
	loops []*loop
	wait  sync.WaitGroup
}

func newTPC(loops int, pin bool) *tpc {
	e := &tpc{}
	for i := range loops {
		e.loops = append(e.loops, &loop{index: i, wake: make(chan struct{}, 1)})
	}
	var started sync.WaitGroup
	started.Add(loops)
	for _, l := range e.loops {
		e.wait.Go(func() { l.serve(pin, started.Done) })
	}
	started.Wait()
	return e
}

func (e *tpc) Kind() Kind                 { return TPC }
func (e *tpc) Shards() int                { return len(e.loops) }
func (e *tpc) Shard(partition int) int    { return partition % len(e.loops) }
func (e *tpc) NewLock(*Stats) sync.Locker { return unshared{} }

func (e *tpc) Pinned() int {
	n := 0
	for _, l := range e.loops {
		if l.pinned {
			n++
		}
	}
	return n
}

// Submit gives the task to the loop that owns its partition.
func (e *tpc) Submit(from Turn, t Task) {
	t.Stats.Tasks.Add(1)
	t.Stats.Pending.Add(1)
	l := e.loops[e.Shard(t.Partition)]
	if from.loop == l {
		l.local = append(l.local, t)
		return
	}
	t.Stats.Hops.Add(1)
	l.push(&node{task: t})
}

func (e *tpc) Access(shard int, stats *Stats, f func()) {
	Call(e, Task{Partition: shard, Stats: stats, Run: func(int) { f() }})
}

// Close ends the loops, each after its inbox is empty.
func (e *tpc) Close() {
	for _, l := range e.loops {
		l.closed.Store(true)
		l.ring()
	}
	e.wait.Wait()
}

// loop is one event loop. Other goroutines push to its inbox, a lock-free stack that the loop
// takes as a whole and reverses; local holds tasks that the loop gave itself.
type loop struct {
	index  int
	inbox  atomic.Pointer[node]
	local  []Task
	parked atomic.Bool
	closed atomic.Bool
	wake   chan struct{}
	pinned bool
}

type node struct {
	task Task
	next *node
}

func (l *loop) push(n *node) {
	for {
		n.next = l.inbox.Load()
		if l.inbox.CompareAndSwap(n.next, n) {
			break
		}
	}
	if l.parked.Load() {
		l.ring()
	}
}

func (l *loop) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// serve runs the loop. A pinned loop keeps its thread to itself and so takes it along when it
// ends: its affinity must not leak to other goroutines.
func (l *loop) serve(pin bool, started func()) {
	if pin {
		runtime.LockOSThread()
		l.pinned = pinToProcessor(l.index)
	}
	started()
	for {
		if l.turn() {
			continue
		}
		l.parked.Store(true)
		if l.inbox.Load() == nil {
			if l.closed.Load() {
				return
			}
			<-l.wake
		}
		l.parked.Store(false)
	}
}

// turn runs everything that is waiting and reports whether there was anything.
func (l *loop) turn() bool {
	var first *node
	for n := l.inbox.Swap(nil); n != nil; {
		next := n.next
		n.next = first
		first, n = n, next
	}
	if first == nil {
		return false
	}
	for ; first != nil; first = first.next {
		l.run(first.task)
		l.drainLocal()
	}
	return true
}

// drainLocal runs the tasks that the loop gave itself, and those that they give it in turn.
func (l *loop) drainLocal() {
	for i := 0; i < len(l.local); i++ {
		t := l.local[i]
		l.local[i] = Task{}
		l.run(t)
	}
	l.local = l.local[:0]
}

func (l *loop) run(t Task) {
	t.Run(l.index)
	if t.Publish != nil {
		t.Publish(l.index)
	}
	t.Stats.Pending.Add(-1)
	t.Done(Turn{loop: l})
}
