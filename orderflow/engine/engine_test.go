package engine

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type counts struct{ Tasks, Hops, Locks, Pending int64 }

func (s *Stats) counts() counts {
	return counts{s.Tasks.Load(), s.Hops.Load(), s.Locks.Load(), s.Pending.Load()}
}

func TestOneCallCountsItsHopsAndLocks(t *testing.T) {
	command := Task{Partition: 1, Run: func(int) {}, Publish: func(int) {}}
	query := Task{Partition: 1, Run: func(int) {}}
	for _, tt := range []struct {
		name string
		kind Kind
		task Task
		want counts
	}{
		// Three queues with a lock on each side, the registry twice, and the caller's channel.
		{"community command", Community, command, counts{Tasks: 1, Hops: 4, Locks: 8}},
		{"community query", Community, query, counts{Tasks: 1, Hops: 3, Locks: 6}},
		// The inbox and the caller's channel.
		{"tpc command", TPC, command, counts{Tasks: 1, Hops: 2}},
		{"tpc query", TPC, query, counts{Tasks: 1, Hops: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := New(tt.kind, 2, false)
			var stats Stats
			tt.task.Stats = &stats
			Call(e, tt.task)
			e.Close()
			if diff := cmp.Diff(tt.want, stats.counts()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAChainStaysOnItsLoop(t *testing.T) {
	for _, tt := range []struct {
		name       string
		kind       Kind
		partitions []int
		want       int64
	}{
		{"tpc, one loop", TPC, []int{0, 2, 4, 6, 8}, 1},
		{"tpc, loops in turn", TPC, []int{0, 1, 2, 3, 4}, 5},
		{"community", Community, []int{0, 2, 4, 6, 8}, 15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := New(tt.kind, 2, false)
			var stats Stats
			done := make(chan struct{})
			chain(e, &stats, Turn{}, tt.partitions, func() { close(done) })
			<-done
			e.Close()
			if got := stats.Hops.Load(); got != tt.want {
				t.Errorf("hops %d, want %d", got, tt.want)
			}
		})
	}
}

// Each partition has a plain counter: without one owner at a time the count would be short, and the
// race detector would say so.
func TestAPartitionHasOneOwner(t *testing.T) {
	for _, s := range setups() {
		t.Run(s.name, func(t *testing.T) {
			e := New(s.kind, 3, s.pin)
			var stats Stats
			counters := make([]int, Partitions)
			shards := make([]map[int]bool, Partitions)
			const callers, each = 8, 500
			var wait sync.WaitGroup
			for caller := range callers {
				wait.Go(func() {
					for i := range each {
						p := (caller + i) % 7
						Call(e, Task{Partition: p, Stats: &stats, Run: func(shard int) {
							counters[p]++
							if shards[p] == nil {
								shards[p] = map[int]bool{}
							}
							shards[p][shard] = true
						}})
					}
				})
			}
			wait.Wait()
			e.Close()
			total := 0
			for p, n := range counters {
				total += n
				if n > 0 && (len(shards[p]) != 1 || !shards[p][e.Shard(p)]) {
					t.Errorf("partition %d ran on shards %v, want only %d", p, shards[p], e.Shard(p))
				}
			}
			if total != callers*each {
				t.Errorf("ran %d tasks, want %d", total, callers*each)
			}
			if stats.Pending.Load() != 0 {
				t.Errorf("%d tasks pending after the last, want 0", stats.Pending.Load())
			}
		})
	}
}

func TestTasksOfAPartitionKeepTheirOrder(t *testing.T) {
	for _, s := range setups() {
		t.Run(s.name, func(t *testing.T) {
			e := New(s.kind, 2, s.pin)
			var stats Stats
			var ran, published, done []int
			const n = 1000
			end := make(chan struct{})
			for i := range n {
				e.Submit(Turn{}, Task{
					Partition: 5, Stats: &stats,
					Run:     func(int) { ran = append(ran, i) },
					Publish: func(int) { published = append(published, i) },
					Done: func(Turn) {
						done = append(done, i)
						if i == n-1 {
							close(end)
						}
					},
				})
			}
			<-end
			e.Close()
			want := make([]int, n)
			for i := range want {
				want[i] = i
			}
			for name, got := range map[string][]int{"run": ran, "publish": published, "done": done} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

func TestCloseRunsWhatIsQueued(t *testing.T) {
	for _, s := range setups() {
		t.Run(s.name, func(t *testing.T) {
			e := New(s.kind, 2, s.pin)
			var stats Stats
			var mu sync.Mutex
			done := 0
			for p := range 100 {
				e.Submit(Turn{}, Task{Partition: p, Stats: &stats, Run: func(int) {}, Publish: func(int) {}, Done: func(Turn) {
					mu.Lock()
					defer mu.Unlock()
					done++
				}})
			}
			e.Close()
			if done != 100 {
				t.Errorf("%d tasks done at close, want 100", done)
			}
		})
	}
}

// A queue that is never empty keeps no more than it holds, twice over, and its order.
func TestABusyQueueStaysSmall(t *testing.T) {
	q := newQueue()
	var stats Stats
	push := func(i int) { q.push(envelope{task: Task{Stats: &stats}, id: uint64(i)}) }
	for i := range 10 {
		push(i)
	}
	for i := range 10_000 {
		push(i + 10)
		if e, _ := q.pop(); e.id != uint64(i) {
			t.Fatalf("popped %d, want %d", e.id, i)
		}
	}
	if cap(q.items) > 64 {
		t.Errorf("room for %d items, want at most 64 for 10", cap(q.items))
	}
}

func TestAccessRunsOnTheShard(t *testing.T) {
	for _, s := range setups() {
		t.Run(s.name, func(t *testing.T) {
			e := New(s.kind, 2, s.pin)
			defer e.Close()
			var stats Stats
			ran := 0
			for shard := range e.Shards() {
				e.Access(shard, &stats, func() { ran++ })
			}
			if ran != e.Shards() {
				t.Errorf("access ran %d times, want %d", ran, e.Shards())
			}
		})
	}
}

func TestLocksAreCountedOnlyWhereMapsAreShared(t *testing.T) {
	got := map[Kind]int64{}
	for _, kind := range []Kind{Community, TPC} {
		e := New(kind, 1, false)
		var stats Stats
		lock := e.NewLock(&stats)
		for range 3 {
			guarded(lock, func() {})
		}
		e.Close()
		got[kind] = stats.Locks.Load()
	}
	if diff := cmp.Diff(map[Kind]int64{Community: 3, TPC: 0}, got); diff != "" {
		t.Error(diff)
	}
}

func guarded(lock sync.Locker, f func()) {
	lock.Lock()
	defer lock.Unlock()
	f()
}

func TestPartitionsAreSpread(t *testing.T) {
	seen := map[int]bool{}
	for _, key := range []string{"", "a", "b", "ord-1", "ord-2"} {
		p := PartitionOf(key)
		if p < 0 || p >= Partitions {
			t.Errorf("partition of %q is %d, want 0..%d", key, p, Partitions-1)
		}
		seen[p] = true
	}
	if len(seen) != 5 {
		t.Errorf("five keys fell on %d partitions, want 5", len(seen))
	}
}
