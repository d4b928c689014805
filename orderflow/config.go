package orderflow

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
	"github.com/perfctl/perfctl/orderflow/view"
)

// The services.
const (
	Account   = "account"
	Inventory = "inventory"
	Order     = "order"
	Payment   = "payment"
)

// Services returns the names of all services, in the order of their ports.
func Services() []string { return []string{Account, Inventory, Order, Payment} }

// Clustering says what the replicas of the order service share.
type Clustering string

// The ways of clustering.
const (
	Private Clustering = "private" // each replica knows only the orders it accepted
	Shared  Clustering = "shared"  // all replicas share the orders and sagas
)

// Config is what a system is started with. The zero value of each field is its default.
type Config struct {
	Engine     engine.Kind // "" is community
	Store      view.Kind   // "" is heap
	Outbox     outbox.Kind // "" is indexed
	Replicas   int         // of the order service; 0 is 1
	Clustering Clustering  // "" is private

	// Loops is the number of workers per stage (community) or event loops (tpc); 0 is GOMAXPROCS.
	Loops int
	// Pin locks each event loop of the tpc engine to a thread and binds it to a processor.
	Pin bool
	// EventStoreLimit bounds the events that each kind of aggregate keeps; 0 keeps all.
	EventStoreLimit int
	// MemoryLimit is the soft memory limit of the process in bytes, as GOMEMLIMIT; 0 leaves it alone.
	MemoryLimit int64

	OutboxTick      time.Duration // 0 is 100 ms
	OutboxRetention time.Duration // how long delivered entries are kept; 0 is 60 s
	StepTimeout     time.Duration // of one saga step over HTTP; 0 is 5 s

	// Faults allows faults: on command, and those of Plan at their time.
	Faults Faults

	// Services are those that run in this process; none is all four.
	Services []string
	// Addrs are the listen addresses by service, host:port; a missing one is 127.0.0.1:8081 to 8084.
	Addrs map[string]string
	// Peers are the base URLs of services that run elsewhere.
	Peers map[string]string
}

// DefaultConfig returns the configuration with every default filled in.
func DefaultConfig() Config { return Config{}.withDefaults() }

func (c Config) withDefaults() Config {
	setDefault(&c.Engine, engine.Community)
	setDefault(&c.Store, view.Heap)
	setDefault(&c.Outbox, outbox.Indexed)
	setDefault(&c.Replicas, 1)
	setDefault(&c.Clustering, Private)
	setDefault(&c.Loops, runtime.GOMAXPROCS(0))
	setDefault(&c.OutboxTick, 100*time.Millisecond)
	setDefault(&c.OutboxRetention, time.Minute)
	setDefault(&c.StepTimeout, 5*time.Second)
	if len(c.Services) == 0 {
		c.Services = Services()
	}
	addrs := map[string]string{
		Account: "127.0.0.1:8081", Inventory: "127.0.0.1:8082", Order: "127.0.0.1:8083", Payment: "127.0.0.1:8084",
	}
	maps.Copy(addrs, c.Addrs)
	c.Addrs = addrs
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate returns every problem of the configuration, each with what to do about it.
func (c Config) Validate() error {
	c = c.withDefaults()
	return errors.Join(
		oneOf("engine", c.Engine, engine.Community, engine.TPC),
		oneOf("store", c.Store, view.Heap, view.OffHeap),
		oneOf("outbox", c.Outbox, outbox.Scan, outbox.Indexed),
		oneOf("clustering", c.Clustering, Private, Shared),
		between("replicas", c.Replicas, 1, 64),
		between("loops", c.Loops, 1, 256),
		c.checkPin(),
		c.checkEventStoreLimit(),
		atLeast("memory limit", c.MemoryLimit, 0, "in bytes; 0 leaves the limit alone"),
		atLeast("outbox tick", c.OutboxTick, time.Millisecond, "for example 100ms"),
		atLeast("outbox retention", c.OutboxRetention, 0, "for example 60s"),
		atLeast("step timeout", c.StepTimeout, time.Millisecond, "for example 5s"),
		c.checkServices(),
		c.checkAddrs(),
		c.checkPeers(),
		c.Faults.validate(c.Replicas),
	)
}

func oneOf[T ~string](name string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	var names []string
	for _, a := range allowed {
		names = append(names, string(a))
	}
	return fmt.Errorf("%s %q is unknown; use %s", name, value, strings.Join(names, " or "))
}

func between(name string, n, low, high int) error {
	if n < low || n > high {
		return fmt.Errorf("%s %d is out of range; use %d to %d", name, n, low, high)
	}
	return nil
}

func atLeast[T int64 | time.Duration](name string, v, low T, use string) error {
	if v < low {
		return fmt.Errorf("%s %v is below %v; give a value %s", name, v, low, use)
	}
	return nil
}

func (c Config) checkPin() error {
	if c.Pin && c.Engine != engine.TPC {
		return fmt.Errorf("pin is set for the %s engine, which has no event loops; use the tpc engine or leave pin out", c.Engine)
	}
	return nil
}

// The limit is dealt out to the shards, of which there is one per loop at most, and 0 would mean
// no limit.
func (c Config) checkEventStoreLimit() error {
	if c.EventStoreLimit != 0 && c.EventStoreLimit < 256 {
		return fmt.Errorf("event store limit %d is out of range; use 0 for no limit, or at least 256 events", c.EventStoreLimit)
	}
	return nil
}

func (c Config) checkServices() error {
	var problems []error
	seen := map[string]bool{}
	for _, name := range c.Services {
		problems = append(problems, oneOf("service", name, Services()...))
		if seen[name] {
			problems = append(problems, fmt.Errorf("service %q is named twice; name it once", name))
		}
		seen[name] = true
	}
	if c.Replicas > 1 && !seen[Order] {
		problems = append(problems, fmt.Errorf("replicas is %d but the order service does not run here; add it or leave replicas out", c.Replicas))
	}
	return errors.Join(problems...)
}

func (c Config) checkAddrs() error {
	var problems []error
	taken := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Addrs)) {
		addr := c.Addrs[name]
		if err := oneOf("address for service", name, Services()...); err != nil {
			problems = append(problems, err)
			continue
		}
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			problems = append(problems, fmt.Errorf("address %q of %s is not host:port; use for example 127.0.0.1:8083", addr, name))
			continue
		}
		if !slices.Contains(c.Services, name) || port == "0" {
			continue
		}
		if other, ok := taken[addr]; ok {
			problems = append(problems, fmt.Errorf("address %s is given to %s and %s; give each its own port", addr, other, name))
		}
		taken[addr] = name
	}
	return errors.Join(problems...)
}

// checkPeers wants the services that a saga needs: here or as a peer.
func (c Config) checkPeers() error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(c.Peers)) {
		if err := oneOf("peer", name, Services()...); err != nil {
			problems = append(problems, err)
			continue
		}
		u, err := url.Parse(c.Peers[name])
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			problems = append(problems, fmt.Errorf("peer %s has the url %q; use for example http://%s:8082", name, c.Peers[name], name))
		}
		if slices.Contains(c.Services, name) {
			problems = append(problems, fmt.Errorf("%s runs here and is a peer too; leave one of the two out", name))
		}
	}
	if slices.Contains(c.Services, Order) {
		for _, name := range []string{Inventory, Payment} {
			if !slices.Contains(c.Services, name) && c.Peers[name] == "" {
				problems = append(problems, fmt.Errorf("the order service needs %s, which neither runs here nor is a peer; "+
					"add it to the services or give its url as a peer", name))
			}
		}
	}
	return errors.Join(problems...)
}
