package eventlog

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// join is a fold whose result shows every event once and in order.
func join(_ string, snapshot []byte, events [][]byte) []byte {
	return append(slices.Clone(snapshot), bytes.Join(events, nil)...)
}

// With any limit, snapshot and events together are the history; without one there is no snapshot.
func TestNoHistoryIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 8).Draw(t, "limit")
		l := New(limit, join, &sync.Mutex{})
		history := map[string][]byte{}
		for i := range rapid.IntRange(0, 80).Draw(t, "appends") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
			var events [][]byte
			for j := range rapid.IntRange(1, 3).Draw(t, "events") {
				e := fmt.Appendf(nil, "<%d.%d>", i, j)
				events = append(events, e)
				history[key] = append(history[key], e...)
			}
			l.Append(key, events...)
			if limit > 0 && l.Retained() > int64(limit) {
				t.Fatalf("%d events kept, the limit is %d", l.Retained(), limit)
			}
		}
		if l.Retained()+l.Folded() != l.Appended() {
			t.Errorf("retained %d + folded %d is not appended %d", l.Retained(), l.Folded(), l.Appended())
		}
		got, size := map[string][]byte{}, 0
		for _, key := range l.Keys() {
			snapshot, events, ok := l.Replay(key)
			if !ok || (limit == 0 && snapshot != nil) {
				t.Errorf("stream %s: found %v, snapshot %q with limit %d", key, ok, snapshot, limit)
			}
			got[key] = join(key, snapshot, events)
			size += len(got[key])
		}
		if diff := cmp.Diff(history, got); diff != "" {
			t.Error(diff)
		}
		if l.Bytes() != int64(size) {
			t.Errorf("%d bytes, want %d", l.Bytes(), size)
		}
	})
}

func TestTheOldestStreamIsFoldedFirst(t *testing.T) {
	l := New(2, join, &sync.Mutex{})
	l.Append("a", []byte("1"))
	l.Append("b", []byte("2"))
	l.Append("c", []byte("3"))
	type state struct{ A, B, C int }
	count := func(key string) int { _, events, _ := l.Replay(key); return len(events) }
	if diff := cmp.Diff(state{0, 1, 1}, state{count("a"), count("b"), count("c")}); diff != "" {
		t.Error(diff)
	}
}

func TestReplayOfAnUnknownStream(t *testing.T) {
	if _, _, ok := New(0, nil, &sync.Mutex{}).Replay("none"); ok {
		t.Error("a stream that was never written exists")
	}
}
