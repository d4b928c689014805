package outbox

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// chunk is how many entries are looked at in one go: short enough that an operation never waits
// long for the outbox of its shard.
const chunk = 256

// Publisher delivers the pending entries of a service, at each tick.
type Publisher struct {
	// Outboxes holds one outbox per shard.
	Outboxes []*Outbox
	// Access runs f where the outbox of the shard may be touched.
	Access func(shard int, f func())
	// Deliver tells the subscribers; when it fails the entries stay pending.
	Deliver func(context.Context, []Entry) error
	// Published is told how long a delivery took.
	Published func(time.Duration)
	Tick      time.Duration

	failed atomic.Int64
}

// Failed is the number of entries whose delivery failed, counted at each attempt.
func (p *Publisher) Failed() int64 { return p.failed.Load() }

// Run publishes at each tick until the context ends.
func (p *Publisher) Run(ctx context.Context) {
	ticker := time.NewTicker(p.Tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			p.Sweep(ctx, now)
		}
	}
}

// Sweep publishes what is pending now, one shard after the other.
func (p *Publisher) Sweep(ctx context.Context, now time.Time) {
	for shard, o := range p.Outboxes {
		for from, more := uint64(0), true; more && ctx.Err() == nil; {
			from, more = p.publishChunk(ctx, shard, o, from)
			runtime.Gosched() // requests go first: a long scan costs processor time, not response time
		}
		p.Access(shard, func() { o.Expire(now, 8*chunk) })
	}
}

// publishChunk delivers the pending ones of the next entries, and returns where to go on.
func (p *Publisher) publishChunk(ctx context.Context, shard int, o *Outbox, from uint64) (next uint64, more bool) {
	var found []Entry
	p.Access(shard, func() { found, next = o.Pending(from, chunk) })
	if len(found) == 0 {
		return next, next > 0
	}
	start := time.Now()
	if err := p.Deliver(ctx, found); err != nil {
		p.failed.Add(int64(len(found)))
		return 0, false // the next tick tries again, in order
	}
	p.Published(time.Since(start))
	p.Access(shard, func() { o.Delivered(found) })
	return next, next > 0
}
