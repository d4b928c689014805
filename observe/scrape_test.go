package observe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A script answers scrapes in a bubble of fake time, where there is no network.
type script func(r *http.Request) (status int, body string, err error)

func (s script) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body, err := s(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// scripted returns a scraper of two services whose answers are scripted.
func scripted(s script) (*Scraper, *collected) {
	var got collected
	sc := NewScraper([]Endpoint{{"order", "http://order/metrics"}, {"stock", "http://stock/metrics"}},
		time.Second, time.Now(), got.event)
	sc.client = &http.Client{Transport: s}
	return sc, &got
}

// steps answers the n-th scrape of each service with its n-th text; "" is a failure.
func steps(texts map[string][]string) script {
	at := map[string]int{}
	return func(r *http.Request) (int, string, error) {
		if r.Header.Get("Accept") != "text/plain;version=0.0.4" {
			return 406, "", nil
		}
		host := r.URL.Host
		text := texts[host][at[host]]
		at[host]++
		if text == "" {
			return 500, "", nil
		}
		return 200, text, nil
	}
}

// window scrapes once before, at the begin, once inside, and at the end.
func window(t *testing.T, texts map[string][]string, look func(*Scraper)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		lone := steps(texts)
		gate := make(chan struct{}, 1) // the script counts; scrapes of two services run at once
		s, _ := scripted(func(r *http.Request) (int, string, error) {
			gate <- struct{}{}
			defer func() { <-gate }()
			return lone(r)
		})
		for _, scrape := range []func(context.Context){
			func(ctx context.Context) { s.all(ctx) },
			s.Begin,
			func(ctx context.Context) { s.all(ctx) },
			s.End,
		} {
			scrape(t.Context())
			time.Sleep(time.Second) // fake time between scrapes
		}
		look(s)
	})
}

func TestDelta(t *testing.T) {
	idle := []string{"x 0", "x 0", "x 0", "x 0"}
	for _, c := range []struct {
		name         string
		order, stock []string
		metric       string
		labels       map[string]string
		want         float64
		known        bool
	}{
		{"one series", []string{"a 1", "a 10", "a 12", "a 15"}, idle, "a", nil, 5, true},
		{"both services", []string{"a 1", "a 10", "a 12", "a 15"}, []string{"a 0", "a 0", "a 1", "a 2"}, "a", nil, 7, true},
		{"one service", []string{"a 1", "a 10", "a 12", "a 15"}, []string{"a 0", "a 0", "a 1", "a 2"}, "a", map[string]string{"service": "stock"}, 2, true},
		{"label", []string{"a{k=\"1\"} 1", "a{k=\"1\"} 2\na{k=\"2\"} 1", "a{k=\"1\"} 2\na{k=\"2\"} 2", "a{k=\"1\"} 3\na{k=\"2\"} 9"}, idle, "a", map[string]string{"k": "2"}, 8, true},
		{"born in the window", []string{"x 0", "x 0", "a 3", "a 4"}, idle, "a", nil, 4, true},
		{"born at its end", []string{"x 0", "x 0", "x 0", "a 4"}, idle, "a", nil, 4, true},
		{"no change", []string{"a 4", "a 4", "a 4", "a 4"}, idle, "a", nil, 0, true},
		{"fell and grew beyond", []string{"a 1", "a 10", "a 2", "a 15"}, idle, "a", nil, 0, false},
		{"vanished at the end", []string{"a 1", "a 10", "a 12", "x 0"}, idle, "a", nil, 0, false},
		{"missing at the begin only", []string{"a 1", "x 0", "a 12", "a 15"}, idle, "a", nil, 0, false},
		{"missing in between", []string{"a 1", "a 10", "x 0", "a 15"}, idle, "a", nil, 5, true},
		{"failed in between", []string{"a 1", "a 10", "", "a 15"}, idle, "a", nil, 5, true},
		{"failed at the begin", []string{"a 1", "", "a 12", "a 15"}, idle, "a", nil, 0, false},
		{"failed at the end", []string{"a 1", "a 10", "a 12", ""}, idle, "a", nil, 0, false},
		{"the other failed", []string{"a 1", "a 10", "a 12", "a 15"}, []string{"x 0", "x 0", "x 0", ""}, "a", nil, 0, false},
		{"the other failed, not asked", []string{"a 1", "a 10", "a 12", "a 15"}, []string{"x 0", "x 0", "x 0", ""}, "a", map[string]string{"service": "order"}, 5, true},
		{"no number", []string{"a 1", "a 10", "a NaN", "a 15"}, idle, "a", nil, 0, false},
		{"no number at the begin", []string{"a 1", "a NaN", "a 10", "a 15"}, idle, "a", nil, 0, false},
		{"unknown name", idle, idle, "a", nil, 0, false},
		{"unknown service", idle, idle, "x", map[string]string{"service": "pay"}, 0, false},
		{"started anew", []string{"a 1\nprocess_start_time_seconds 100", "a 1\nprocess_start_time_seconds 100", "a 2\nprocess_start_time_seconds 200", "a 5\nprocess_start_time_seconds 200"}, idle, "a", nil, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			window(t, map[string][]string{"order": c.order, "stock": c.stock}, func(s *Scraper) {
				got, known := s.Delta(c.metric, c.labels)
				if got != c.want || known != c.known {
					t.Errorf("grew by %v, known %v; want %v, %v", got, known, c.want, c.known)
				}
			})
		})
	}
}

