package engine

import (
	"runtime"
	"sync/atomic"
	"testing"
)

type setup struct {
	name string
	kind Kind
	pin  bool
}

func setups() []setup {
	return []setup{{"community", Community, false}, {"tpc", TPC, false}, {"tpc-pinned", TPC, true}}
}

// BenchmarkCall measures one call from a request goroutine: alone, and with callers side by side.
func BenchmarkCall(b *testing.B) {
	for _, s := range setups() {
		b.Run(s.name+"/callers=1", func(b *testing.B) {
			call := calls(b, s)
			for b.Loop() {
				call()
			}
		})
		b.Run(s.name+"/callers=16", func(b *testing.B) {
			call := calls(b, s)
			b.SetParallelism(16 / min(16, runtime.GOMAXPROCS(0)))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					call()
				}
			})
		})
	}
}

// calls returns a function that makes one call, each to the next partition.
func calls(b *testing.B, s setup) func() {
	e := New(s.kind, runtime.GOMAXPROCS(0), s.pin)
	var stats Stats
	var next atomic.Int64
	b.Cleanup(func() {
		e.Close()
		b.ReportMetric(float64(stats.Hops.Load())/float64(stats.Tasks.Load()), "hops/op")
	})
	b.ReportAllocs()
	return func() {
		p := int(next.Add(1)) % Partitions
		Call(e, Task{Partition: p, Stats: &stats, Run: func(int) {}, Publish: func(int) {}})
	}
}

// BenchmarkChain measures a chain of five operations on five partitions, as a saga is one.
func BenchmarkChain(b *testing.B) {
	for _, s := range setups() {
		b.Run(s.name, func(b *testing.B) {
			e := New(s.kind, runtime.GOMAXPROCS(0), s.pin)
			defer e.Close()
			var stats Stats
			done := make(chan struct{}, 1)
			for b.Loop() {
				chain(e, &stats, Turn{}, []int{0, 1, 3, 4, 6}, func() { done <- struct{}{} })
				<-done
			}
			b.ReportMetric(float64(stats.Hops.Load())/float64(b.N), "hops/op")
		})
	}
}

// chain runs one task on each of the partitions in turn, then calls end.
func chain(e Engine, stats *Stats, from Turn, partitions []int, end func()) {
	if len(partitions) == 0 {
		end()
		return
	}
	e.Submit(from, Task{
		Partition: partitions[0], Stats: stats, Run: func(int) {}, Publish: func(int) {},
		Done: func(t Turn) { chain(e, stats, t, partitions[1:], end) },
	})
}
