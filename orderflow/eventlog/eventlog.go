// Package eventlog is the append-only store of events: what happened to each aggregate, in order,
// as bytes.
//
// Without a limit it keeps every event, so it grows for as long as the service works: that is the
// mechanism behind a long run that reaches its memory limit. With a limit on the number of
// events it folds the oldest streams: the events of a stream are applied to its snapshot, the
// snapshot is kept and the events are dropped. Then a stream is its snapshot followed by its events.
package eventlog

import (
	"sync"
	"sync/atomic"
)

// Fold applies events to a snapshot (nil for a new stream) and returns the new snapshot.
type Fold func(key string, snapshot []byte, events [][]byte) []byte

// Log holds the streams.
type Log struct {
	lock     sync.Locker
	fold     Fold
	limit    int // events kept at most; 0 keeps all
	streams  map[string]*stream
	unfolded []string // keys of streams that hold events, the longest waiting first
	head     int

	appended, retained, bytes, folded atomic.Int64
}

type stream struct {
	snapshot []byte
	events   [][]byte
}

// New returns an empty log. The limit is in events, 0 for none; fold is needed only with a limit.
func New(limit int, fold Fold, lock sync.Locker) *Log {
	return &Log{lock: lock, fold: fold, limit: limit, streams: make(map[string]*stream)}
}

// Append adds events to a stream. The log keeps the slices: they must not be changed afterwards.
func (l *Log) Append(key string, events ...[]byte) {
	l.lock.Lock()
	defer l.lock.Unlock()
	s := l.streams[key]
	if s == nil {
		s = &stream{}
		l.streams[key] = s
	}
	if len(s.events) == 0 && l.limit > 0 {
		l.unfolded = append(l.unfolded, key)
	}
	for _, e := range events {
		s.events = append(s.events, e)
		l.bytes.Add(int64(len(e)))
	}
	l.appended.Add(int64(len(events)))
	l.retained.Add(int64(len(events)))
	for l.limit > 0 && l.retained.Load() > int64(l.limit) {
		l.foldOldest()
	}
}

// foldOldest turns the events of the stream that waited longest into its snapshot.
func (l *Log) foldOldest() {
	key := l.unfolded[l.head]
	l.unfolded[l.head] = ""
	l.head++
	if l.head > len(l.unfolded)/2 {
		l.unfolded = append(l.unfolded[:0], l.unfolded[l.head:]...)
		l.head = 0
	}
	s := l.streams[key]
	before := len(s.snapshot)
	s.snapshot = l.fold(key, s.snapshot, s.events)
	dropped := 0
	for _, e := range s.events {
		dropped += len(e)
	}
	l.bytes.Add(int64(len(s.snapshot) - before - dropped))
	l.retained.Add(-int64(len(s.events)))
	l.folded.Add(int64(len(s.events)))
	s.events = nil
}

// Replay returns the snapshot of a stream and the events after it, and whether the stream exists.
func (l *Log) Replay(key string) (snapshot []byte, events [][]byte, ok bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	s := l.streams[key]
	if s == nil {
		return nil, nil, false
	}
	return s.snapshot, append([][]byte(nil), s.events...), true
}

// Keys returns the keys of all streams, in no order.
func (l *Log) Keys() []string {
	l.lock.Lock()
	defer l.lock.Unlock()
	keys := make([]string, 0, len(l.streams))
	for key := range l.streams {
		keys = append(keys, key)
	}
	return keys
}

// Limit is the number of events kept at most, 0 for all.
func (l *Log) Limit() int { return l.limit }

// Appended is the number of events ever appended. Like the other counts it may be read from any
// goroutine.
func (l *Log) Appended() int64 { return l.appended.Load() }

// Retained is the number of events that are still kept as events.
func (l *Log) Retained() int64 { return l.retained.Load() }

// Folded is the number of events that were folded into snapshots.
func (l *Log) Folded() int64 { return l.folded.Load() }

// Bytes is the size of the events and snapshots that are kept.
func (l *Log) Bytes() int64 { return l.bytes.Load() }