// TestGet reads from a real server.
func TestGet(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s", r.Header.Get("Accept"), r.Header.Get("Accept-Encoding"))
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 101)) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "50")
		io.WriteString(w, "a 1\n")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	s := NewScraper(nil, time.Minute, time.Now(), nil)
	defer s.Close()
	s.most = 100
	for path, want := range map[string]string{
		"/metrics": "text/plain;version=0.0.4|",
		"/long":    "answered more than 100 bytes",
		"/cut":     "unexpected EOF",
		"/none":    "answered 404 Not Found",
	} {
		text, err := s.get(t.Context(), server.URL+path)
		if got := fmt.Sprint(text, err); !strings.Contains(got, want) || (err == nil) != (path == "/metrics") {
			t.Errorf("%s: %s, want %q", path, got, want)
		}
	}
	if _, err := s.get(t.Context(), "http://%zz"); err == nil {
		t.Error("a URL that is none is accepted")
	}
}

func TestScrapesAreCountedAndFailuresAreEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, got := scripted(func(r *http.Request) (int, string, error) {
			if r.URL.Host == "stock" {
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			}
			return 200, "good 1\nbad\ngood 2\n", nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 12500*time.Millisecond)
		defer cancel()
		s.Run(ctx, 5*time.Second)
		want := []ScrapeCount{
			{Service: "order", Scrapes: 3, BadLines: 6, Worst: `line 2: bad: expected float as value, got ""`},
			{Service: "stock", Scrapes: 3, Failed: 3, Worst: `Get "http://stock/metrics": context deadline exceeded`},
		}
		if diff := cmp.Diff(want, s.Counts()); diff != "" {
			t.Error(diff)
		}
		if len(got.events) != 1 || got.events[0].Name != "stock" || got.events[0].Kind != "warning" || got.events[0].OffsetNS != 0 {
			t.Errorf("events %+v, want one warning of stock", got.events)
		}
	})
}

// TestDoubledSeriesIsBad: the first counts, in a histogram as elsewhere.
func TestDoubledSeriesIsBad(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf("# TYPE h histogram\nh_bucket{le=\"1.0\"} %d\nh_sum %d\nh_sum 0\nc{k=\"1\",l=\"2\"} %d\nc{l=\"2\",k=\"1\"} 0\n", n, n, n)
	}
	lines := []string{page(1), page(10), page(12), page(15)}
	window(t, map[string][]string{"order": lines, "stock": {"x 0", "x 0", "x 0", "x 0"}}, func(s *Scraper) {
		if got := s.Counts()[0]; got.BadLines != 8 || got.Failed != 0 {
			t.Errorf("%+v, want 8 bad lines", got)
		}
		for name, labels := range map[string]map[string]string{"h_bucket": {"le": "1.0"}, "h_sum": nil, "c": nil} {
			if grown, known := s.Delta(name, labels); grown != 5 || !known {
				t.Errorf("%s grew by %v, known %v; want 5", name, grown, known)
			}
		}
	})
}

// TestContentType takes the classic text, by its name or without one, and nothing else.
func TestContentType(t *testing.T) {
	for is, ok := range map[string]bool{
		"":                                       true,
		"text/plain":                             true,
		"text/plain; charset=utf-8":              true,
		"text/plain;version=0.0.4;charset=utf-8": true,
		"Text/Plain; version=\"0.0.4\"":          true,
		"text/plain; version=1.0.0":              false,
		"text/plain; version=2":                  false,
		"application/openmetrics-text":           false,
		"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited": false,
		"text/html": false,
		"text/":     false,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{is}
			if is == "" {
				w.Header()["Content-Type"] = nil
			}
			io.WriteString(w, "a 1\n")
		}))
		s := NewScraper(nil, time.Minute, time.Now(), nil)
		text, err := s.get(t.Context(), server.URL)
		s.Close()
		server.Close()
		if ok && (err != nil || text != "a 1\n") {
			t.Errorf("%q: %q, %v", is, text, err)
		}
		if !ok && (err == nil || !strings.Contains(err.Error(), server.URL+": the answer is "+fmt.Sprintf("%.100q", is)+", only Prometheus text is read")) {
			t.Errorf("%q: %v", is, err)
		}
	}
}

func TestFullStoreIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, got := scripted(func(*http.Request) (int, string, error) { return 200, "a 1\nb 1\n", nil })
		s.store.limit = 8 // one scrape of both services
		s.Begin(t.Context())
		if len(got.events) != 0 {
			t.Errorf("events %+v", got.events)
		}
		time.Sleep(time.Second)
		s.End(t.Context())
		if len(got.events) != 1 || !strings.Contains(got.events[0].Text, "8 samples of metrics are held") || s.store.dropped != 8 {
			t.Errorf("events %+v, %d dropped", got.events, s.store.dropped)
		}
		if _, known := s.Delta("a", nil); known {
			t.Error("a growth without its end is known")
		}
	})
}

