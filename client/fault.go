package client

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
)

// String returns the fault's name in files and reports.
func (f Fault) String() string {
	switch f {
	case NoFault:
		return "none"
	case Refused:
		return "refused"
	case Reset:
		return "reset"
	case Malformed:
		return "malformed"
	case Timeout:
		return "timeout"
	case Cancelled:
		return "cancelled"
	case Generator:
		return "generator"
	case Unreachable:
		return "unreachable"
	}
	return "unknown"
}

// errnoFaults says whose fault an error number of the kernel is.
var errnoFaults = map[syscall.Errno]Fault{
	syscall.EADDRNOTAVAIL: Generator, // no client port left
	syscall.EMFILE:        Generator, // no descriptor left
	syscall.ENFILE:        Generator,
	syscall.ENOBUFS:       Generator,
	syscall.ENOMEM:        Generator,
	syscall.EAGAIN:        Generator, // connect: the port range is exhausted
	syscall.ECONNREFUSED:  Refused,
	syscall.ECONNRESET:    Reset,
	syscall.ECONNABORTED:  Reset,
	syscall.EPIPE:         Reset,
	syscall.ETIMEDOUT:     Timeout, // the kernel gave up: no answer to its packets
	syscall.EHOSTUNREACH:  Unreachable,
	syscall.ENETUNREACH:   Unreachable,
	syscall.ENETDOWN:      Unreachable,
	syscall.EHOSTDOWN:     Unreachable,
	syscall.EACCES:        Unreachable, // a local firewall
	syscall.EPERM:         Unreachable,
}

// faultOf classifies the error of an exchange. The end of the request's own time comes
// first, because closing the connection then causes all the other errors. What is left
// over came from reading the answer: it was not HTTP.
func faultOf(err error) Fault {
	if err == nil {
		return NoFault
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	if errors.Is(err, context.Canceled) {
		return Cancelled
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if f, known := errnoFaults[errno]; known {
			return f
		}
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return Unreachable
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return Timeout
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return Reset // closed before the whole answer had come
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return Unreachable
	}
	return Malformed
}
