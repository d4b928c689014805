// Package outbox answers: which events have the other services not been told yet? An entry is
// written in the same operation as its event; a publisher delivers the pending ones at each tick and marks
// them delivered. Delivered entries stay until a retention time has passed.
//
// There are two ways to find the pending entries:
//
//   - Scan looks at every entry at each tick, delivered ones included: each is decoded and its status
//     compared, as a query on a map without an index does. The cost of a tick grows with the
//     entries kept: rate of events x retention.
//   - Indexed keeps the ids of the pending entries and decodes only those.
//
// Both deliver the same entries at the same ticks, so the difference is processor time, not
// response time. Scanned counts the entries looked at.
package outbox

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perfctl/perfctl/orderflow/wire"
)

// Kind names the way in which pending entries are found.
type Kind string

// The kinds.
const (
	Scan    Kind = "scan"
	Indexed Kind = "indexed"
)

// Entry is one event for the other services.
type Entry struct {
	ID      uint64    `json:"id"`
	Type    string    `json:"type"`
	Key     string    `json:"key"`
	Created time.Time `json:"created"`
	Payload []byte    `json:"-"`
}

// The status is the first byte of a stored entry.
const (
	pending   = 'P'
	delivered = 'D'
)

// Outbox holds the entries of one shard of a service.
type Outbox struct {
	kind      Kind
	retention time.Duration
	lock      sync.Locker
	entries   map[uint64][]byte
	first     uint64 // the oldest id that is kept
	next      uint64 // the id of the next entry
	index     []uint64

	scanned, deliveredCount, size atomic.Int64
}

// New returns an empty outbox; lock guards it.
func New(kind Kind, retention time.Duration, lock sync.Locker) *Outbox {
	return &Outbox{kind: kind, retention: retention, lock: lock, entries: make(map[uint64][]byte)}
}

// Kind returns the way in which pending entries are found.
func (o *Outbox) Kind() Kind { return o.kind }

// Write adds a pending entry and gives it its id.
func (o *Outbox) Write(e Entry) {
	o.lock.Lock()
	defer o.lock.Unlock()
	e.ID = o.next
	o.next++
	o.entries[e.ID] = encode(e)
	if o.kind == Indexed {
		o.index = append(o.index, e.ID)
	}
	o.size.Store(int64(len(o.entries)))
}

// Pending looks at up to n entries from the id on and returns those that are pending, and the id at which
// to go on; that is 0 when there is nothing more to look at.
func (o *Outbox) Pending(from uint64, n int) (found []Entry, next uint64) {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.kind == Indexed {
		return o.indexed(from, n)
	}
	from = max(from, o.first)
	end := min(from+uint64(n), o.next)
	for id := from; id < end; id++ {
		e, status := decode(o.entries[id])
		if status == pending {
			found = append(found, e)
		}
	}
	o.scanned.Add(int64(end - min(from, end)))
	if end == o.next {
		end = 0
	}
	return found, end
}

func (o *Outbox) indexed(from uint64, n int) (found []Entry, next uint64) {
	i, _ := slices.BinarySearch(o.index, from)
	end := min(i+n, len(o.index))
	for _, id := range o.index[i:end] {
		e, _ := decode(o.entries[id])
		found = append(found, e)
	}
	o.scanned.Add(int64(end - i))
	if end < len(o.index) {
		next = o.index[end]
	}
	return found, next
}

// Delivered marks entries, given in the order of their ids.
func (o *Outbox) Delivered(entries []Entry) {
	o.lock.Lock()
	defer o.lock.Unlock()
	for _, e := range entries {
		o.entries[e.ID][0] = delivered
	}
	o.deliveredCount.Add(int64(len(entries)))
	i := 0
	o.index = slices.DeleteFunc(o.index, func(id uint64) bool {
		for i < len(entries) && entries[i].ID < id {
			i++
		}
		return i < len(entries) && entries[i].ID == id
	})
}

// Expire drops up to n delivered entries whose retention has passed; the oldest pending one ends it.
func (o *Outbox) Expire(now time.Time, n int) {
	o.lock.Lock()
	defer o.lock.Unlock()
	for range n {
		b, ok := o.entries[o.first]
		if !ok || b[0] != delivered {
			break
		}
		if e, _ := decode(b); now.Sub(e.Created) < o.retention {
			break
		}
		delete(o.entries, o.first)
		o.first++
	}
	o.size.Store(int64(len(o.entries)))
}

// Scanned is the number of entries looked at so far. Like the other counts it may be read from
// any goroutine.
func (o *Outbox) Scanned() int64 { return o.scanned.Load() }

// DeliveredCount is the number of entries delivered so far.
func (o *Outbox) DeliveredCount() int64 { return o.deliveredCount.Load() }

// Len is the number of entries that are kept.
func (o *Outbox) Len() int64 { return o.size.Load() }

func encode(e Entry) []byte {
	b := make([]byte, 0, 32+len(e.Type)+len(e.Key)+len(e.Payload))
	b = append(b, pending)
	b = wire.AppendInt(b, int64(e.ID))
	b = wire.AppendInt(b, e.Created.UnixNano())
	b = wire.AppendText(b, e.Type)
	b = wire.AppendText(b, e.Key)
	return append(b, e.Payload...)
}

// decode panics on bytes that do not decode: the outbox wrote them itself.
func decode(b []byte) (Entry, byte) {
	r := wire.NewReader(b[1:])
	e := Entry{ID: uint64(r.Int()), Created: time.Unix(0, r.Int()), Type: r.Text(), Key: r.Text(), Payload: r.Rest()}
	if r.Err() != nil {
		panic("outbox: a stored entry does not decode: " + r.Err().Error())
	}
	return e, b[0]
}
