package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Real servers on loopback that misbehave in one way each.
func TestFaultsOfRealServers(t *testing.T) {
	answering := func(bytes string) func(net.Conn) {
		return func(c net.Conn) {
			readRequest(bufio.NewReader(c))
			io.WriteString(c, bytes)
		}
	}
	tests := []struct {
		name   string
		handle func(net.Conn)
		want   Fault
	}{
		{"accepts and closes", func(net.Conn) {}, Reset},
		{"reads and closes", answering(""), Reset},
		{"resets", func(c net.Conn) {
			readRequest(bufio.NewReader(c))
			c.(*net.TCPConn).SetLinger(0)
		}, Reset},
		{"resets in the body", func(c net.Conn) {
			in := bufio.NewReader(c)
			readRequest(in)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			c.(*net.TCPConn).SetLinger(0)
		}, Reset},
		{"short body", answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), Reset},
		{"short chunk", answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf"), Reset},
		{"ends in the head", answering("HTTP/1.1 200 OK\r\n"), Reset},
		{"not HTTP", answering("220 smtp.example ESMTP\r\n\r\n"), Malformed},
		{"garbage status", answering("HTTP/1.1 twohundred OK\r\n\r\n"), Malformed},
		{"garbage header", answering("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"), Malformed},
		{"ends in a header line", answering("HTTP/1.1 200 OK\r\nContent-Le"), Malformed},
		{"garbage length", answering("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), Malformed},
		{"garbage chunk", answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), Malformed},
		{"header too large", answering("HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", maxHeaderBytes) + "\r\n\r\n"), Malformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(open(t, Options{}), &Request{URL: serve(t, tt.handle), Timeout: time.Minute})
			if got.Fault != tt.want || got.Err == nil || got.Status != 0 || got.Body != nil || got.Done.Before(got.Sent) {
				t.Errorf("fault %v, want %v: %+v", got.Fault, tt.want, got)
			}
		})
	}
}

// The timeout covers the dial, the head and the last byte of the body.
func TestTimeout(t *testing.T) {
	const timeout = 20 * time.Millisecond
	for name, head := range map[string]string{
		"silent":    "",
		"slow body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
		"endless":   "HTTP/1.1 200 OK\r\n\r\nhalf",
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(c net.Conn) {
				in := bufio.NewReader(c)
				readRequest(in)
				io.WriteString(c, head)
				io.Copy(io.Discard, in) // until the client hangs up
			})
			got := ask(open(t, Options{}), &Request{URL: url, Timeout: timeout})
			if waited := got.Done.Sub(got.Sent); got.Fault != Timeout || waited < timeout || got.Status != 0 {
				t.Errorf("fault %v after %v: %v", got.Fault, waited, got.Err)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	tests := []struct {
		name string
		r    Request
		want Fault
	}{
		{"nobody listens", Request{URL: "http://" + address}, Refused},
		{"no such name", Request{URL: "http://perfctl.invalid"}, Unreachable},
		{"no port", Request{URL: "http://127.0.0.1:99999"}, Unreachable},
		{"no scheme", Request{URL: "localhost/x"}, Generator},
		{"no host", Request{URL: "http://"}, Generator},
		{"not an address", Request{URL: "http://user:secret@[::1"}, Generator},
		{"method", Request{URL: "http://" + address, Method: "GET /"}, Generator},
		{"header name", Request{URL: "http://" + address, Header: []Header{{"a b", "1"}}}, Generator},
		{"header value", Request{URL: "http://" + address, Header: []Header{{"a", "1\r\nb: 2"}}}, Generator},
	}
	e := open(t, Options{})
	for _, tt := range tests {
		tt.r.Timeout = time.Minute
		got := ask(e, &tt.r)
		if got.Fault != tt.want || got.Err == nil || !got.Done.After(got.Sent) {
			t.Errorf("%s: fault %v, want %v: %v", tt.name, got.Fault, tt.want, got.Err)
		}
		if strings.Contains(fmt.Sprint(got.Err), "secret") {
			t.Errorf("%s: the password is in the error: %v", tt.name, got.Err)
		}
	}
	if got := e.Stats(); got != (Stats{}) {
		t.Errorf("%+v", got)
	}
}

// Faults that a test cannot provoke safely, as the errors that net makes of them.
func TestFaultOf(t *testing.T) {
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	}
	tests := []struct {
		err  error
		want Fault
	}{
		{nil, NoFault},
		{dial(syscall.EADDRNOTAVAIL), Generator},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}, Generator},
		{dial(syscall.ENFILE), Generator},
		{dial(syscall.ENOBUFS), Generator},
		{dial(syscall.ETIMEDOUT), Timeout},
		{dial(syscall.EHOSTUNREACH), Unreachable},
		{dial(syscall.ENETUNREACH), Unreachable},
		{dial(syscall.EPERM), Unreachable},
		{dial(errors.New("odd")), Unreachable},
		{&net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, Reset},
		{os.ErrDeadlineExceeded, Timeout},
		{errors.New("odd"), Malformed},
	}
	for _, tt := range tests {
		if got := faultOf(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}

// net/http has errors of its own for a connection that it found closed. Before the first
// byte of an answer they are no malformed answer.
func TestFaultDependsOnWhatWasSeen(t *testing.T) {
	odd := errors.New("http: server closed idle connection")
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name            string
		ctx             context.Context
		connected, byte bool
		want            Fault
	}{
		{"no connection", t.Context(), false, false, Malformed}, // TLS
		{"no byte", t.Context(), true, false, Reset},
		{"a byte", t.Context(), true, true, Malformed},
		{"cancelled", cancelled, true, true, Cancelled},
	} {
		var s sight
		if tt.connected {
			s.conn.Conn = here
		}
		s.answer.Store(tt.byte)
		if got := s.fault(tt.ctx, odd); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestConnectionIsCountedOutOnce(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	var open atomic.Int64
	open.Store(5)
	c := &countedConn{Conn: here, open: &open}
	c.Close()
	c.Close()
	if open.Load() != 4 {
		t.Errorf("%d open of 5 after one was closed twice", open.Load())
	}
}

func TestFaultNames(t *testing.T) {
	want := []string{"none", "refused", "reset", "malformed", "timeout", "cancelled", "generator", "unreachable", "unknown"}
	for f, name := range want {
		if got := Fault(f).String(); got != name {
			t.Errorf("fault %d is %q, want %q", f, got, name)
		}
	}
}
