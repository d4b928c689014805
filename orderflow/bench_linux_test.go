package orderflow

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// BenchmarkOrder measures one order with its saga through the HTTP handlers, without a network: the time
// per order with callers side by side, and the processor time.
func BenchmarkOrder(b *testing.B) {
	for _, v := range []struct {
		name   string
		change func(*Config)
	}{
		{"community", func(c *Config) { c.Engine = engine.Community }},
		{"tpc", func(c *Config) { c.Engine = engine.TPC }},
		{"tpc-pinned", func(c *Config) { c.Engine, c.Pin = engine.TPC, true }},
		{"community-hd", func(c *Config) { c.Store = "hd-memory" }},
		{"community-scan", func(c *Config) { c.Outbox = outbox.Scan }},
	} {
		b.Run(v.name, func(b *testing.B) {
			s := startShop(b, v.change)
			var ids []string
			for i := range 100 {
				ids = append(ids, s.product(fmt.Sprintf("sku-%d", i), 1e9))
			}
			handler := s.orderHandler()
			var next atomic.Int64
			b.SetParallelism(16 / min(16, runtime.GOMAXPROCS(0)))
			before := cpuTime()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					id := ids[int(next.Add(1))%len(ids)]
					body := `{"customerId":"cus-1","lineItems":[{"productId":"` + id + `","quantity":1,"unitPrice":9.99}],"shippingAddress":"1 Main Street"}`
					w := httptest.NewRecorder()
					handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/orders", strings.NewReader(body)))
					if w.Code != http.StatusCreated {
						b.Errorf("status %d", w.Code)
					}
				}
			})
			s.settle()
			b.StopTimer()
			b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
			b.ReportMetric(float64(hops(s.system))/float64(b.N), "hops/op")
		})
	}
}

// orderHandler is the handler of the order service.
func (s *shop) orderHandler() http.Handler {
	for _, server := range s.system.servers {
		w := httptest.NewRecorder()
		server.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/actuator/info", nil))
		if bytes.Contains(w.Body.Bytes(), []byte(`"service":"order"`)) {
			return server.Handler
		}
	}
	s.t.Fatal("no server of the order service")
	return nil
}

// BenchmarkHeapOfAnOrder measures what the heap keeps for each order of two lines, once the outbox is
// past its retention.
func BenchmarkHeapOfAnOrder(b *testing.B) {
	for _, store := range stores() {
		for _, limit := range []int{0, 256} {
			b.Run(fmt.Sprintf("%s/limit=%d", store, limit), func(b *testing.B) {
				s := startShop(b, func(c *Config) {
					c.Store, c.EventStoreLimit, c.OutboxRetention, c.OutboxTick = store, limit, 1, time.Hour
				})
				p := s.product("s", 1e9)
				r := s.system.orders.replicas[0]
				before := liveHeap()
				for i := 0; b.Loop(); i++ {
					if i%1000 == 999 {
						s.sweep()
					}
					r.create(order{
						ID: newID("ord-"), Customer: newID("cus-"), Status: pendingOrder, Address: "1 Main Street",
						Items: []lineItem{{p, 1, 100}, {p, 2, 100}},
					})
				}
				s.settle()
				s.sweep()
				b.ReportMetric(float64(liveHeap()-before)/float64(b.N), "heap-B/op")
			})
		}
	}
}

// sweep publishes and expires what is in the outboxes; a sweep expires a bounded number of entries.
func (s *shop) sweep() {
	for left := int64(1); left > 0; {
		left = 0
		for _, publisher := range s.system.publishers {
			publisher.Sweep(context.Background(), time.Now())
			for _, o := range publisher.Outboxes {
				left += o.Len()
			}
		}
	}
}

// liveHeap is the size of the heap after a collection.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
