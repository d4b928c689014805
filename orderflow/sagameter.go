package orderflow

import (
	"sync/atomic"
	"time"

	"github.com/perfctl/perfctl/orderflow/meter"
)

// sagaMeter counts sagas. At rest started = completed + compensated + failed + timed out + active; active is
// counted by itself.
type sagaMeter struct {
	started  *meter.Counter
	ended    map[string]*meter.Counter // by final state
	active   atomic.Int64
	duration *meter.Histogram
	steps    map[string]*meter.Histogram
}

func newSagaMeter(r *meter.Registry) *sagaMeter {
	m := &sagaMeter{
		started: r.Counter("saga_started_total", "Sagas started."),
		ended: map[string]*meter.Counter{
			sagaIsCompleted: r.Counter("saga_completed_total", "Sagas whose order was confirmed."),
			sagaIsUndone:    r.Counter("saga_compensated_total", "Sagas that were refused a step and undid the others."),
			sagaIsFailed:    r.Counter("saga_failed_total", "Sagas that could not undo their steps."),
			sagaIsTimedOut:  r.Counter("saga_timedout_total", "Sagas that had no answer in time and undid their steps."),
		},
		duration: r.Histogram("saga_duration_seconds", "Time from the start of a saga to its end.", durationBounds()),
		steps:    make(map[string]*meter.Histogram),
	}
	r.GaugeFunc("sagas_active_count", "Sagas under way.", func() float64 { return float64(m.active.Load()) })
	for _, step := range []string{"reserve", "pay", "void", "release"} {
		m.steps[step] = r.Histogram("saga_step_duration_seconds", "Time from a command of a saga to its outcome.",
			durationBounds(), meter.Label{Name: "step", Value: step})
	}
	return m
}

func (m *sagaMeter) begin() {
	m.started.Add(1)
	m.active.Add(1)
}

func (m *sagaMeter) end(s saga) {
	m.duration.Observe(time.Since(s.Started))
	m.ended[s.State].Add(1)
	m.active.Add(-1)
}
