package orderflow

import (
	"fmt"
	"sync"

	"github.com/perfctl/perfctl/orderflow/eventlog"
	"github.com/perfctl/perfctl/orderflow/view"
)

// aggregate says how the state T of one kind of aggregate follows from its events.
type aggregate[T any] struct {
	codec view.Codec[T]
	// apply returns the state after an event. An error means that the event's body is broken.
	apply func(T, event) (T, error)
}

// fold makes a snapshot. It panics on events that do not apply: they did when they were appended.
func (a aggregate[T]) fold(key string, snapshot []byte, events [][]byte) []byte {
	state, err := a.rebuild(snapshot, events)
	if err != nil {
		panic(fmt.Sprintf("orderflow: the events of %s do not apply: %v", key, err))
	}
	return a.codec.Append(nil, state)
}

// rebuild returns the state after the events that follow a snapshot.
func (a aggregate[T]) rebuild(snapshot []byte, events [][]byte) (state T, err error) {
	if snapshot != nil {
		if state, err = a.codec.Decode(snapshot); err != nil {
			return state, err
		}
	}
	for _, b := range events {
		e, err := decodeEvent(b)
		if err != nil {
			return state, err
		}
		if state, err = a.apply(state, e); err != nil {
			return state, err
		}
	}
	return state, nil
}

// table holds the aggregates of one kind in one shard: their events, and the view of their state.
type table[T any] struct {
	aggregate aggregate[T]
	log       *eventlog.Log
	view      *view.View[T]
}

// newTable returns an empty table that keeps limit events, 0 for all.
func newTable[T any](a aggregate[T], kind view.Kind, limit int, newLock func() sync.Locker) *table[T] {
	return &table[T]{
		aggregate: a,
		log:       eventlog.New(limit, a.fold, newLock()),
		view:      view.New(kind, a.codec, newLock()),
	}
}

// record is an event as it was appended, for the outbox.
type record struct {
	event
	key   string
	bytes []byte
}

// append appends events to the stream of a key, brings the view up to date and returns the new state.
// Only the owner of the key's partition may call it.
func (t *table[T]) append(key string, events ...event) (T, []record) {
	state, _ := t.view.Get(key)
	records := make([]record, len(events))
	encoded := make([][]byte, len(events))
	for i, e := range events {
		var err error
		if state, err = t.aggregate.apply(state, e); err != nil {
			panic(fmt.Sprintf("orderflow: event %s of %s does not apply: %v", e.Type, key, err))
		}
		encoded[i] = e.encode()
		records[i] = record{event: e, key: key, bytes: encoded[i]}
	}
	t.log.Append(key, encoded...)
	t.view.Put(key, state)
	return state, records
}

// rebuild returns the state of a key from its events alone.
func (t *table[T]) rebuild(key string) (T, error) {
	snapshot, events, _ := t.log.Replay(key)
	return t.aggregate.rebuild(snapshot, events)
}
