package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure an engine.
type Options struct {
	MaxConns  int         // open connections kept for the next request: the in-flight limit
	BodyLimit int         // bytes of each body that are kept; 0 means 1 MiB
	TLS       *tls.Config // nil means the system's certificates
}

const (
	defaultBodyLimit = 1 << 20
	maxHeaderBytes   = 1 << 20
	idleTimeout      = 90 * time.Second
	// A dial outlives the request that asked for it, and may serve the next one, but not for ever.
	dialTimeout = 30 * time.Second
)

// NewHTTP returns an engine over net/http: HTTP/1.1, connections kept open, no
// redirects, no compression that was not asked for, no proxy, no second try. Each
// request in flight holds one goroutine; those that are free are used again.
func NewHTTP(o Options) Engine {
	if o.BodyLimit <= 0 {
		o.BodyLimit = defaultBodyLimit
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &httpEngine{options: o, ctx: ctx, cancel: cancel}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	e.transport = &http.Transport{
		DialContext:            e.dial,
		TLSClientConfig:        o.TLS,
		TLSHandshakeTimeout:    dialTimeout,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    max(o.MaxConns, 1),
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		Protocols:              protocols,
	}
	return e
}

type httpEngine struct {
	options   Options
	transport *http.Transport
	dialer    net.Dialer
	ctx       context.Context
	cancel    context.CancelFunc

	dialed, open atomic.Int64

	mu      sync.Mutex
	parked  []*worker // last in, first out: the warmest stack first
	closed  bool
	working sync.WaitGroup
}

// A job is one call of Send.
type job struct {
	request *Request
	done    func(*Response)
}

// A worker is one goroutine with the buffer that it reads bodies into.
type worker struct {
	engine *httpEngine
	jobs   chan job
	body   []byte
}

func (e *httpEngine) Send(r *Request, done func(*Response)) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		now := time.Now()
		done(&Response{Sent: now, Done: now, Fault: Cancelled, Err: errClosed})
		return
	}
	if n := len(e.parked); n > 0 {
		w := e.parked[n-1]
		e.parked = e.parked[:n-1]
		e.mu.Unlock()
		w.jobs <- job{r, done} // has room for one: a parked worker has none
		return
	}
	w := &worker{engine: e, jobs: make(chan job, 1)}
	e.working.Go(w.run)
	e.mu.Unlock()
	w.jobs <- job{r, done}
}

var errClosed = errors.New("the engine is closed")

func (w *worker) run() {
	for j := range w.jobs {
		j.done(w.engine.exchange(j.request, &w.body))
		if !w.engine.park(w) {
			return
		}
	}
}

func (e *httpEngine) park(w *worker) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.parked) >= max(e.options.MaxConns, 1) {
		return false
	}
	e.parked = append(e.parked, w)
	return true
}

// exchange sends one request and reads its whole answer.
func (e *httpEngine) exchange(r *Request, buffer *[]byte) *Response {
	resp := &Response{Sent: time.Now()}
	req, err := build(r)
	if err != nil {
		resp.Done, resp.Fault, resp.Err = time.Now(), Generator, err
		return resp
	}
	ctx, cancel := e.ctx, context.CancelFunc(func() {})
	if r.Timeout > 0 {
		ctx, cancel = context.WithDeadline(ctx, resp.Sent.Add(r.Timeout))
	}
	defer cancel()
	var seen sight
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(info httptrace.GotConnInfo) { seen.conn = info },
		GotFirstResponseByte: func() { seen.answer.Store(true) },
	})
	reply, err := e.transport.RoundTrip(req.WithContext(ctx))
	if err == nil {
		resp.Status = reply.StatusCode
		resp.Replica = reply.Header.Get("X-Replica")
		err = e.read(reply, resp, buffer)
	}
	resp.Done = time.Now()
	if seen.conn.Conn != nil {
		resp.Reused = seen.conn.Reused
		resp.Remote = seen.conn.Conn.RemoteAddr().String()
	}
	if err != nil {
		resp.Status, resp.Body, resp.Err = 0, nil, err
		resp.Fault = seen.fault(ctx, err)
	}
	return resp
}

// sight is what the trace of one exchange saw. The first byte is seen on the
// connection's own goroutine.
type sight struct {
	conn   httptrace.GotConnInfo
	answer atomic.Bool
}

// fault refines faultOf by what was seen: once the request's time is over, every error
// comes from that; and a connection that ended before the first byte sent no answer
// that could be malformed.
func (s *sight) fault(ctx context.Context, err error) Fault {
	if ctx.Err() != nil {
		return faultOf(ctx.Err())
	}
	f := faultOf(err)
	if f == Malformed && s.conn.Conn != nil && !s.answer.Load() {
		return Reset
	}
	return f
}

// read takes the whole body, so that the connection can be used again, and keeps as
// much of it as the limit allows.
func (e *httpEngine) read(reply *http.Response, resp *Response, buffer *[]byte) error {
	defer reply.Body.Close()
	if reply.StatusCode == http.StatusSwitchingProtocols {
		return nil // what follows is no body and has no end
	}
	body := (*buffer)[:0]
	for len(body) < e.options.BodyLimit {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := reply.Body.Read(body[len(body):min(cap(body), e.options.BodyLimit)])
		body = body[:len(body)+n]
		if err != nil {
			*buffer, resp.Body, resp.Bytes = body, body, int64(len(body))
			if err == io.EOF {
				err = nil
			}
			return err
		}
	}
	more, err := io.Copy(io.Discard, reply.Body)
	*buffer, resp.Body, resp.Bytes = body, body, int64(len(body))+more
	resp.Truncated = more > 0
	return err
}

func (e *httpEngine) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := e.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	e.dialed.Add(1)
	e.open.Add(1)
	return &countedConn{Conn: c, open: &e.open}, nil
}

// countedConn counts itself out when it is closed, however often that is.
type countedConn struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func (e *httpEngine) Stats() Stats {
	return Stats{Dialed: e.dialed.Load(), Open: e.open.Load()}
}

// Close cancels what is in flight and waits until its callbacks have returned.
func (e *httpEngine) Close() {
	e.mu.Lock()
	wasClosed := e.closed
	e.closed = true
	parked := e.parked
	e.parked = nil
	e.mu.Unlock()
	if !wasClosed {
		e.cancel()
		for _, w := range parked {
			close(w.jobs)
		}
	}
	e.working.Wait()
	e.transport.CloseIdleConnections()
}
