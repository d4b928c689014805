package orderflow

import (
	"net"
	"net/http"
	"sync"
)

// unused holds the connections that have not carried a request yet. http.Server.Shutdown waits five
// seconds for such a connection, and load generators open some ahead of need; so they are closed first.
type unused struct {
	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

// track is the ConnState hook of a server.
func (u *unused) track(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state != http.StateNew {
		delete(u.conns, c)
		return
	}
	if u.closed {
		_ = c.Close()
		return
	}
	u.conns[c] = true
}

func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for c := range u.conns {
		_ = c.Close()
	}
}
