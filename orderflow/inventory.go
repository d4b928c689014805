package orderflow

import (
	"errors"
	"net/http"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/meter"
	"github.com/perfctl/perfctl/orderflow/view"
)

// The reasons for which the inventory refuses.
const (
	insufficientStock   = "INSUFFICIENT_STOCK"
	productNotFound     = "PRODUCT_NOT_FOUND"
	reservationReleased = "RESERVATION_RELEASED"
)

// maxQuantity bounds what one request may ask for.
const maxQuantity = 1_000_000

// inventory is the inventory service. Reservations are a second view of the products' events, by
// reservation.
type inventory struct {
	*service
	products     []*table[product]
	reservations []*view.View[reservation]
}

func newInventory(s *service, c Config) *inventory {
	i := &inventory{
		service:      s,
		products:     tables(s, productAggregate(), c),
		reservations: newViews(s, reservationCodec(), c),
	}
	registerTables(s, "product", i.products)
	registerView(s, []meter.Label{{Name: "aggregate", Value: "reservation"}}, i.reservations,
		func(v *view.View[reservation]) viewStats { return v })
	return i
}

func (i *inventory) endpoints() []endpoint {
	return []endpoint{
		{http.MethodPost, "/api/products", i.post},
		{http.MethodGet, "/api/products/{id}", i.get},
		{http.MethodPost, "/api/products/{id}/stock/reserve", i.postReserve},
		{http.MethodPost, "/api/products/{id}/stock/release", i.postRelease},
	}
}

func (i *inventory) post(w http.ResponseWriter, r *http.Request) reply {
	var in product
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	if in.SKU == "" || in.Name == "" {
		return badRequest("sku and name must not be empty")
	}
	if in.OnHand < 0 || in.OnHand > 1e12 {
		return badRequest("quantityOnHand must be from 0 to 1000000000000")
	}
	in.ID, in.Reserved = naturalID("prd-", in.SKU), 0
	exists := false
	i.commandAndWait(in.ID, func(shard int) []record {
		t := i.products[shard]
		if _, exists = t.view.Get(in.ID); exists {
			return nil
		}
		_, records := t.append(in.ID, event{Type: productCreated, At: time.Now(), Body: appendProduct(nil, in)})
		return records
	})
	if exists {
		return refuse(http.StatusConflict, "PRODUCT_EXISTS", "a product with the sku "+in.SKU+" exists")
	}
	return reply{http.StatusCreated, in}
}

func (i *inventory) get(_ http.ResponseWriter, r *http.Request) reply {
	id := r.PathValue("id")
	var found product
	var ok bool
	i.query(id, func(shard int) { found, ok = i.products[shard].view.Get(id) })
	if !ok {
		return notFound("product", id)
	}
	return reply{http.StatusOK, found}
}

// reserveRequest is the body of reserve and release. With a reservation id the request may be
// repeated; without one each reserve takes stock anew.
type reserveRequest struct {
	Quantity      int64  `json:"quantity"`
	OrderID       string `json:"orderId"`
	ReservationID string `json:"reservationId"`
}

func (i *inventory) postReserve(w http.ResponseWriter, r *http.Request) reply {
	var in reserveRequest
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	if in.Quantity < 1 || in.Quantity > maxQuantity {
		return badRequest("quantity must be from 1 to 1000000")
	}
	if in.ReservationID == "" {
		in.ReservationID = newID("res-")
	}
	res := reservation{ID: in.ReservationID, Product: r.PathValue("id"), Order: in.OrderID, Quantity: in.Quantity}
	var out outcome
	i.commandAndWait(res.Product, func(shard int) (records []record) {
		records, out = i.decideReserve(shard, res)
		return records
	})
	switch out.reason {
	case "":
		return reply{http.StatusOK, map[string]any{"productId": res.Product, "reservationId": res.ID, "quantity": res.Quantity}}
	case productNotFound:
		return refuse(http.StatusNotFound, productNotFound, "no product has the id "+res.Product)
	case insufficientStock:
		return refuse(http.StatusConflict, insufficientStock, "less is available than was asked for")
	default:
		return refuse(http.StatusConflict, out.reason, "the reservation "+res.ID+" has been released")
	}
}

func (i *inventory) postRelease(w http.ResponseWriter, r *http.Request) reply {
	var in reserveRequest
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	if in.ReservationID == "" {
		return badRequest("reservationId must not be empty")
	}
	res := reservation{ID: in.ReservationID, Product: r.PathValue("id"), Order: in.OrderID}
	i.commandAndWait(res.Product, func(shard int) []record { return i.decideRelease(shard, res) })
	return reply{http.StatusOK, map[string]any{"productId": res.Product, "reservationId": res.ID}}
}

// reserve holds stock for an order: the saga's command.
func (i *inventory) reserve(from engine.Turn, res reservation, done func(engine.Turn, outcome)) {
	var out outcome
	i.command(from, res.Product, func(shard int) (records []record) {
		records, out = i.decideReserve(shard, res)
		return records
	}, func(t engine.Turn) { done(t, out) })
}

// release gives stock back. It succeeds also when there was no such reservation, which can then never
// be made.
func (i *inventory) release(from engine.Turn, res reservation, done func(engine.Turn, outcome)) {
	i.command(from, res.Product, func(shard int) []record { return i.decideRelease(shard, res) },
		func(t engine.Turn) { done(t, outcome{}) })
}

func (i *inventory) decideReserve(shard int, res reservation) ([]record, outcome) {
	t := i.products[shard]
	if old, ok := i.reservations[shard].Get(res.key()); ok {
		if old.Released {
			return nil, refused(reservationReleased)
		}
		return nil, outcome{}
	}
	p, ok := t.view.Get(res.Product)
	if !ok {
		return nil, refused(productNotFound)
	}
	if p.available() < res.Quantity {
		return nil, refused(insufficientStock)
	}
	_, records := t.append(res.Product, event{Type: stockReserved, At: time.Now(), Body: appendReservation(nil, res)})
	i.reservations[shard].Put(res.key(), res)
	return records, outcome{}
}

func (i *inventory) decideRelease(shard int, res reservation) (records []record) {
	old, ok := i.reservations[shard].Get(res.key())
	if ok && old.Released {
		return nil
	}
	if ok {
		res = old
		_, records = i.products[shard].append(res.Product, event{Type: stockReleased, At: time.Now(), Body: appendReservation(nil, res)})
	}
	res.Released = true
	i.reservations[shard].Put(res.key(), res)
	return records
}

// exhaust takes all available stock of every product away.
func (i *inventory) exhaust() {
	for shard, t := range i.products {
		var ids []string
		i.engine.Access(shard, i.stats, func() { ids = t.view.Keys() })
		for _, id := range ids {
			i.commandAndWait(id, func(shard int) []record {
				p, _ := i.products[shard].view.Get(id)
				all := reservation{Product: id, Quantity: p.available()}
				_, records := i.products[shard].append(id, event{Type: stockExhausted, At: time.Now(), Body: appendReservation(nil, all)})
				return records
			})
		}
	}
}

func (i *inventory) settings() map[string]any { return tableSettings(i.products) }

func (i *inventory) close() error {
	problems := []error{closeTables(i.products)}
	for _, v := range i.reservations {
		problems = append(problems, v.Close())
	}
	return errors.Join(problems...)
}