// TestWriteOpenMetrics fixes the whole text, with two services, a histogram whose parts
// stay together at each time, a counter without _total, and a clash of names.
func TestWriteOpenMetrics(t *testing.T) {
	st := newStore(100)
	st.add("stock", 1700000000001, parseText("# TYPE a_total counter\n# HELP a_total Says \"a\" \\\\ b.\na_total{service=\"own\"} 1\n# TYPE hits counter\nhits 2\n# TYPE b_total counter\nb_total 1\n# TYPE b gauge\nb 5\n"))
	h := "# TYPE h histogram\nh_bucket{le=\"1\",p=\"x\"} 1\nh_bucket{le=\"+Inf\",p=\"x\"} 2\nh_sum{p=\"x\"} 3\nh_count{p=\"x\"} 2\n# TYPE m untyped\nm{v=\"a\\\"\\n\"} NaN\n"
	st.add("order", 1700000000050, parseText(h))
	st.add("order", 1700000005050, parseText(h))
	st.add("order", 1700000006000, parseText("# TYPE b counter\nb 1e21\n"))
	var b bytes.Buffer
	if err := st.write(&b); err != nil {
		t.Fatal(err)
	}
	want := `# TYPE a counter
# HELP a Says \"a\" \\ b.
a_total{exported_service="own",service="stock"} 1 1700000000.001
# TYPE b unknown
b{service="stock"} 5 1700000000.001
b{service="order"} 1e+21 1700000006.000
# TYPE b_total unknown
b_total{service="stock"} 1 1700000000.001
# TYPE h histogram
h_bucket{le="1",p="x",service="order"} 1 1700000000.050
h_bucket{le="+Inf",p="x",service="order"} 2 1700000000.050
h_sum{p="x",service="order"} 3 1700000000.050
h_count{p="x",service="order"} 2 1700000000.050
h_bucket{le="1",p="x",service="order"} 1 1700000005.050
h_bucket{le="+Inf",p="x",service="order"} 2 1700000005.050
h_sum{p="x",service="order"} 3 1700000005.050
h_count{p="x",service="order"} 2 1700000005.050
# TYPE hits unknown
hits{service="stock"} 2 1700000000.001
# TYPE m unknown
m{service="order",v="a\"\n"} NaN 1700000000.050
m{service="order",v="a\"\n"} NaN 1700000005.050
# EOF
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestPromtoolBackfills gives the document of two scrapes of each service to promtool,
// and reads the samples back from the blocks that it made.
func TestPromtoolBackfills(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if strings.Contains(os.Getenv("PERFCTL_REQUIRE"), "prometheus") {
			t.Fatal("promtool is required and not installed")
		}
		t.Skip("SKIPPED: promtool is not installed, so nothing shows that standard tools read metrics.om")
	}
	s, _ := scripted(func(r *http.Request) (int, string, error) {
		return 200, "# HELP a_total Says \"a\" \\\\ \\n b.\n# TYPE a_total counter\na_total{v=\"q\\\"\\\\\\n\"} 7\n" +
			"# TYPE hits counter\nhits 2.5\n# TYPE h histogram\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n" +
			"# TYPE q summary\nq{quantile=\"0.5\"} NaN\nq_sum 3\nq_count 2\n# TYPE g gauge\ng -Inf\n", nil
	})
	base := time.Date(2026, 11, 30, 10, 0, 0, 123e6, time.UTC)
	for i := range 2 {
		s.now = func() time.Time { return base.Add(time.Duration(i) * 5 * time.Second) }
		s.all(t.Context())
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "metrics.om")
	var b bytes.Buffer
	if err := s.WriteOpenMetrics(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	blocks := filepath.Join(dir, "blocks")
	if out, err := exec.Command(promtool, "tsdb", "create-blocks-from", "openmetrics", file, blocks).CombinedOutput(); err != nil {
		t.Fatalf("promtool: %v\n%s\n%s", err, out, b.String())
	}
	if err := os.Mkdir(filepath.Join(blocks, "wal"), 0o755); err != nil { // dump wants a whole database
		t.Fatal(err)
	}
	out, err := exec.Command(promtool, "tsdb", "dump", blocks).Output()
	if err != nil {
		t.Fatal(err)
	}
	// Two services, two scrapes, ten series and the two of the scrape itself.
	if n := strings.Count(strings.TrimSpace(string(out)), "\n") + 1; n != 2*2*12 {
		t.Errorf("%d samples came back, want 48:\n%s", n, out)
	}
	for _, want := range []string{
		`{__name__="a_total", service="order", v="q\"\\\n"} 7 1796032800123`,
		`{__name__="h_bucket", le="+Inf", service="stock"} 2 1796032805123`,
		`{__name__="up", service="stock"} 1 1796032805123`,
	} {
		if !strings.Contains(string(out), want+"\n") {
			t.Errorf("%s did not come back:\n%s", want, out)
		}
	}
}
