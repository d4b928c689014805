package client

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// open returns an engine that is closed at the end of the test.
func open(t testing.TB, o Options) Engine {
	t.Helper()
	e := NewHTTP(o)
	t.Cleanup(e.Close)
	return e
}

// ask sends one request and waits. The body is copied, because it dies with the callback.
func ask(e Engine, r *Request) Response {
	got := make(chan Response, 1)
	e.Send(r, func(resp *Response) {
		c := *resp
		c.Body = bytes.Clone(resp.Body)
		got <- c
	})
	return <-got
}

// serve accepts connections on loopback and hands each to handle, which owns it.
func serve(t testing.TB, handle func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		conns.Wait()
	})
	return "http://" + l.Addr().String()
}

// readRequest reads one request with its body, false at the end of the connection.
func readRequest(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

func TestExchange(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Replica", "pod-2")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL, r.Header["X-A"], body)
	}))
	defer srv.Close()
	e := open(t, Options{MaxConns: 1})
	for i, reused := range []bool{false, true} {
		got := ask(e, &Request{
			Method: "POST", URL: srv.URL + "/orders?x=1", Body: []byte("{}"), Timeout: time.Minute,
			Header: []Header{{"x-a", "1"}, {"X-A", "2"}},
		})
		if got.Done.Before(got.Sent) {
			t.Errorf("done %v before sent %v", got.Done, got.Sent)
		}
		got.Sent, got.Done = time.Time{}, time.Time{}
		want := Response{
			Status: 201, Body: []byte("POST /orders?x=1 [1 2] {}"), Bytes: 25, Reused: reused,
			Remote: strings.TrimPrefix(srv.URL, "http://"), Replica: "pod-2",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("exchange %d: %s", i, diff)
		}
	}
	if got := e.Stats(); got != (Stats{Dialed: 1, Open: 1}) {
		t.Errorf("%+v", got)
	}
	e.Close()
	if got := e.Stats(); got != (Stats{Dialed: 1, Open: 0}) {
		t.Errorf("after Close: %+v", got)
	}
	if got := ask(e, &Request{URL: srv.URL}); got.Fault != Cancelled || got.Err != errClosed {
		t.Errorf("after Close: %v, %v", got.Fault, got.Err)
	}
}

// What goes over the wire, byte for byte.
func TestWire(t *testing.T) {
	requests := make(chan string, 1)
	url := serve(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		n, _ := c.Read(buf) // one write of the client's
		requests <- string(buf[:n])
		io.WriteString(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	})
	host := strings.TrimPrefix(url, "http://")
	tests := []struct {
		name string
		r    Request
		want string
	}{
		{"no method, no body", Request{}, "GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\n\r\n"},
		{"head", Request{Method: "HEAD"}, "HEAD / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\n\r\n"},
		{"body with the head in one write", Request{Method: "POST", Body: []byte("abc")},
			"POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\nContent-Length: 3\r\n\r\nabc"},
		{"post without a body", Request{Method: "POST"},
			"POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\nContent-Length: 0\r\n\r\n"},
		{"own host and agent", Request{Header: []Header{{"host", "shop"}, {"user-agent", "me"}}},
			"GET / HTTP/1.1\r\nHost: shop\r\nUser-Agent: me\r\n\r\n"},
		{"idempotency", Request{Method: "POST", Header: []Header{{"Idempotency-Key", "7"}}},
			"POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\nContent-Length: 0\r\nidempotency-key: 7\r\n\r\n"},
		{"framing is the engine's", Request{Header: []Header{{"Content-Length", "9"}, {"Connection", "close"}}},
			"GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\nConnection: close\r\n\r\n"},
		{"asked for compression", Request{Header: []Header{{"Accept-Encoding", "gzip"}}},
			"GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: perfctl\r\nAccept-Encoding: gzip\r\n\r\n"},
	}
	e := open(t, Options{MaxConns: 4})
	for _, tt := range tests {
		tt.r.URL = url
		if got := ask(e, &tt.r); got.Fault != NoFault || got.Status != 204 {
			t.Errorf("%s: %v, %v", tt.name, got.Fault, got.Err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(tt.want, "HOST", host), <-requests); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestNoRedirectNoDecompression(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "not really")
	}))
	defer srv.Close()
	e := open(t, Options{})
	if got := ask(e, &Request{URL: srv.URL + "/moved"}); got.Status != 302 {
		t.Errorf("status %d", got.Status)
	}
	if got := ask(e, &Request{URL: srv.URL}); string(got.Body) != "not really" {
		t.Errorf("%q, %v", got.Body, got.Err)
	}
}

