// Package client answers: how is one HTTP request sent, and what exactly
// happened to it?
//
// An [Engine] is asynchronous: Send never blocks, and the callback tells when the
// request was written and when the last byte of its answer arrived. So the one who
// paces never waits for the one who answers, and an engine that owns a goroutine
// for each request can be replaced by one that owns an event loop.
package client

import "time"

// A Request is one HTTP exchange, ready to be sent. It is not changed after Send.
type Request struct {
	Method  string
	URL     string // absolute, http or https
	Header  []Header
	Body    []byte
	Timeout time.Duration // from the send; 0 means none
}

// Header is one request header field.
type Header struct{ Name, Value string }

// Fault says why there is no complete answer.
type Fault uint8

// The faults. Timeout is a censored value: the answer would have taken longer.
// Generator faults are the client machine's own (no ports, no descriptors, no memory).
const (
	NoFault Fault = iota
	Refused
	Reset
	Malformed
	Timeout
	Cancelled
	Generator
	Unreachable // name not resolved, no route
)

// A Response is what happened to one request. Sent and Done are monotonic; Sent is
// taken when the engine begins the exchange (a dial that is needed belongs to it).
type Response struct {
	Sent, Done time.Time
	Status     int    // 0 when Fault is set
	Body       []byte // valid during the callback only
	Truncated  bool   // the body was longer than the engine keeps
	Bytes      int64  // body bytes received
	Reused     bool   // an open connection was used
	Remote     string // host:port that answered
	Replica    string // value of the X-Replica header, if any
	Fault      Fault
	Err        error // the cause when Fault is set
}

// An Engine sends requests. Send must not block and must call done exactly once,
// from any goroutine.
type Engine interface {
	Send(r *Request, done func(*Response))
	Stats() Stats
	Close()
}

// Stats counts what the engine did since its start.
type Stats struct {
	Dialed int64 // connections opened
	Open   int64 // connections open now
}
