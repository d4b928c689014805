package orderflow

import (
	"fmt"

	"github.com/perfctl/perfctl/orderflow/view"
	"github.com/perfctl/perfctl/orderflow/wire"
)

// The states of an order.
const (
	pendingOrder   = "PENDING"
	confirmedOrder = "CONFIRMED"
	cancelledOrder = "CANCELLED"
	failedOrder    = "FAILED"
)

type lineItem struct {
	Product  string `json:"productId"`
	Quantity int64  `json:"quantity"`
	Price    cents  `json:"unitPrice"`
}

// order is the state of one order.
type order struct {
	ID       string     `json:"orderId"`
	Customer string     `json:"customerId"`
	Status   string     `json:"status"`
	Reason   string     `json:"reason,omitempty"`
	Items    []lineItem `json:"lineItems"`
	Total    cents      `json:"total"`
	Address  string     `json:"shippingAddress"`
	Notes    string     `json:"notes,omitempty"`
}

func orderAggregate() aggregate[order] {
	return aggregate[order]{codec: view.Codec[order]{Append: appendOrder, Decode: decodeOrder}, apply: applyToOrder}
}

func appendOrder(b []byte, o order) []byte {
	for _, s := range []string{o.ID, o.Customer, o.Status, o.Reason, o.Address, o.Notes} {
		b = wire.AppendText(b, s)
	}
	b = wire.AppendInt(wire.AppendInt(b, int64(o.Total)), int64(len(o.Items)))
	for _, i := range o.Items {
		b = wire.AppendText(b, i.Product)
		b = wire.AppendInt(wire.AppendInt(b, i.Quantity), int64(i.Price))
	}
	return b
}

func decodeOrder(b []byte) (order, error) {
	r := wire.NewReader(b)
	o := order{ID: r.Text(), Customer: r.Text(), Status: r.Text(), Reason: r.Text(), Address: r.Text(), Notes: r.Text(), Total: cents(r.Int())}
	o.Items = make([]lineItem, r.Count())
	for i := range o.Items {
		o.Items[i] = lineItem{Product: r.Text(), Quantity: r.Int(), Price: cents(r.Int())}
	}
	return o, r.Err()
}

func applyToOrder(o order, e event) (order, error) {
	r := wire.NewReader(e.Body)
	switch e.Type {
	case orderCreated:
		return decodeOrder(e.Body)
	case orderConfirmed:
		o.Status = confirmedOrder
		return o, nil
	case orderCancelled:
		o.Status, o.Reason = cancelledOrder, r.Text()
	case orderFailed:
		o.Status, o.Reason = failedOrder, r.Text()
	default:
		return o, fmt.Errorf("event %q is not one of an order", e.Type)
	}
	return o, r.Err()
}
