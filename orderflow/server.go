package orderflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxBody = 1 << 20
	maxID   = 128
)

// endpoint is one method of one path.
type endpoint struct {
	method, pattern string
	handle          func(http.ResponseWriter, *http.Request) reply
}

// reply is a status and a body, which is written as JSON.
type reply struct {
	status int
	body   any
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func refuse(status int, code, message string) reply { return reply{status, problem{code, message}} }

func badRequest(message string) reply { return refuse(http.StatusBadRequest, "BAD_REQUEST", message) }

func notFound(kind, id string) reply {
	return refuse(http.StatusNotFound, "NOT_FOUND", "no "+kind+" has the id "+id)
}

// readJSON reads the body of a request into a value, or returns the reply that says why it cannot.
func readJSON(w http.ResponseWriter, r *http.Request, into any) (reply, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, "TOO_LARGE", fmt.Sprintf("the body is over %d bytes", maxBody)), false
	}
	if err != nil {
		return badRequest("the body ended early: " + err.Error()), false
	}
	if err := json.Unmarshal(body, into); err != nil {
		return badRequest("the body is not the JSON that was expected: " + err.Error()), false
	}
	return reply{}, true
}

// handler serves the endpoints: JSON throughout, also for unknown paths and methods. Each request passes the faults
// first and is measured.
func (s *service) handler(endpoints []endpoint, f *faults) http.Handler {
	paths := map[string]map[string]endpoint{}
	for _, e := range endpoints {
		if paths[e.pattern] == nil {
			paths[e.pattern] = map[string]endpoint{}
		}
		paths[e.pattern][e.method] = e
	}
	mux := http.NewServeMux()
	for pattern, methods := range paths {
		mux.Handle(pattern, s.measured(pattern, f, oneMethod(methods)))
	}
	mux.Handle("/", s.measured("UNKNOWN", f, func(_ http.ResponseWriter, r *http.Request) reply {
		return refuse(http.StatusNotFound, "NOT_FOUND", "no path "+r.URL.Path)
	}))
	return mux
}

func oneMethod(methods map[string]endpoint) func(http.ResponseWriter, *http.Request) reply {
	var allowed []string
	for m := range methods {
		allowed = append(allowed, m)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	return func(w http.ResponseWriter, r *http.Request) reply {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		e, ok := methods[method]
		if !ok {
			w.Header().Set("Allow", allow)
			return refuse(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "use "+allow)
		}
		return e.handle(w, r)
	}
}

func (s *service) measured(uri string, f *faults, handle func(http.ResponseWriter, *http.Request) reply) http.Handler {
	requests := newRequestMeter(s.registry, uri)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		f.pass(r.Context())
		out := handle(w, r)
		requests.observe(r.Method, out.status, time.Since(start))
		write(w, out)
	})
}

// text is a body that is not JSON.
type text struct{ contentType, body string }

// write sends a reply. A client that is gone cannot be told.
func write(w http.ResponseWriter, out reply) {
	if t, ok := out.body.(text); ok {
		w.Header().Set("Content-Type", t.contentType)
		w.WriteHeader(out.status)
		_, _ = io.WriteString(w, t.body)
		return
	}
	body, err := json.Marshal(out.body)
	if err != nil {
		out.status, body = http.StatusInternalServerError, []byte(`{"code":"INTERNAL","message":"the reply could not be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(out.status)
	_, _ = w.Write(body)
}
