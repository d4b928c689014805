package orderflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/meter"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// service is what the four services have in common: commands become events, events go to the log, the
// view and the outbox.
type service struct {
	name      string
	engine    engine.Engine
	stats     *engine.Stats
	registry  *meter.Registry
	outboxes  []*outbox.Outbox // one per shard
	submitted *meter.Counter
	written   *meter.Counter
	audit     *audit
	ready     atomic.Bool
}

func newService(name string, e engine.Engine, c Config) *service {
	s := &service{name: name, engine: e, stats: &engine.Stats{}, registry: &meter.Registry{}}
	for range e.Shards() {
		s.outboxes = append(s.outboxes, outbox.New(c.Outbox, c.OutboxRetention, s.newLock()))
	}
	s.audit = newAudit(s.registry)
	s.registerMetrics()
	return s
}

func (s *service) newLock() sync.Locker { return s.engine.NewLock(s.stats) }

// command runs decide where the key may be changed, writes the events that it returns to the outbox and then
// calls done.
func (s *service) command(from engine.Turn, key string, decide func(shard int) []record, done func(engine.Turn)) {
	s.engine.Submit(from, s.commandTask(key, decide, done))
}

// commandAndWait is command for a request goroutine.
func (s *service) commandAndWait(key string, decide func(shard int) []record) {
	engine.Call(s.engine, s.commandTask(key, decide, nil))
}

func (s *service) commandTask(key string, decide func(shard int) []record, done func(engine.Turn)) engine.Task {
	var records []record
	return engine.Task{
		Partition: engine.PartitionOf(key),
		Stats:     s.stats,
		Run:       func(shard int) { records = decide(shard) },
		Publish: func(shard int) {
			for _, r := range records {
				s.outboxes[shard].Write(outbox.Entry{Type: string(r.Type), Key: r.key, Created: r.At, Payload: r.bytes})
			}
			s.submitted.Add(int64(len(records)))
			s.written.Add(int64(len(records)))
		},
		Done: done,
	}
}

// query runs read where the key may be read, and waits.
func (s *service) query(key string, read func(shard int)) {
	engine.Call(s.engine, engine.Task{Partition: engine.PartitionOf(key), Stats: s.stats, Run: read})
}

// publisher returns the publisher of the service's outbox.
func (s *service) publisher(tick time.Duration, subscribers []subscriber) *outbox.Publisher {
	published := s.registry.Histogram("outbox_publish_duration_seconds",
		"Time to deliver a batch of outbox entries.", durationBounds())
	p := &outbox.Publisher{
		Outboxes: s.outboxes,
		Access:   func(shard int, f func()) { s.engine.Access(shard, s.stats, f) },
		Deliver: func(ctx context.Context, entries []outbox.Entry) error {
			for _, to := range subscribers {
				if err := to.deliver(ctx, s.name, entries); err != nil {
					return err
				}
			}
			return nil
		},
		Published: published.Observe,
		Tick:      tick,
	}
	s.registry.CounterFunc("outbox_entries_failed_total", "Outbox entries whose delivery failed, by attempt.",
		func() float64 { return float64(p.Failed()) })
	return p
}

// naturalID derives an id from what must be unique, so that its owner can tell a duplicate: the first
// 128 bits of SHA-256.
func naturalID(prefix, key string) string {
	sum := sha256.Sum256([]byte(key))
	return prefix + hex.EncodeToString(sum[:16])
}

// newID returns a random id of 128 bits.
func newID(prefix string) string {
	return fmt.Sprintf("%s%016x%016x", prefix, rand.Uint64(), rand.Uint64())
}