func TestBodyLimit(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("x", len(r.URL.Path)-1))
	}))
	defer srv.Close()
	e := open(t, Options{MaxConns: 1, BodyLimit: 10})
	for _, tt := range []struct {
		size, kept int
		truncated  bool
	}{{0, 0, false}, {9, 9, false}, {10, 10, false}, {11, 10, true}, {5000, 10, true}} {
		got := ask(e, &Request{URL: srv.URL + "/" + strings.Repeat("p", tt.size)})
		if len(got.Body) != tt.kept || got.Truncated != tt.truncated || got.Bytes != int64(tt.size) {
			t.Errorf("%d bytes: kept %d, truncated %v, counted %d", tt.size, len(got.Body), got.Truncated, got.Bytes)
		}
	}
	if dialed := e.Stats().Dialed; dialed != 1 {
		t.Errorf("%d connections: a long body must not cost one", dialed)
	}
}

// A kept connection that the server closes under a request fails that arrival. It is
// never sent a second time, whatever its method.
func TestNeverSentTwice(t *testing.T) {
	for _, r := range []Request{
		{Method: "GET"}, {Method: "HEAD"}, {Method: "OPTIONS"}, {Method: "PUT", Body: []byte("x")}, {Method: "DELETE"},
		{Method: "POST", Header: []Header{{"Idempotency-Key", "7"}}},
		{Method: "POST", Header: []Header{{"x-idempotency-key", "7"}}, Body: []byte("x")},
		{Method: "GET", Body: []byte("x")},
	} {
		var received atomic.Int64
		url := serve(t, func(c net.Conn) {
			in := bufio.NewReader(c)
			for n := 0; readRequest(in); n++ {
				if received.Add(1) > 1 {
					return // the second on any connection: read, and closed without an answer
				}
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			}
		})
		e := open(t, Options{MaxConns: 1})
		r.URL, r.Timeout = url, time.Minute
		if got := ask(e, &r); got.Fault != NoFault {
			t.Fatalf("%s: first: %v", r.Method, got.Err)
		}
		got := ask(e, &r)
		if got.Fault != Reset || !got.Reused || got.Status != 0 {
			t.Errorf("%s %v: fault %v, reused %v: %v", r.Method, r.Header, got.Fault, got.Reused, got.Err)
		}
		if n := received.Load(); n != 2 {
			t.Errorf("%s %v: 2 requests sent, %d received", r.Method, r.Header, n)
		}
	}
}

// A system whose answers never come does not hold Send, nor one that is asked at once.
func TestSendDoesNotBlock(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer srv.Close()
	e := open(t, Options{MaxConns: 2})
	var answered sync.WaitGroup
	for range 50 {
		answered.Add(1)
		e.Send(&Request{URL: srv.URL}, func(r *Response) {
			if r.Fault != NoFault {
				t.Error(r.Err)
			}
			answered.Done()
		})
	}
	close(release)
	answered.Wait()
}

func TestCloseCancelsWhatIsInFlight(t *testing.T) {
	asked := make(chan struct{})
	url := serve(t, func(c net.Conn) {
		readRequest(bufio.NewReader(c))
		close(asked)
		io.Copy(io.Discard, c) // until the client hangs up
	})
	e := NewHTTP(Options{})
	got := make(chan Fault, 1)
	e.Send(&Request{URL: url}, func(r *Response) { got <- r.Fault })
	<-asked
	e.Close()
	e.Close() // twice is harmless
	if f := <-got; f != Cancelled {
		t.Errorf("fault %v", f)
	}
}

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it reports the client's refusal
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	if got := ask(open(t, Options{TLS: &tls.Config{RootCAs: roots}}), &Request{URL: srv.URL}); string(got.Body) != "HTTP/1.1" {
		t.Errorf("%q, %v", got.Body, got.Err)
	}
	if got := ask(open(t, Options{}), &Request{URL: srv.URL}); got.Fault != Malformed {
		t.Errorf("unknown certificate: %v, %v", got.Fault, got.Err)
	}
}

func BenchmarkHTTP(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer srv.Close()
	e := open(b, Options{MaxConns: 16})
	r := &Request{URL: srv.URL, Timeout: 10 * time.Second}
	free := make(chan struct{}, 16)
	b.ReportAllocs()
	for b.Loop() {
		free <- struct{}{}
		e.Send(r, func(*Response) { <-free })
	}
}
