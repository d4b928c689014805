package orderflow

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
)

// After Shutdown no goroutine of this package or of its servers is left, and the memory limit is as it was.
func TestShutdownLeavesNothing(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	for _, kind := range engines() {
		t.Run(string(kind), func(t *testing.T) {
			s := startShop(t, func(c *Config) {
				c.Engine, c.Replicas, c.MemoryLimit, c.OutboxTick = kind, 2, 1<<32, time.Millisecond
				c.Faults = Faults{Enabled: true, Plan: []Fault{{Kind: faultLeak, Bytes: 1, EachSec: true}, {Kind: faultPause, At: time.Hour}}}
			})
			p := s.product("s", 100)
			for range 20 {
				s.order(p, 1, 1)
			}
			s.client.CloseIdleConnections()
			if err := s.system.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.sagas(); got.Active != 0 || got.Started != 20 {
				t.Errorf("sagas after shutdown %+v, want 20 ended", got)
			}
			for _, stack := range strings.Split(allStacks(), "\n\n") {
				if strings.Contains(stack, "perfctl/orderflow") && !strings.Contains(stack, "testing.tRunner") {
					t.Errorf("left running:\n%s", stack)
				}
			}
			for name, addr := range s.system.Addrs() {
				if conn, err := net.Dial("tcp", addr); err == nil {
					conn.Close()
					t.Errorf("%s still listens on %s", name, addr)
				}
			}
			if got := debug.SetMemoryLimit(-1); got != limit {
				t.Errorf("memory limit %d after shutdown, want %d", got, limit)
			}
		})
	}
}

func allStacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// never is a payment service that answers only when told to.
type never struct{ release chan struct{} }

func (n never) pay(t engine.Turn, _ payment, done func(engine.Turn, outcome)) {
	go func() {
		<-n.release
		done(engine.Turn{}, outcome{})
	}()
}
func (n never) void(engine.Turn, string, func(engine.Turn, outcome)) {}

func TestShutdownWaitsForSagasAsLongAsItMay(t *testing.T) {
	s := startShop(t, nil)
	release := make(chan struct{})
	s.system.orders.cashier = never{release}
	s.order(s.product("s", 10), 1, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.client.CloseIdleConnections()
	err := s.system.shutdown(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 sagas were under way") {
		t.Errorf("error %v, want a deadline with 1 saga", err)
	}
	close(release)
	s.settle()
	s.system.engine.Close()
	s.system.closing.Do(func() {}) // what is left to the test's cleanup
	if got := s.sagas(); got.Completed != 1 {
		t.Errorf("sagas %+v, want the one completed", got)
	}
}

// A request whose body never comes is cut off at the deadline, and the error says so.
func TestShutdownCutsRequestsOff(t *testing.T) {
	s := startShop(t, nil)
	conn, err := net.Dial("tcp", s.system.Addrs()[Account])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /api/customers HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// The server asks for the body when the handler reads it, so then the request is under way.
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q, %v, want to be asked for the body", line, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = s.system.Shutdown(ctx)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "requests were under way") {
		t.Errorf("error %v, want one about requests under way", err)
	}
	if again := s.system.Shutdown(t.Context()); again != err {
		t.Errorf("a second shutdown says %v, want the same %v", again, err)
	}
	s.system.engine.Close()
	s.system.closed = nil // what is left to the test's cleanup
}

func TestAPortInUseIsNamed(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := Config{Addrs: map[string]string{Account: "127.0.0.1:0", Inventory: "127.0.0.1:0", Order: taken.Addr().String(), Payment: "127.0.0.1:0"}}
	_, err = Start(t.Context(), c)
	want := "the order service cannot listen on " + taken.Addr().String() + ": the port is in use; end the program that uses it or set another address"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	c.Addrs[Order] = "203.0.113.1:80" // not an address of this machine
	if _, err = Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "set another address") {
		t.Errorf("error %v, want one that says what to do", err)
	}
}

func TestCheckHealth(t *testing.T) {
	s := startShop(t, nil)
	url := "http://" + s.system.Addrs()[Order]
	for _, u := range []string{url, url + "/", url + "/actuator/health"} {
		if err := CheckHealth(t.Context(), u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	s.system.services[Order].ready.Store(false)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9") }))
	defer cut.Close()
	for u, want := range map[string]string{
		url:                  `503 Service Unavailable, status "DOWN"`,
		other.URL:            `404 Not Found, status ""`,
		"http://127.0.0.1:1": "is it started?",
		cut.URL:              "unexpected EOF",
		"::":                 "use a url such as http://127.0.0.1:8083",
	} {
		if err := CheckHealth(t.Context(), u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", u, err, want)
		}
	}
}
