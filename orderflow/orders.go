package orderflow

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perfctl/perfctl/orderflow/meter"
)

// maxLineItems bounds one order.
const maxLineItems = 100

// orders is the order service: its replicas behind a round-robin balancer.
type orders struct {
	*service
	stock      stock
	cashier    cashier
	clustering Clustering
	replicas   []*replica
	next       atomic.Uint64
	sagas      *sagaMeter
	active     sync.WaitGroup // one per saga under way
}

func newOrders(s *service, c Config, st stock, ca cashier) *orders {
	o := &orders{service: s, stock: st, cashier: ca, clustering: c.Clustering, sagas: newSagaMeter(s.registry)}
	known := newOrderTables(s, c, "")
	for i := range c.Replicas {
		r := &replica{orders: o, name: fmt.Sprintf("order-%d", i+1), tables: known}
		label := meter.Label{Name: "replica", Value: r.name}
		r.requests = s.registry.Counter("order_replica_requests_total", "Requests that the balancer gave to a replica.", label)
		r.misses = s.registry.Counter("order_replica_misses_total", "Reads of an order or saga that the replica does not know.", label)
		if c.Clustering == Private && i+1 < c.Replicas {
			known = newOrderTables(s, c, fmt.Sprintf("order-%d", i+2))
		}
		o.replicas = append(o.replicas, r)
	}
	return o
}

// newOrderTables returns tables for the replica of that name, or for the first or all.
func newOrderTables(s *service, c Config, replica string) orderTables {
	t := orderTables{orders: tables(s, orderAggregate(), c), sagas: tables(s, sagaAggregate(), c)}
	var labels []meter.Label
	if c.Replicas > 1 && c.Clustering == Private {
		if replica == "" {
			replica = "order-1"
		}
		labels = append(labels, meter.Label{Name: "replica", Value: replica})
	}
	registerTables(s, "order", t.orders, labels...)
	registerTables(s, "saga", t.sagas, labels...)
	return t
}

func (o *orders) endpoints() []endpoint {
	return []endpoint{
		{http.MethodPost, "/api/orders", o.balanced((*replica).post)},
		{http.MethodGet, "/api/orders/{id}", o.balanced((*replica).getOrder)},
		{http.MethodGet, "/api/sagas/{id}", o.balanced((*replica).getSaga)},
	}
}

// balanced gives each request to the next replica and says which in a header.
func (o *orders) balanced(handle func(*replica, http.ResponseWriter, *http.Request) reply) func(http.ResponseWriter, *http.Request) reply {
	return func(w http.ResponseWriter, r *http.Request) reply {
		to := o.replicas[(o.next.Add(1)-1)%uint64(len(o.replicas))]
		to.requests.Add(1)
		w.Header().Set("X-Replica", to.name)
		pause(r.Context(), time.Duration(to.delay.Load()))
		return handle(to, w, r)
	}
}

func (r *replica) post(w http.ResponseWriter, req *http.Request) reply {
	var in order
	if bad, ok := readJSON(w, req, &in); !ok {
		return bad
	}
	if in.Customer == "" || len(in.Customer) > maxID {
		return badRequest("customerId must have 1 to 128 bytes")
	}
	if len(in.Items) == 0 || len(in.Items) > maxLineItems {
		return badRequest("lineItems must have 1 to 100 items")
	}
	in.Total = 0
	for n, item := range in.Items {
		if item.Product == "" || len(item.Product) > maxID || item.Quantity < 1 || item.Quantity > maxQuantity {
			return badRequest(fmt.Sprintf("lineItems[%d]: productId must have 1 to 128 bytes and quantity be from 1 to 1000000", n))
		}
		in.Total += cents(item.Quantity) * item.Price
	}
	in.ID, in.Status, in.Reason = newID("ord-"), pendingOrder, ""
	r.create(in)
	return reply{http.StatusCreated, map[string]string{"orderId": in.ID, "sagaId": in.ID, "status": pendingOrder}}
}

func (r *replica) getOrder(_ http.ResponseWriter, req *http.Request) reply {
	id := req.PathValue("id")
	var found order
	var ok bool
	r.query(id, func(shard int) { found, ok = r.tables.orders[shard].view.Get(id) })
	if !ok {
		r.misses.Add(1)
		return notFound("order", id)
	}
	return reply{http.StatusOK, found}
}

func (r *replica) getSaga(_ http.ResponseWriter, req *http.Request) reply {
	id := req.PathValue("id")
	var found saga
	var ok bool
	r.query(id, func(shard int) { found, ok = r.tables.sagas[shard].view.Get(id) })
	if !ok {
		r.misses.Add(1)
		return notFound("saga", id)
	}
	return reply{http.StatusOK, found}
}

// settings adds what the replicas report: how many they are and whether they share their orders. One
// replica alone shares with nobody under either clustering, so there the word is the one asked for.
func (o *orders) settings() map[string]any {
	first, last := o.replicas[0], o.replicas[len(o.replicas)-1]
	clustering := o.clustering
	if len(o.replicas) > 1 {
		clustering = Private
		if first.tables.orders[0] == last.tables.orders[0] {
			clustering = Shared
		}
	}
	settings := tableSettings(first.tables.orders)
	settings["replicas"], settings["clustering"] = len(o.replicas), clustering
	return settings
}

func (o *orders) close() error {
	var problems []error
	for _, r := range o.replicas {
		problems = append(problems, closeTables(r.tables.orders), closeTables(r.tables.sagas))
	}
	return errors.Join(problems...)
}
