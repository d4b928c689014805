package engine

import "sync"

// community is the engine of worker pools and queues.
type community struct {
	operations []*queue
	publishes  []*queue
	responses  []*queue
	pending    registry
	wait       [3]sync.WaitGroup // one per stage, so that Close can end them in order
}

func newCommunity(workers int) *community {
	c := &community{pending: registry{done: make(map[uint64]func(Turn))}}
	for range workers {
		c.operations = append(c.operations, newQueue())
		c.publishes = append(c.publishes, newQueue())
		c.responses = append(c.responses, newQueue())
	}
	for w := range workers {
		c.wait[0].Go(func() { c.operate(c.operations[w]) })
		c.wait[1].Go(func() { c.publish(c.publishes[w]) })
		c.wait[2].Go(func() { c.respond(c.responses[w]) })
	}
	return c
}

func (c *community) Kind() Kind                       { return Community }
func (c *community) Shards() int                      { return 1 }
func (c *community) Shard(int) int                    { return 0 }
func (c *community) Pinned() int                      { return 0 }
func (c *community) NewLock(s *Stats) sync.Locker     { return &countedMutex{stats: s} }
func (c *community) Access(_ int, _ *Stats, f func()) { f() }

// Submit registers the completion and queues the task for the worker of its partition.
func (c *community) Submit(_ Turn, t Task) {
	t.Stats.Tasks.Add(1)
	t.Stats.Pending.Add(1)
	id := c.pending.add(t)
	c.operations[t.Partition%len(c.operations)].push(envelope{task: t, id: id})
}

func (c *community) operate(q *queue) {
	for {
		e, ok := q.pop()
		if !ok {
			return
		}
		e.task.Run(0)
		next := c.responses
		if e.task.Publish != nil {
			next = c.publishes
		}
		next[e.task.Partition%len(next)].push(e)
	}
}

func (c *community) publish(q *queue) {
	for {
		e, ok := q.pop()
		if !ok {
			return
		}
		e.task.Publish(0)
		c.responses[e.task.Partition%len(c.responses)].push(e)
	}
}

func (c *community) respond(q *queue) {
	for {
		e, ok := q.pop()
		if !ok {
			return
		}
		done := c.pending.take(e)
		e.task.Stats.Pending.Add(-1)
		done(Turn{})
	}
}

// Close ends the stages from the first to the last, each after its queue is empty.
func (c *community) Close() {
	for stage, queues := range [][]*queue{c.operations, c.publishes, c.responses} {
		for _, q := range queues {
			q.close()
		}
		c.wait[stage].Wait()
	}
}

// registry holds the completions of tasks that are under way, by task id.
type registry struct {
	mu   sync.Mutex
	last uint64
	done map[uint64]func(Turn)
}

func (r *registry) add(t Task) uint64 {
	t.Stats.Locks.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.done[r.last] = t.Done
	return r.last
}

func (r *registry) take(e envelope) func(Turn) {
	e.task.Stats.Locks.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	done := r.done[e.id]
	delete(r.done, e.id)
	return done
}
