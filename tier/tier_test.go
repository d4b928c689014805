package tier

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/scenario"
)

func TestSelect(t *testing.T) {
	const doc = `{"s": "fast", "n": 9007199254740993, "f": 0.50, "t": true, "z": null, "list": [1, 2], "o": {"a": "<b>"}}`
	for _, c := range []struct{ name, body, path, want, err string }{
		{name: "text", body: doc, path: "$.s", want: "fast"},
		{name: "a number beyond float64", body: doc, path: "$.n", want: "9007199254740993"},
		{name: "a number as written", body: doc, path: "$.f", want: "0.50"},
		{name: "word", body: doc, path: "$.t", want: "true"},
		{name: "null", body: doc, path: "$.z", want: "null"},
		{name: "list", body: doc, path: "$.list", want: "[1,2]"},
		{name: "object", body: doc, path: "$.o", want: `{"a":"<b>"}`},
		{name: "nothing", body: doc, path: "$.gone", err: "$.gone selects 0 values, want 1"},
		{name: "several", body: doc, path: "$.list[*]", err: "selects 2 values, want 1"},
		{name: "no path", body: doc, path: "s", err: "s is no JSONPath"},
		{name: "no JSON", body: "<html>", path: "$.s", err: "the answer is no JSON"},
		{name: "two values", body: doc + doc, path: "$.s", err: "more than one JSON value"},
		{name: "empty", body: "", path: "$.s", err: "the answer is no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Select([]byte(c.body), c.path)
			if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %v; want %q, %q", got, err, c.want, c.err)
			}
		})
	}
}

// FuzzSelect: whatever the answer is, there is a value or an error.
func FuzzSelect(f *testing.F) {
	f.Add(`{"a": [1, {"b": "c"}]}`, "$.a[1].b")
	f.Add(`[1e400]`, "$[0]")
	f.Add(``, "$..*")
	f.Fuzz(func(t *testing.T, body, path string) {
		if v, err := Select([]byte(body), path); err != nil && v != "" {
			t.Errorf("%q and %v", v, err)
		}
	})
}

// A script answers requests in a bubble of fake time, where there is no network.
type script func(r *http.Request) (status int, body string, err error)

func (s script) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body, err := s(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func TestWaitReady(t *testing.T) {
	services := []Service{{"order", "http://o", "/health"}, {"stock", "http://s", "/health"}}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		client := &http.Client{Transport: script(func(r *http.Request) (int, string, error) {
			switch at := time.Since(start); {
			case r.URL.Host == "o" && at < time.Second:
				return 0, "", errors.New("refused")
			case r.URL.Host == "s" && at < 3*time.Second:
				return 503, "starting", nil
			}
			return 200, "", nil
		})}
		if err := WaitReady(t.Context(), client, services, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 3*time.Second || took > 3*time.Second+lastPoll {
			t.Errorf("ready after %v, want the first poll after 3s", took)
		}
	})
}

// TestWaitReadyWantsAllAtOnce has a service that is ready only from 0 to 1 s and from 5 s.
func TestWaitReadyWantsAllAtOnce(t *testing.T) {
	services := []Service{{"order", "http://o", "/health"}, {"stock", "http://s", "/health"}}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		client := &http.Client{Transport: script(func(r *http.Request) (int, string, error) {
			at := time.Since(start)
			if r.URL.Host == "o" && at >= time.Second && at < 5*time.Second || r.URL.Host == "s" && at < 2*time.Second {
				return 503, "not now", nil
			}
			return 200, "", nil
		})}
		if err := WaitReady(t.Context(), client, services, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 5*time.Second || took > 5*time.Second+lastPoll {
			t.Errorf("ready after %v, want the first poll after 5s", took)
		}
	})
}

