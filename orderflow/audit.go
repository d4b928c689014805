package orderflow

import (
	"context"
	"net/http"
	"sync"

	"github.com/perfctl/perfctl/orderflow/meter"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// audit is the projection that the outboxes of the other services feed: how many events of each
// type each of them has published. An entry that is delivered twice counts twice.
type audit struct {
	registry *meter.Registry
	mu       sync.Mutex
	counts   map[auditKey]*meter.Counter
}

type auditKey struct{ source, event string }

func newAudit(r *meter.Registry) *audit {
	return &audit{registry: r, counts: make(map[auditKey]*meter.Counter)}
}

// deliver counts the entries.
func (a *audit) deliver(_ context.Context, source string, entries []outbox.Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range entries {
		key := auditKey{source, e.Type}
		c := a.counts[key]
		if c == nil {
			c = a.registry.Counter("audit_events_total", "Events received from the outboxes of other services.",
				meter.Label{Name: "source", Value: source}, meter.Label{Name: "event", Value: e.Type})
			a.counts[key] = c
		}
		c.Add(1)
	}
	return nil
}

// count is the number of events of a type that a source has published to this service.
func (a *audit) count(source string, t eventType) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.counts[auditKey{source, string(t)}]; c != nil {
		return c.Value()
	}
	return 0
}

// delivery is the body of a delivery over HTTP.
type delivery struct {
	Source  string         `json:"source"`
	Entries []outbox.Entry `json:"entries"`
}

func (a *audit) post(w http.ResponseWriter, r *http.Request) reply {
	var in delivery
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	if err := oneOf("source", in.Source, Services()...); err != nil {
		return badRequest(err.Error())
	}
	for _, e := range in.Entries {
		if !eventType(e.Type).known() {
			return badRequest("no service writes events of the type " + e.Type)
		}
	}
	_ = a.deliver(r.Context(), in.Source, in.Entries) // counting cannot fail
	return reply{http.StatusOK, map[string]int{"accepted": len(in.Entries)}}
}
