package orderflow

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

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
			handler := s.system.servers[0].Handler
			for _, server := range s.system.servers {
				if probe(server.Handler) {
					handler = server.Handler
				}
			}
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

// probe tells the handler of the order service.
func probe(h http.Handler) bool {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/actuator/info", nil))
	return bytes.Contains(w.Body.Bytes(), []byte(`"service":"order"`))
}

func hops(s *System) int64 {
	var n int64
	for _, svc := range s.services {
		n += svc.stats.Hops.Load()
	}
	return n
}
