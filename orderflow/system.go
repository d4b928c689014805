package orderflow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// System is a running orderflow: some or all of its services in this process.
type System struct {
	engine     engine.Engine
	services   map[string]*service
	parts      map[string]part
	publishers map[string]*outbox.Publisher
	remotes    map[string]*remote
	orders     *orders // nil when it does not run here
	faults     *faults
	listeners  map[string]net.Listener
	servers    []*http.Server
	unused     unused
	serving    sync.WaitGroup
	publish    sync.WaitGroup
	stop       context.CancelFunc // ends the publishers

	previousLimit int64 // memory limit to go back to; 0 when it was left alone
	closing       sync.Once
	closed        error
}

// Start starts the services of a configuration. When it returns they listen and are healthy; they run
// until Shutdown. The context bounds the start only.
func Start(ctx context.Context, c Config) (*System, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("orderflow configuration: %w", err)
	}
	c = c.withDefaults()
	listeners, err := listen(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &System{
		services: make(map[string]*service), parts: make(map[string]part),
		publishers: make(map[string]*outbox.Publisher), remotes: make(map[string]*remote),
		listeners: listeners, unused: unused{conns: make(map[net.Conn]bool)}, faults: newFaults(c.Faults.Enabled),
	}
	if c.MemoryLimit > 0 {
		s.previousLimit = debug.SetMemoryLimit(c.MemoryLimit)
	}
	s.engine = engine.New(c.Engine, c.Loops, c.Pin)
	for name, base := range c.Peers {
		s.remotes[name] = newRemote(name, strings.TrimSuffix(base, "/"), c.StepTimeout)
	}
	s.build(c)
	s.serve()
	s.startPublishers(c)
	s.faults.run(c.Faults.Plan)
	for _, svc := range s.services {
		svc.ready.Store(true)
	}
	return s, nil
}

// listen opens all ports, or none.
func listen(ctx context.Context, c Config) (map[string]net.Listener, error) {
	listeners := make(map[string]net.Listener)
	for _, name := range c.Services {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addrs[name])
		if err == nil {
			listeners[name] = l
			continue
		}
		for _, open := range listeners {
			_ = open.Close() // nothing was served yet
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("the %s service cannot listen on %s: the port is in use; "+
				"end the program that uses it or set another address: %w", name, c.Addrs[name], err)
		}
		return nil, fmt.Errorf("the %s service cannot listen on %s; set another address: %w", name, c.Addrs[name], err)
	}
	return listeners, nil
}

// build makes the services: those that others call before those that call them.
func (s *System) build(c Config) {
	started := time.Now()
	for _, name := range c.Services {
		s.services[name] = newService(name, s.engine, c)
		registerProcess(s.services[name].registry, started)
	}
	var st stock = s.remotes[Inventory]
	var ca cashier = s.remotes[Payment]
	if svc := s.services[Account]; svc != nil {
		s.parts[Account] = newAccounts(svc, c)
	}
	if svc := s.services[Inventory]; svc != nil {
		i := newInventory(svc, c)
		s.parts[Inventory], s.faults.inventory, st = i, i, i
	}
	if svc := s.services[Payment]; svc != nil {
		p := newPayments(svc, c)
		s.parts[Payment], ca = p, p
	}
	if svc := s.services[Order]; svc != nil {
		s.orders = newOrders(svc, c, st, ca)
		s.parts[Order], s.faults.orders = s.orders, s.orders
	}
}

func (s *System) serve() {
	for name, l := range s.listeners {
		svc, p := s.services[name], s.parts[name]
		server := &http.Server{
			Handler:           svc.handler(append(p.endpoints(), svc.actuator(p, s.faults)...), s.faults),
			ReadHeaderTimeout: 10 * time.Second,
			IdleTimeout:       2 * time.Minute,
			ConnState:         s.unused.track,
		}
		s.servers = append(s.servers, server)
		s.serving.Go(func() { _ = server.Serve(l) }) // ends with ErrServerClosed
	}
}

// startPublishers runs one publisher per service; each tells all other services.
func (s *System) startPublishers(c Config) {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	for name, svc := range s.services {
		var others []subscriber
		for other, to := range s.services {
			if other != name {
				others = append(others, to.audit)
			}
		}
		for _, to := range s.remotes {
			others = append(others, to)
		}
		p := svc.publisher(c.OutboxTick, others)
		s.publishers[name] = p
		s.publish.Go(func() { p.Run(ctx) })
	}
}

// Addrs returns the address on which each service listens.
func (s *System) Addrs() map[string]string {
	addrs := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(s.listeners)) {
		addrs[name] = s.listeners[name].Addr().String()
	}
	return addrs
}

// Shutdown reports the services as down, ends the requests and sagas under way, and then everything that
// Start started. When the context ends first, it closes the connections and returns the context's
// error; requests and sagas that are still under way keep the engine they need.
func (s *System) Shutdown(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.shutdown(ctx) })
	return s.closed
}

func (s *System) shutdown(ctx context.Context) error {
	for _, svc := range s.services {
		svc.ready.Store(false)
	}
	s.unused.close()
	var problems []error
	for _, server := range s.servers {
		if err := server.Shutdown(ctx); err != nil {
			problems = append(problems, fmt.Errorf("requests were under way: %w", err), server.Close())
		}
	}
	s.serving.Wait()
	s.faults.close()
	s.stop()
	s.publish.Wait()
	if s.previousLimit > 0 {
		debug.SetMemoryLimit(s.previousLimit)
	}
	if err := s.drain(ctx); err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	s.engine.Close()
	for _, p := range s.parts {
		problems = append(problems, p.close())
	}
	return errors.Join(problems...)
}

// drain waits until every saga and every call to a peer has ended.
func (s *System) drain(ctx context.Context) error {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if s.orders != nil {
			s.orders.active.Wait()
		}
		for _, r := range s.remotes {
			r.close()
		}
	}()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		left := int64(0)
		if s.orders != nil {
			left = s.orders.sagas.active.Load()
		}
		return fmt.Errorf("shut down orderflow: %d sagas were under way: %w", left, ctx.Err())
	}
}
