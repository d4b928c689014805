package engine

import "sync"

// envelope is a task on its way through the stages of the community engine.
type envelope struct {
	task Task
	id   uint64
}

// queue is an unbounded first-in first-out queue between goroutines. It is unbounded because the
// stages form a ring (a completion may submit the next task): bounded queues could block each
// other for ever. The callers bound it: each waits for its own task.
type queue struct {
	mu     sync.Mutex
	filled sync.Cond
	items  []envelope
	head   int
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.filled.L = &q.mu
	return q
}

func (q *queue) push(e envelope) {
	e.task.Stats.Hops.Add(1)
	e.task.Stats.Locks.Add(1)
	q.mu.Lock()
	q.items = append(q.items, e)
	q.mu.Unlock()
	q.filled.Signal()
}

// pop waits for the next item; it reports false when the queue is closed and empty.
func (q *queue) pop() (envelope, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head == len(q.items) {
		if q.closed {
			return envelope{}, false
		}
		q.filled.Wait()
	}
	e := q.items[q.head]
	q.items[q.head] = envelope{}
	q.head++
	if 2*q.head >= len(q.items) { // the taken half makes room, also when the queue is never empty
		q.items, q.head = q.items[:copy(q.items, q.items[q.head:])], 0
	}
	e.task.Stats.Locks.Add(1)
	return e, true
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.filled.Broadcast()
}
