package load

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
)

// urlWorkload sends the same request each time.
type urlWorkload struct {
	fakeWorkload
	url string
}

func (w urlWorkload) Arrival(i int64) Exchange {
	return Exchange{Index: i, Completion: -1, Request: &client.Request{URL: w.url, Timeout: 10 * time.Second}}
}

// The real pacer, the real engine and a real server, on the real clock: what is
// accounted for is what the server received. No time is asserted.
func TestLoopback(t *testing.T) {
	var received atomic.Int64
	var r *Runner
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if live := r.Live(); live.Done > live.Sent || live.Sent > live.Scheduled {
			t.Errorf("%+v", live)
		}
		if received.Add(1)%10 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	e := client.NewHTTP(client.Options{MaxConns: 100})
	defer e.Close()
	sink := new(ledgerSink)
	var err error
	r, err = New(urlWorkload{url: srv.URL}, e, Options{
		Schedule: arrival.Constant(rate(t, "500/s")), Measure: 300 * time.Millisecond,
		Drain: 10 * time.Second, MaxInFlight: 100, Slowest: 5,
	}, sink)
	if err != nil {
		t.Fatal(err)
	}
	totals, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[Outcome]int64{OK: 135, System: 15}, totals.Outcomes["order"]); diff != "" || received.Load() != 150 {
		t.Errorf("%d received: %s", received.Load(), diff)
	}
	if len(totals.Slowest) != 5 || totals.Lateness.TotalCount() != 150 || totals.Engine.Dialed == 0 || totals.Clamped != 0 {
		t.Errorf("%+v", totals)
	}
}

// BenchmarkLoop is the cost of one arrival in the loop itself: pacing, the ledger and
// the sink, with an engine that answers at once.
func BenchmarkLoop(b *testing.B) {
	o := options(b, "1000000/s", time.Duration(b.N)*time.Microsecond)
	o.MaxInFlight, o.Sleeper, o.Slowest = 1000, nil, 100
	b.ReportAllocs()
	totals, err := Run(b.Context(), fakeWorkload{}, echo{}, o, discard{})
	if err != nil || totals.Sent != int64(b.N) {
		b.Fatalf("sent %d of %d: %v", totals.Sent, b.N, err)
	}
}

type echo struct{}

func (echo) Send(_ *client.Request, done func(*client.Response)) {
	now := time.Now()
	done(&client.Response{Sent: now, Done: now, Status: 200})
}
func (echo) Stats() client.Stats { return client.Stats{} }
func (echo) Close()              {}

type discard struct{}

func (discard) Second(Second) error               { return nil }
func (discard) Completion(CompletionRecord) error { return nil }

// BenchmarkLoopback runs the whole generator at 2,000/s against a server in the same
// process and reports its lateness.
func BenchmarkLoopback(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	e := client.NewHTTP(client.Options{MaxConns: 1000})
	defer e.Close()
	o := options(b, "2000/s", time.Duration(b.N)*500*time.Microsecond)
	o.MaxInFlight, o.Sleeper, o.Slowest = 1000, nil, 100
	totals, err := Run(b.Context(), urlWorkload{url: srv.URL}, e, o, discard{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(totals.Lateness.ValueAtPercentile(50))/1e3, "late-p50-us")
	b.ReportMetric(float64(totals.Lateness.ValueAtPercentile(99))/1e3, "late-p99-us")
}
