package orderflow

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perfctl/perfctl/orderflow/meter"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// durationBounds returns the bucket bounds of all durations: 100 us to 10 s.
func durationBounds() []time.Duration {
	const ms = time.Millisecond
	return []time.Duration{
		ms / 10, ms / 4, ms / 2, ms, 5 * ms / 2, 5 * ms, 10 * ms, 25 * ms, 50 * ms, 100 * ms, 250 * ms, 500 * ms,
		1000 * ms, 2500 * ms, 5000 * ms, 10000 * ms,
	}
}

// registerMetrics exposes what every service counts.
func (s *service) registerMetrics() {
	r := s.registry
	s.submitted = r.Counter("eventsourcing_events_submitted_total", "Events submitted by commands.")
	s.written = r.Counter("outbox_entries_written_total", "Entries written to the outbox.")
	counter := func(name, help string, n *atomic.Int64) {
		r.CounterFunc(name, help, func() float64 { return float64(n.Load()) })
	}
	counter("engine_tasks_total", "Operations submitted to the engine.", &s.stats.Tasks)
	counter("engine_hops_total", "Crossings of a queue between two goroutines.", &s.stats.Hops)
	counter("engine_lock_acquisitions_total", "Lock acquisitions on queues and shared maps.", &s.stats.Locks)
	r.GaugeFunc("eventsourcing_pending_completions", "Operations submitted and not yet done.",
		func() float64 { return float64(s.stats.Pending.Load()) })
	r.CounterFunc("outbox_entries_delivered_total", "Entries delivered to all subscribers.",
		sumOf(s.outboxes, (*outbox.Outbox).DeliveredCount))
	r.CounterFunc("outbox_entries_scanned_total", "Entries looked at to find the pending ones.",
		sumOf(s.outboxes, (*outbox.Outbox).Scanned))
	r.GaugeFunc("outbox_entries", "Entries that the outbox keeps, delivered ones included.",
		sumOf(s.outboxes, (*outbox.Outbox).Len))
}

// requestMeter measures the requests to one path, by method and status.
type requestMeter struct {
	registry *meter.Registry
	uri      string
	mu       sync.RWMutex
	series   map[requestKey]*meter.Histogram
}

type requestKey struct {
	method string
	status int
}

func newRequestMeter(r *meter.Registry, uri string) *requestMeter {
	return &requestMeter{registry: r, uri: uri, series: make(map[requestKey]*meter.Histogram)}
}

func (m *requestMeter) observe(method string, status int, took time.Duration) {
	key := requestKey{knownMethod(method), status}
	m.mu.RLock()
	h := m.series[key]
	m.mu.RUnlock()
	if h == nil {
		h = m.add(key)
	}
	h.Observe(took)
}

func (m *requestMeter) add(key requestKey) *meter.Histogram {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.series[key]; h != nil {
		return h
	}
	h := m.registry.Histogram("http_server_requests_seconds", "Time to answer a request.", durationBounds(),
		meter.Label{Name: "method", Value: key.method},
		meter.Label{Name: "outcome", Value: outcomeOf(key.status)},
		meter.Label{Name: "status", Value: strconv.Itoa(key.status)},
		meter.Label{Name: "uri", Value: m.uri})
	m.series[key] = h
	return h
}

// knownMethod keeps the number of series bounded whatever a client sends.
func knownMethod(method string) string {
	switch method {
	case "GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "OTHER"
}

func outcomeOf(status int) string {
	switch status / 100 {
	case 2:
		return "SUCCESS"
	case 4:
		return "CLIENT_ERROR"
	default:
		return "SERVER_ERROR"
	}
}