func TestWaitReadyTellsWhatIsNot(t *testing.T) {
	services := []Service{{"order", "http://o", "/health"}, {"stock", "http://s", "/health"}, {"slow", "http://w", "/health"}, {"pay", "http://p", "/health"}}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		client := &http.Client{Transport: script(func(r *http.Request) (int, string, error) {
			switch r.URL.Host {
			case "o":
				return 503, "no\n  database", nil
			case "s":
				return 0, "", errors.New("refused")
			case "w":
				<-r.Context().Done() // never answers
				return 0, "", r.Context().Err()
			}
			return 200, "", nil
		})}
		err := WaitReady(t.Context(), client, services, 30*time.Second)
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("gave up after %v, want 30s", took)
		}
		late, ok := errors.AsType[*NotReady](err)
		if !ok {
			t.Fatalf("error %v", err)
		}
		want := &NotReady{After: 30 * time.Second, Services: services[:3], Last: []string{
			"answered 503 no database",
			`Get "http://s/health": refused`,
			`Get "http://w/health": context deadline exceeded`,
		}}
		if diff := cmp.Diff(want, late); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(err.Error(), "not ready after 30s:\n  service order at http://o/health: answered 503") {
			t.Errorf("error %v", err)
		}
	})
}

func TestWaitReadyEndsWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("a program has ended")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		client := &http.Client{Transport: script(func(*http.Request) (int, string, error) { return 500, "", nil })}
		start := time.Now()
		err := WaitReady(ctx, client, []Service{{"order", "http://o", "/health"}}, time.Hour)
		if err != why || time.Since(start) != time.Second {
			t.Errorf("%v after %v, want the cause after 1s", err, time.Since(start))
		}
	})
}

// TestProbeReadsEachDocumentOnce counts requests, and checks that secrets are masked.
func TestProbeReadsEachDocumentOnce(t *testing.T) {
	requests := 0
	client := &http.Client{Transport: script(func(r *http.Request) (int, string, error) {
		requests++
		return 200, `{"a": "1", "b": "hunter2"}`, nil
	})}
	probe := func(path, equals string) scenario.Probe {
		return scenario.Probe{Service: "order", GetPath: "/info", Path: path, Equals: equals}
	}
	sc := &scenario.Scenario{Secrets: []string{"hunter2"}, Variants: []scenario.Variant{
		{Name: "x", Verify: []scenario.Probe{probe("$.a", "1"), probe("$.b", "hunter2")}},
		{Name: "y", Verify: []scenario.Probe{probe("$.a", "2"), probe("$.c", "3")}},
	}}
	base := map[string]string{"order": "http://o"}
	asked, observed, missed := Probe(t.Context(), client, base, sc, &sc.Variants[0])
	if requests != 1 || len(asked) != 2 || len(observed) != 3 || len(missed) != 0 {
		t.Errorf("%d requests, asked %v, observed %v, missed %v", requests, asked, observed, missed)
	}
	if strings.Contains(asked[1].Value+observed[1].Value, "hunter2") || asked[1].Value == "" {
		t.Errorf("a secret is shown: %v %v", asked[1], observed[1])
	}
	if !strings.Contains(observed[2].Proof, "not observed: $.c selects 0 values") || strings.Contains(observed[2].Proof, "hunter2") {
		t.Errorf("proof %q", observed[2].Proof)
	}
	_, _, missed = Probe(t.Context(), client, base, sc, &sc.Variants[1])
	if len(missed) != 2 || missed[0].String() != `order $.a: asked "2", observed "1" (GET order:/info $.a)` {
		t.Errorf("missed %v", missed)
	}
}

func TestExitInWords(t *testing.T) {
	for _, c := range []struct {
		exit Exit
		want string
	}{
		{Exit{Program: "order", PID: 7, Code: 3, Log: []string{"a", "b"}}, "program order (pid 7) ended with exit code 3\n    | a\n    | b"},
		{Exit{Program: "order", PID: 7, Code: -1, Signal: "killed"}, "program order (pid 7) was ended by a signal: killed\n    its log is empty"},
	} {
		if got := c.exit.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
