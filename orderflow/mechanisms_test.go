package orderflow

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
	"github.com/perfctl/perfctl/orderflow/view"
)

// hops is the number of hops of all services.
func hops(s *System) int64 {
	var n int64
	for _, svc := range s.services {
		n += svc.stats.Hops.Load()
	}
	return n
}

// locks is the number of lock acquisitions of all services.
func locks(s *System) (n int64) {
	for _, svc := range s.services {
		n += svc.stats.Locks.Load()
	}
	return n
}

// An order of one line is five operations: create, reserve, record, pay, confirm. Each costs three hops
// on the community engine, plus one to the request; on one event loop, one in and one out.
func TestHopsOfAnOrder(t *testing.T) {
	type counts struct {
		Hops  int64
		Locks bool
	}
	got := map[engine.Kind]counts{}
	for _, kind := range engines() {
		s := startShop(t, func(c *Config) { c.Engine, c.Loops, c.OutboxTick = kind, 1, time.Hour })
		p := s.product("s", 10)
		hopsBefore, locksBefore := hops(s.system), locks(s.system)
		s.order(p, 1, 1)
		s.settle()
		got[kind] = counts{hops(s.system) - hopsBefore, locks(s.system) > locksBefore}
	}
	want := map[engine.Kind]counts{engine.Community: {16, true}, engine.TPC: {2, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodesOfAnOrder(t *testing.T) {
	type counts struct {
		Decodes int64
		OffHeap bool
	}
	got := map[view.Kind]counts{}
	for _, kind := range stores() {
		s := startShop(t, func(c *Config) { c.Store, c.Loops = kind, 1 })
		p := s.product("s", 10)
		id := s.order(p, 1, 1)
		s.settle()
		var n counts
		orders := s.system.orders.replicas[0].tables.orders[0].view
		before := orders.Decodes()
		for range 5 {
			s.get(Order, "/api/orders/"+id)
		}
		n.Decodes, n.OffHeap = orders.Decodes()-before, orders.OffHeapBytes() > 0
		got[kind] = n
	}
	want := map[view.Kind]counts{view.Heap: {0, false}, view.OffHeap: {5, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The scan looks at every entry in each of ten sweeps, the index only once at each.
func TestEntriesScannedByTheOutbox(t *testing.T) {
	got := map[outbox.Kind]int64{}
	for _, kind := range []outbox.Kind{outbox.Scan, outbox.Indexed} {
		s := startShop(t, func(c *Config) { c.Outbox, c.Loops, c.OutboxTick = kind, 1, time.Hour })
		p := s.product("s", 1000)
		for range 100 {
			s.order(p, 1, 1)
		}
		s.settle()
		for range 10 {
			s.system.publishers[Order].Sweep(t.Context(), time.Now())
		}
		if n := s.system.services[Account].audit.count(Order, orderConfirmed); n != 100 {
			t.Errorf("%s: the subscriber counts %d confirmed orders, want 100", kind, n)
		}
		got[kind] = s.system.services[Order].outboxes[0].Scanned()
	}
	// OrderCreated, SagaStarted, SagaStockReserved, SagaCompleted and OrderConfirmed of each order.
	want := map[outbox.Kind]int64{outbox.Scan: 10 * 500, outbox.Indexed: 500}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Three polls in a row reach three replicas: with private orders two of them miss, with shared ones
// none does.
func TestPollsThatMiss(t *testing.T) {
	const n = 30
	for _, tt := range []struct {
		clustering Clustering
		replicas   int
		want       map[int]int // polls by status
	}{
		{Private, 1, map[int]int{200: 3 * n}},
		{Private, 3, map[int]int{200: n, 404: 2 * n}},
		{Shared, 3, map[int]int{200: 3 * n}},
	} {
		t.Run(fmt.Sprintf("%s/%d", tt.clustering, tt.replicas), func(t *testing.T) {
			s := startShop(t, func(c *Config) { c.Clustering, c.Replicas = tt.clustering, tt.replicas })
			p := s.product("s", 1000)
			got := map[int]int{}
			for range n {
				created := s.post(Order, "/api/orders", fmt.Sprintf(`{"customerId":"c","lineItems":[{"productId":%q,"quantity":1,"unitPrice":1}]}`, p))
				for range 3 {
					poll := s.get(Order, "/api/orders/"+created.text("orderId"))
					got[poll.Status]++
					same := poll.Header.Get("X-Replica") == created.Header.Get("X-Replica")
					if tt.clustering == Private && same != (poll.Status == 200) {
						t.Errorf("order of %s, poll of %s: status %d", created.Header.Get("X-Replica"), poll.Header.Get("X-Replica"), poll.Status)
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			var misses int64
			for _, r := range s.system.orders.replicas {
				misses += r.misses.Value()
			}
			if misses != int64(tt.want[404]) {
				t.Errorf("the replicas count %d misses, want %d", misses, tt.want[404])
			}
			s.settle()
		})
	}
}

// The settings are those of the running parts.
func TestInfoTellsTheSettings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   map[string]string
	}{
		{"defaults", nil, map[string]string{
			"engine": `"community"`, "store": `"heap"`, "outbox": `"indexed"`, "replicas": "1", "clustering": `"private"`,
			"event_store_limit": "0", "faults": "false", "shards": "1", "pinned_loops": "0",
		}},
		{"all others", func(c *Config) {
			*c = Config{
				Addrs: c.Addrs, Engine: engine.TPC, Store: view.OffHeap, Outbox: outbox.Scan, Replicas: 3, Clustering: Shared, Loops: 3,
				EventStoreLimit: 1000, MemoryLimit: 1 << 33, Faults: Faults{Enabled: true},
			}
		}, map[string]string{
			"engine": `"tpc"`, "store": `"hd-memory"`, "outbox": `"scan"`, "replicas": "3", "clustering": `"shared"`,
			"event_store_limit": "1000", "faults": "true", "shards": "3", "memory_limit": "8589934592",
		}},
		{"private replicas", func(c *Config) { c.Replicas = 2 }, map[string]string{"replicas": "2", "clustering": `"private"`}},
		{"one of a cluster", func(c *Config) { c.Clustering = Shared }, map[string]string{"replicas": "1", "clustering": `"shared"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startShop(t, tt.change)
			info := s.get(Order, "/actuator/info").Body
			for name, value := range tt.want {
				if !containsSetting(info, name, value) {
					t.Errorf("info %s, want %s %s", info, name, value)
				}
			}
			for _, name := range Services() {
				if got := s.get(name, "/actuator/info"); got.text("service") != name {
					t.Errorf("info of %s is that of %s", name, got.text("service"))
				}
			}
		})
	}
}

// Pinning is what the loops report, which is what the kernel allowed.
func TestPinnedLoops(t *testing.T) {
	s := startShop(t, func(c *Config) { c.Engine, c.Pin, c.Loops = engine.TPC, true, 2 })
	if info := s.get(Order, "/actuator/info").Body; !containsSetting(info, "pinned_loops", fmt.Sprint(s.system.engine.Pinned())) {
		t.Errorf("info %s, want %d pinned loops", info, s.system.engine.Pinned())
	}
	s.order(s.product("s", 10), 1, 1)
	s.settle()
	if diff := cmp.Diff(sagaCounts{Started: 1, Completed: 1}, s.sagas()); diff != "" {
		t.Error(diff)
	}
}
