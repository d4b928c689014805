// Package view answers: what is the present state of one aggregate? A View is a map from key to
// value, brought up to date by the events.
//
// On the heap the values are plain Go values. Off the heap each value is kept serialised in an arena and
// decoded on every access: the Go heap stays small and each access costs a decoding. Decodes
// counts them.
package view

import (
	"sync"
	"sync/atomic"

	"github.com/perfctl/perfctl/orderflow/arena"
)

// Kind names where the values are kept.
type Kind string

// The kinds.
const (
	Heap    Kind = "heap"
	OffHeap Kind = "hd-memory"
)

// Codec turns values into bytes and back.
type Codec[T any] struct {
	Append func([]byte, T) []byte
	Decode func([]byte) (T, error)
}

// View is a map of values. Values must not be changed in place: put a changed copy.
type View[T any] struct {
	lock    sync.Locker
	codec   Codec[T]
	heap    map[string]T
	refs    map[string]arena.Ref
	arena   *arena.Arena // nil for a view on the heap
	scratch []byte
	decodes atomic.Int64
	size    atomic.Int64
}

// New returns an empty view; lock guards it.
func New[T any](kind Kind, codec Codec[T], lock sync.Locker) *View[T] {
	if kind == OffHeap {
		return &View[T]{lock: lock, codec: codec, refs: make(map[string]arena.Ref), arena: arena.New()}
	}
	return &View[T]{lock: lock, codec: codec, heap: make(map[string]T)}
}

// Kind returns where the values are.
func (v *View[T]) Kind() Kind {
	if v.arena != nil {
		return OffHeap
	}
	return Heap
}

// Get returns the value of a key.
func (v *View[T]) Get(key string) (T, bool) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if v.arena == nil {
		value, ok := v.heap[key]
		return value, ok
	}
	ref, ok := v.refs[key]
	if !ok {
		var none T
		return none, false
	}
	return v.decode(ref), true
}

// Put sets the value of a key.
func (v *View[T]) Put(key string, value T) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if v.arena == nil {
		v.heap[key] = value
		v.size.Store(int64(len(v.heap)))
		return
	}
	if old, ok := v.refs[key]; ok {
		v.arena.Free(old)
	}
	v.scratch = v.codec.Append(v.scratch[:0], value)
	v.refs[key] = v.arena.Put(v.scratch)
	v.size.Store(int64(len(v.refs)))
}

// Keys returns the keys, in no order.
func (v *View[T]) Keys() []string {
	v.lock.Lock()
	defer v.lock.Unlock()
	keys := make([]string, 0, len(v.heap)+len(v.refs))
	for key := range v.heap {
		keys = append(keys, key)
	}
	for key := range v.refs {
		keys = append(keys, key)
	}
	return keys
}

// decode panics on bytes that do not decode: the view wrote them itself.
func (v *View[T]) decode(ref arena.Ref) T {
	v.decodes.Add(1)
	value, err := v.codec.Decode(v.arena.Get(ref))
	if err != nil {
		panic("view: a stored value does not decode: " + err.Error())
	}
	return value
}

// Len is the number of values. Like the other counts it may be read from any goroutine.
func (v *View[T]) Len() int64 { return v.size.Load() }

// Decodes is the number of values decoded so far.
func (v *View[T]) Decodes() int64 { return v.decodes.Load() }

// OffHeapBytes is the number of bytes the view holds outside the heap.
func (v *View[T]) OffHeapBytes() int64 {
	if v.arena == nil {
		return 0
	}
	return v.arena.Mapped()
}

// Close gives the memory outside the heap back. The view must not be used after it.
func (v *View[T]) Close() error {
	if v.arena == nil {
		return nil
	}
	return v.arena.Close()
}
