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
	"github.com/perfctl/perfctl/orderflow/view"
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
	published := s.registry.Histogram("outbox_publish_duration_seconds", "Time to deliver a batch of outbox entries.", durationBounds())
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
	s.registry.CounterFunc("outbox_entries_failed_total", "Outbox entries whose delivery failed, by attempt.", func() float64 { return float64(p.Failed()) })
	return p
}

// tables is one table per shard for one kind of aggregate. The limit is dealt out so that the shards
// together keep exactly limit events.
func tables[T any](s *service, a aggregate[T], c Config) []*table[T] {
	shards := s.engine.Shards()
	list := make([]*table[T], shards)
	for i := range list {
		limit := c.EventStoreLimit / shards
		if i < c.EventStoreLimit%shards {
			limit++
		}
		list[i] = newTable(a, c.Store, limit, s.newLock)
	}
	return list
}

// registerTables exposes the counts of tables.
func registerTables[T any](s *service, aggregateName string, list []*table[T], labels ...meter.Label) {
	labels = append([]meter.Label{{Name: "aggregate", Value: aggregateName}}, labels...)
	sum := func(of func(*table[T]) int64) func() float64 {
		return func() float64 {
			var n int64
			for _, t := range list {
				n += of(t)
			}
			return float64(n)
		}
	}
	r := s.registry
	r.CounterFunc("eventsourcing_events_appended_total", "Events appended to the event store.", sum(func(t *table[T]) int64 { return t.log.Appended() }), labels...)
	r.CounterFunc("eventsourcing_events_folded_total", "Events folded into snapshots by the event store limit.", sum(func(t *table[T]) int64 { return t.log.Folded() }), labels...)
	r.GaugeFunc("eventsourcing_events_retained", "Events that the event store keeps.", sum(func(t *table[T]) int64 { return t.log.Retained() }), labels...)
	r.GaugeFunc("eventsourcing_event_store_bytes", "Bytes of events and snapshots that the event store keeps.", sum(func(t *table[T]) int64 { return t.log.Bytes() }), labels...)
	r.GaugeFunc("store_values", "Values in the view.", sum(func(t *table[T]) int64 { return t.view.Len() }), labels...)
	registerView(s, labels, list, func(t *table[T]) viewStats { return t.view })
}

// tableSettings is what the tables themselves report.
func tableSettings[T any](list []*table[T]) map[string]any {
	limit := 0
	for _, t := range list {
		limit += t.log.Limit()
	}
	return map[string]any{"store": list[0].view.Kind(), "event_store_limit": limit}
}

// viewStats is what the metrics ask of a view.
type viewStats interface {
	Decodes() int64
	OffHeapBytes() int64
}

func registerView[T any](s *service, labels []meter.Label, list []T, of func(T) viewStats) {
	s.registry.CounterFunc("store_decodes_total", "Values decoded because they are kept serialised off the heap.", func() float64 {
		var n int64
		for _, x := range list {
			n += of(x).Decodes()
		}
		return float64(n)
	}, labels...)
	s.registry.GaugeFunc("store_off_heap_bytes", "Bytes of values outside the Go heap.", func() float64 {
		var n int64
		for _, x := range list {
			n += of(x).OffHeapBytes()
		}
		return float64(n)
	}, labels...)
}

func closeTables[T any](list []*table[T]) error {
	for _, t := range list {
		if err := t.view.Close(); err != nil {
			return err
		}
	}
	return nil
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

// newViews is one view per shard, for values that have no log of their own.
func newViews[T any](s *service, codec view.Codec[T], c Config) []*view.View[T] {
	list := make([]*view.View[T], s.engine.Shards())
	for i := range list {
		list[i] = view.New(c.Store, codec, s.newLock())
	}
	return list
}
