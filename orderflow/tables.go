package orderflow

import (
	"errors"

	"github.com/perfctl/perfctl/orderflow/meter"
	"github.com/perfctl/perfctl/orderflow/view"
)

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
	sum := func(of func(*table[T]) int64) func() float64 { return sumOf(list, of) }
	r := s.registry
	r.CounterFunc("eventsourcing_events_appended_total", "Events appended to the event store.",
		sum(func(t *table[T]) int64 { return t.log.Appended() }), labels...)
	r.CounterFunc("eventsourcing_events_folded_total", "Events folded into snapshots by the event store limit.",
		sum(func(t *table[T]) int64 { return t.log.Folded() }), labels...)
	r.GaugeFunc("eventsourcing_events_retained", "Events that the event store keeps.",
		sum(func(t *table[T]) int64 { return t.log.Retained() }), labels...)
	r.GaugeFunc("eventsourcing_event_store_bytes", "Bytes of events and snapshots that the event store keeps.",
		sum(func(t *table[T]) int64 { return t.log.Bytes() }), labels...)
	r.GaugeFunc("store_values", "Values in the view.",
		sum(func(t *table[T]) int64 { return t.view.Len() }), labels...)
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

// registerView exposes what off-heap values cost; of finds the view in an item of the list.
func registerView[T any](s *service, labels []meter.Label, list []T, of func(T) viewStats) {
	s.registry.CounterFunc("store_decodes_total", "Values decoded because they are kept serialised off the heap.",
		sumOf(list, func(x T) int64 { return of(x).Decodes() }), labels...)
	s.registry.GaugeFunc("store_off_heap_bytes", "Bytes of values outside the Go heap.",
		sumOf(list, func(x T) int64 { return of(x).OffHeapBytes() }), labels...)
}

// sumOf returns a function that sums one count over a list, when it is called.
func sumOf[T any](list []T, of func(T) int64) func() float64 {
	return func() float64 {
		var n int64
		for _, x := range list {
			n += of(x)
		}
		return float64(n)
	}
}

func closeTables[T any](list []*table[T]) error {
	var problems []error
	for _, t := range list {
		problems = append(problems, t.view.Close())
	}
	return errors.Join(problems...)
}

// newViews is one view per shard, for values that have no log of their own.
func newViews[T any](s *service, codec view.Codec[T], c Config) []*view.View[T] {
	list := make([]*view.View[T], s.engine.Shards())
	for i := range list {
		list[i] = view.New(c.Store, codec, s.newLock())
	}
	return list
}
