package orderflow

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// peers are the other services as the order service sees them.
type peers struct {
	stock      stock
	cashier    cashier
	subscriber subscriber
}

// Each pair of implementations, in this process and over HTTP, behaves alike.
func TestPeersConform(t *testing.T) {
	for name, connect := range map[string]func(*shop) peers{
		"local": func(s *shop) peers {
			return peers{s.system.parts[Inventory].(*inventory), s.system.parts[Payment].(*payments), s.system.services[Payment].audit}
		},
		"remote": func(s *shop) peers {
			to := func(service string) *remote {
				r := newRemote(service, "http://"+s.system.Addrs()[service], 5*time.Second)
				s.t.Cleanup(r.close)
				return r
			}
			return peers{to(Inventory), to(Payment), to(Payment)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startShop(t, nil)
			p := connect(s)
			product := s.product("s", 5)
			res := func(id string, quantity int64) reservation {
				return reservation{ID: id, Product: product, Order: "o", Quantity: quantity}
			}
			lost := reservation{ID: "r", Product: "prd-0", Order: "o", Quantity: 1}
			got := []outcome{
				wait(p.stock.reserve, res("r1", 3)),
				wait(p.stock.reserve, res("r1", 3)),
				wait(p.stock.reserve, res("r2", 3)),
				wait(p.stock.reserve, lost),
				wait(p.stock.release, res("r1", 3)),
				wait(p.stock.release, res("r1", 3)),
				wait(p.stock.reserve, res("r1", 3)),
				wait(p.stock.release, res("r3", 1)),
				wait(p.stock.reserve, res("r3", 1)),
				wait(p.cashier.pay, payment{Order: "a", Customer: "c", Amount: 5}),
				wait(p.cashier.pay, payment{Order: "a", Customer: "c", Amount: 5}),
				wait(p.cashier.pay, payment{Order: "b", Customer: "c", Amount: creditLimit + 1}),
				wait(p.cashier.void, "a"),
				wait(p.cashier.pay, payment{Order: "a", Customer: "c", Amount: 5}),
				wait(p.cashier.void, "never"),
				wait(p.cashier.pay, payment{Order: "never", Customer: "c", Amount: 5}),
			}
			done, gone, void := outcome{}, refused(reservationReleased), refused(paymentIsVoided)
			want := []outcome{
				done, done, refused(insufficientStock), refused(productNotFound), done, done, gone, done, gone,
				done, done, refused(paymentIsDeclined), done, void, done, void,
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Error(diff)
			}
			entries := []outbox.Entry{{ID: 1, Type: "OrderCreated", Key: "k", Created: time.Now()}, {ID: 2, Type: "OrderCreated", Key: "k", Created: time.Now()}}
			if err := p.subscriber.deliver(t.Context(), Account, entries); err != nil {
				t.Error(err)
			}
			if n := s.system.services[Payment].audit.count(Account, orderCreated); n != 2 {
				t.Errorf("the subscriber counts %d events, want 2", n)
			}
		})
	}
}

// wait runs one command and returns its outcome.
func wait[T any](command func(engine.Turn, T, func(engine.Turn, outcome)), arg T) outcome {
	got := make(chan outcome, 1)
	command(engine.Turn{}, arg, func(_ engine.Turn, out outcome) { got <- out })
	return <-got
}

func TestRemoteWithoutAnAnswer(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/payments/broken/void":
			w.WriteHeader(http.StatusInternalServerError)
		case "/api/payments/odd/void":
			w.WriteHeader(http.StatusTeapot)
		case "/api/payments/cut/void":
			w.Header().Set("Content-Length", "100")
		case "/api/payments/a%2Fb/void", "/api/payments/a/b/void":
			if r.URL.EscapedPath() != "/api/payments/a%2Fb/void" {
				w.WriteHeader(http.StatusInternalServerError)
			}
		default:
			<-release
		}
	}))
	defer server.Close()
	defer close(release)
	status := func(base, order string, timeout time.Duration) outcomeStatus {
		r := newRemote(Payment, base, timeout)
		defer r.close()
		return wait(r.void, order).status
	}
	got := map[string]outcomeStatus{
		"late":    status(server.URL, "late", time.Millisecond),
		"broken":  status(server.URL, "broken", time.Minute),
		"odd":     status(server.URL, "odd", time.Minute),
		"cut":     status(server.URL, "cut", time.Minute),
		"escaped": status(server.URL, "a/b", time.Minute),
		"away":    status("http://127.0.0.1:1", "x", time.Minute),
		"bad url": status("http://a b", "x", time.Minute),
	}
	want := map[string]outcomeStatus{
		"late": late, "broken": unclear, "odd": declined, "cut": unclear, "escaped": accepted, "away": unclear, "bad url": declined,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r := newRemote(Payment, "http://127.0.0.1:1", time.Minute)
	defer r.close()
	if err := r.deliver(context.Background(), Order, nil); err == nil {
		t.Error("a delivery to nobody succeeds")
	}
}

// Four systems with one service each, as four containers would be.
func TestServicesApart(t *testing.T) {
	alone := func(name string, peers map[string]string) *shop {
		return startShop(t, func(c *Config) {
			c.Services, c.Peers, c.OutboxTick = []string{name}, peers, time.Hour
		})
	}
	url := func(s *shop, name string) string { return "http://" + s.system.Addrs()[name] + "/" }
	account, inventory, payment := alone(Account, nil), alone(Inventory, nil), alone(Payment, nil)
	order := alone(Order, map[string]string{
		Account: url(account, Account), Inventory: url(inventory, Inventory), Payment: url(payment, Payment),
	})
	p := inventory.product("s", 3)
	var got []string
	for _, price := range []float64{1, 100_000.01, 1, 1, 1} {
		id := order.order(p, 1, price)
		order.settle()
		a := order.get(Order, "/api/orders/"+id)
		got = append(got, a.text("status")+a.text("reason"))
	}
	want := []string{"CONFIRMED", "CANCELLEDPAYMENT_DECLINED", "CONFIRMED", "CONFIRMED", "CANCELLEDINSUFFICIENT_STOCK"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	order.system.publishers[Order].Sweep(t.Context(), time.Now())
	for _, to := range []*shop{account, inventory, payment} {
		for name, svc := range to.system.services {
			if n := svc.audit.count(Order, orderConfirmed); n != 3 {
				t.Errorf("%s counts %d confirmed orders, want 3", name, n)
			}
		}
	}
}
