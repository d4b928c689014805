package orderflow

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/perfctl/perfctl/orderflow/meter"
)

// registerProcess exposes the Go runtime and the process. Services that share a process expose the
// same values: the pid in /actuator/info tells them apart.
func registerProcess(r *meter.Registry, started time.Time) {
	sample := func(name string) func() float64 {
		return func() float64 {
			s := []metrics.Sample{{Name: name}}
			metrics.Read(s)
			if s[0].Value.Kind() == metrics.KindFloat64 {
				return s[0].Value.Float64()
			}
			return float64(s[0].Value.Uint64())
		}
	}
	r.GaugeFunc("go_goroutines", "Goroutines.", func() float64 { return float64(runtime.NumGoroutine()) })
	r.GaugeFunc("go_memstats_heap_alloc_bytes", "Bytes of heap objects, reachable or not yet collected.",
		sample("/memory/classes/heap/objects:bytes"))
	r.GaugeFunc("go_gc_gomemlimit_bytes", "Soft memory limit of the runtime.", sample("/gc/gomemlimit:bytes"))
	r.CounterFunc("go_memstats_alloc_bytes_total", "Bytes ever allocated on the heap.", sample("/gc/heap/allocs:bytes"))
	r.CounterFunc("go_gc_cycles_total", "Completed collection cycles.", sample("/gc/cycles/total:gc-cycles"))
	r.CounterFunc("go_cpu_classes_gc_total_cpu_seconds_total", "Processor time of the collector, as of its last cycle.",
		sample("/cpu/classes/gc/total:cpu-seconds"))
	r.CounterFunc("go_cpu_classes_total_cpu_seconds_total", "Processor time available, as of the collector's last cycle.",
		sample("/cpu/classes/total:cpu-seconds"))
	r.SummaryFunc("go_gc_duration_seconds", "Pauses of the collector that stop the program.", func() (float64, uint64) {
		var stats debug.GCStats
		debug.ReadGCStats(&stats)
		return stats.PauseTotal.Seconds(), uint64(stats.NumGC)
	})
	r.GaugeFunc("process_start_time_seconds", "Start of the services since the epoch.",
		func() float64 { return float64(started.UnixMilli()) / 1000 })
	registerKernel(r)
}
