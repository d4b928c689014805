package client

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// fullListener returns the address of a socket whose queue of connections is full, so
// that the kernel leaves further ones without an answer.
func fullListener(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 10 {
		c, err := net.DialTimeout("tcp", address, 50*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Skip("the kernel takes connections beyond the queue")
	return ""
}

// A dial that is never answered lasts as long as the request may, and is no 0 ms sample.
func TestTimeoutCoversTheDial(t *testing.T) {
	const timeout = 20 * time.Millisecond
	got := ask(open(t, Options{}), &Request{URL: "http://" + fullListener(t), Timeout: timeout})
	if waited := got.Done.Sub(got.Sent); got.Fault != Timeout || waited < timeout {
		t.Errorf("fault %v after %v: %v", got.Fault, waited, got.Err)
	}
}

// Without a free descriptor the fault is the generator's own.
func TestNoDescriptorLeft(t *testing.T) {
	url := serve(t, func(net.Conn) {})
	next, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	limit := uint64(next.Fd())
	next.Close()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	e := open(t, Options{})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	got := ask(e, &Request{URL: url, Timeout: time.Minute})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if got.Fault != Generator {
		t.Errorf("fault %v: %v", got.Fault, got.Err)
	}
}
