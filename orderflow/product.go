package orderflow

import (
	"fmt"

	"github.com/perfctl/perfctl/orderflow/view"
	"github.com/perfctl/perfctl/orderflow/wire"
)

// product is the state of one product; the id follows from the sku. Reserved never exceeds OnHand.
type product struct {
	ID          string `json:"productId"`
	SKU         string `json:"sku"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Price       cents  `json:"price"`
	OnHand      int64  `json:"quantityOnHand"`
	Reserved    int64  `json:"quantityReserved"`
}

func (p product) available() int64 { return p.OnHand - p.Reserved }

func productAggregate() aggregate[product] {
	codec := view.Codec[product]{Append: appendProduct, Decode: decodeProduct}
	return aggregate[product]{codec: codec, apply: applyToProduct}
}

func appendProduct(b []byte, p product) []byte {
	for _, s := range []string{p.ID, p.SKU, p.Name, p.Description} {
		b = wire.AppendText(b, s)
	}
	for _, n := range []int64{int64(p.Price), p.OnHand, p.Reserved} {
		b = wire.AppendInt(b, n)
	}
	return b
}

func decodeProduct(b []byte) (product, error) {
	r := wire.NewReader(b)
	p := product{ID: r.Text(), SKU: r.Text(), Name: r.Text(), Description: r.Text(), Price: cents(r.Int()), OnHand: r.Int(), Reserved: r.Int()}
	return p, r.Err()
}

func applyToProduct(p product, e event) (product, error) {
	if e.Type == productCreated {
		return decodeProduct(e.Body)
	}
	res, err := decodeReservation(e.Body)
	switch e.Type {
	case stockReserved:
		p.Reserved += res.Quantity
	case stockReleased:
		p.Reserved -= res.Quantity
	case stockExhausted:
		p.OnHand -= res.Quantity
	default:
		return p, fmt.Errorf("event %q is not one of a product", e.Type)
	}
	return p, err
}

// reservation is stock held for an order. A released one is kept, so that a reserve that arrives after its
// release is refused.
type reservation struct {
	ID       string
	Product  string
	Order    string
	Quantity int64
	Released bool
}

func (r reservation) key() string { return r.Product + "/" + r.ID }

func reservationCodec() view.Codec[reservation] {
	return view.Codec[reservation]{Append: appendReservation, Decode: decodeReservation}
}

func appendReservation(b []byte, res reservation) []byte {
	for _, s := range []string{res.ID, res.Product, res.Order} {
		b = wire.AppendText(b, s)
	}
	released := int64(0)
	if res.Released {
		released = 1
	}
	return wire.AppendInt(wire.AppendInt(b, res.Quantity), released)
}

func decodeReservation(b []byte) (reservation, error) {
	r := wire.NewReader(b)
	res := reservation{ID: r.Text(), Product: r.Text(), Order: r.Text(), Quantity: r.Int(), Released: r.Int() == 1}
	return res, r.Err()
}
