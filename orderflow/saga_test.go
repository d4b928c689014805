package orderflow

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/perfctl/perfctl/orderflow/engine"
)

// sagaCounts is what the counters of the order service say.
type sagaCounts struct{ Started, Completed, Compensated, Failed, TimedOut, Active int64 }

func (s *shop) sagas() sagaCounts {
	m := s.system.orders.sagas
	return sagaCounts{
		m.started.Value(), m.ended[sagaIsCompleted].Value(), m.ended[sagaIsUndone].Value(),
		m.ended[sagaIsFailed].Value(), m.ended[sagaIsTimedOut].Value(), m.active.Load(),
	}
}

// ending is what is left of an order.
type ending struct{ Order, Reason, Saga, Payment, Reserved string }

func (s *shop) ending(order, product string) ending {
	o := s.get(Order, "/api/orders/"+order)
	return ending{
		o.text("status"), o.text("reason"), s.get(Order, "/api/sagas/"+order).text("status"),
		s.get(Payment, "/api/payments/"+order).text("status"), s.get(Inventory, "/api/products/"+product).text("quantityReserved"),
	}
}

func TestSagaPaths(t *testing.T) {
	for _, kind := range engines() {
		for _, tt := range []struct {
			name     string
			quantity int
			price    float64
			product  string
			want     ending
			counts   sagaCounts
		}{
			{"confirmed", 2, 10, "", ending{"CONFIRMED", "", "COMPLETED", "TAKEN", "2"}, sagaCounts{Started: 1, Completed: 1}},
			{"no stock", 6, 10, "", ending{"CANCELLED", "INSUFFICIENT_STOCK", "COMPENSATED", "", "0"}, sagaCounts{Started: 1, Compensated: 1}},
			{"declined", 1, 100_000.01, "", ending{"CANCELLED", "PAYMENT_DECLINED", "COMPENSATED", "DECLINED", "0"}, sagaCounts{Started: 1, Compensated: 1}},
			{"unknown product", 1, 10, "prd-0", ending{"CANCELLED", "PRODUCT_NOT_FOUND", "COMPENSATED", "", "0"}, sagaCounts{Started: 1, Compensated: 1}},
		} {
			t.Run(string(kind)+"/"+tt.name, func(t *testing.T) {
				s := startShop(t, func(c *Config) { c.Engine = kind })
				p := s.product("s", 5)
				ordered := p
				if tt.product != "" {
					ordered = tt.product
				}
				id := s.order(ordered, tt.quantity, tt.price)
				s.settle()
				if diff := cmp.Diff(tt.want, s.ending(id, p)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(tt.counts, s.sagas()); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// The second line fails, so the first is given back.
func TestEarlierLinesAreReleased(t *testing.T) {
	s := startShop(t, nil)
	plenty, few := s.product("plenty", 100), s.product("few", 1)
	id := s.post(Order, "/api/orders", fmt.Sprintf(`{"customerId":"c","lineItems":[{"productId":%q,"quantity":5,"unitPrice":1},{"productId":%q,"quantity":2,"unitPrice":1}]}`, plenty, few)).text("orderId")
	s.settle()
	want := ending{"CANCELLED", "INSUFFICIENT_STOCK", "COMPENSATED", "", "0"}
	if diff := cmp.Diff(want, s.ending(id, plenty)); diff != "" {
		t.Error(diff)
	}
	if got := s.get(Order, "/api/sagas/"+id).text("reserved"); got != "0" {
		t.Errorf("the saga still holds %s lines, want 0", got)
	}
}

// scripted answers the steps of a saga by a script.
type scripted struct {
	answers map[string]outcome
	asked   []string
}

func (s *scripted) step(name string, t engine.Turn, done func(engine.Turn, outcome)) {
	s.asked = append(s.asked, name)
	done(t, s.answers[name])
}

func (s *scripted) reserve(t engine.Turn, r reservation, done func(engine.Turn, outcome)) {
	s.step("reserve "+r.Product, t, done)
}
func (s *scripted) release(t engine.Turn, r reservation, done func(engine.Turn, outcome)) {
	s.step("release "+r.Product, t, done)
}
func (s *scripted) pay(t engine.Turn, _ payment, done func(engine.Turn, outcome)) {
	s.step("pay", t, done)
}
func (s *scripted) void(t engine.Turn, _ string, done func(engine.Turn, outcome)) {
	s.step("void", t, done)
}

func TestSagaWithoutAnswers(t *testing.T) {
	timeout, away := outcome{late, "TIMEOUT"}, outcome{unclear, "UNREACHABLE"}
	for _, tt := range []struct {
		name    string
		answers map[string]outcome
		asked   []string
		status  string
		want    sagaCounts
	}{
		{"a late reserve is released", map[string]outcome{"reserve b": timeout},
			[]string{"reserve a", "reserve b", "release b", "release a"}, "CANCELLED", sagaCounts{Started: 1, TimedOut: 1}},
		{"an unclear reserve is released", map[string]outcome{"reserve a": away},
			[]string{"reserve a", "release a"}, "CANCELLED", sagaCounts{Started: 1, Compensated: 1}},
		{"a late payment is voided", map[string]outcome{"pay": timeout},
			[]string{"reserve a", "reserve b", "pay", "void", "release b", "release a"}, "CANCELLED", sagaCounts{Started: 1, TimedOut: 1}},
		{"a void that fails ends it", map[string]outcome{"pay": timeout, "void": away},
			[]string{"reserve a", "reserve b", "pay", "void"}, "FAILED", sagaCounts{Started: 1, Failed: 1}},
		{"a release that fails ends it", map[string]outcome{"pay": refused("NO"), "release b": timeout},
			[]string{"reserve a", "reserve b", "pay", "release b"}, "FAILED", sagaCounts{Started: 1, Failed: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startShop(t, nil)
			script := &scripted{answers: tt.answers}
			s.system.orders.stock, s.system.orders.cashier = script, script
			id := s.post(Order, "/api/orders", `{"customerId":"c","lineItems":[{"productId":"a","quantity":1,"unitPrice":1},{"productId":"b","quantity":1,"unitPrice":1}]}`).text("orderId")
			s.settle()
			if diff := cmp.Diff(tt.asked, script.asked); diff != "" {
				t.Error(diff)
			}
			if got := s.get(Order, "/api/orders/"+id).text("status"); got != tt.status {
				t.Errorf("order %s, want %s", got, tt.status)
			}
			if diff := cmp.Diff(tt.want, s.sagas()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Orders and reservations side by side, on every engine and store: stock is never negative, what is
// reserved is what was sold, and every saga is accounted for.
func TestStockIsConserved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := Config{
			Engine:          rapid.SampledFrom(engines()).Draw(rt, "engine"),
			Store:           rapid.SampledFrom(stores()).Draw(rt, "store"),
			Loops:           rapid.IntRange(1, 3).Draw(rt, "loops"),
			EventStoreLimit: rapid.SampledFrom([]int{0, 256}).Draw(rt, "limit"),
			Replicas:        rapid.IntRange(1, 2).Draw(rt, "replicas"),
			Clustering:      Shared,
		}
		stockOf := rapid.SliceOfN(rapid.IntRange(0, 30), 2, 3).Draw(rt, "stock")
		quantities := rapid.SliceOfN(rapid.IntRange(1, 6), 1, 40).Draw(rt, "quantities")
		checkConserved(t, rt, c, stockOf, quantities)
	})
}

func checkConserved(t *testing.T, rt *rapid.T, c Config, stockOf, quantities []int) {
	s := startShop(t, func(into *Config) { c.Addrs = into.Addrs; *into = c })
	defer s.system.Shutdown(t.Context())
	var products []string
	for i, n := range stockOf {
		products = append(products, s.product(fmt.Sprint("sku-", i), n))
	}
	var wait sync.WaitGroup
	ids := make([]string, len(quantities))
	for i, q := range quantities {
		wait.Go(func() {
			first, second := products[i%len(products)], products[(i+1)%len(products)]
			ids[i] = s.post(Order, "/api/orders", fmt.Sprintf(`{"customerId":"c","lineItems":[{"productId":%q,"quantity":%d,"unitPrice":1},{"productId":%q,"quantity":1,"unitPrice":%d}]}`,
				first, q, second, 1+i%2*100_000)).text("orderId")
		})
	}
	wait.Wait()
	s.settle()

	sold := make([]int, len(products))
	for i, id := range ids {
		if s.get(Order, "/api/orders/"+id).text("status") == confirmedOrder {
			sold[i%len(products)] += quantities[i]
			sold[(i+1)%len(products)]++
		}
	}
	for i, id := range products {
		got := s.get(Inventory, "/api/products/"+id)
		if want := fmt.Sprint(sold[i]); got.text("quantityReserved") != want || sold[i] > stockOf[i] {
			rt.Errorf("product %d: reserved %s, sold %s, stock %d", i, got.text("quantityReserved"), want, stockOf[i])
		}
	}
	n := s.sagas()
	if n.Started != int64(len(ids)) || n.Started != n.Completed+n.Compensated || n.Active != 0 || n.Failed+n.TimedOut != 0 {
		rt.Errorf("sagas %+v do not balance for %d orders", n, len(ids))
	}
	checkRebuild(rt, s)
}
