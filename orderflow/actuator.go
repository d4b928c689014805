package orderflow

import (
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/perfctl/perfctl/orderflow/outbox"
)

// part is what the system asks of each service.
type part interface {
	endpoints() []endpoint
	settings() map[string]any
	close() error
}

// actuator returns the endpoints that each service has besides its API.
func (s *service) actuator(p part, f *faults) []endpoint {
	return []endpoint{
		{http.MethodGet, "/actuator/health", s.getHealth},
		{http.MethodGet, "/actuator/prometheus", s.getPrometheus},
		{http.MethodGet, "/actuator/info", func(http.ResponseWriter, *http.Request) reply {
			return reply{http.StatusOK, map[string]any{"service": s.name, "pid": os.Getpid(), "settings": s.settings(p, f)}}
		}},
		{http.MethodPost, "/actuator/fault", f.post},
		{http.MethodPost, "/internal/events", s.audit.post},
	}
}

func (s *service) getHealth(http.ResponseWriter, *http.Request) reply {
	if !s.ready.Load() {
		return reply{http.StatusServiceUnavailable, map[string]string{"status": "DOWN"}}
	}
	return reply{http.StatusOK, map[string]string{"status": "UP"}}
}

func (s *service) getPrometheus(http.ResponseWriter, *http.Request) reply {
	var body strings.Builder
	if err := s.registry.WriteText(&body); err != nil {
		return refuse(http.StatusInternalServerError, "INTERNAL", err.Error())
	}
	return reply{http.StatusOK, text{"text/plain; version=0.0.4; charset=utf-8", body.String()}}
}

// settings asks the running parts what they are, so that a setting that did not reach them shows.
func (s *service) settings(p part, f *faults) map[string]any {
	settings := map[string]any{
		"engine":          s.engine.Kind(),
		"shards":          s.engine.Shards(),
		"pinned_loops":    s.engine.Pinned(),
		"outbox":          outboxKind(s.outboxes),
		"faults":          f.enabled,
		"faults_injected": f.injected.Load(),
		"leaked_bytes":    f.leakedBytes(),
		"memory_limit":    debug.SetMemoryLimit(-1),
		"gomaxprocs":      runtime.GOMAXPROCS(0),
	}
	for name, value := range p.settings() {
		settings[name] = value
	}
	return settings
}

func outboxKind(list []*outbox.Outbox) outbox.Kind { return list[0].Kind() }
