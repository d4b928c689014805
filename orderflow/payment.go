package orderflow

import (
	"fmt"
	"net/http"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/view"
	"github.com/perfctl/perfctl/orderflow/wire"
)

// The reasons for which a payment is refused.
const (
	paymentIsDeclined = "PAYMENT_DECLINED"
	paymentIsVoided   = "PAYMENT_VOIDED"
)

// The states of a payment.
const (
	takenPayment    = "TAKEN"
	declinedPayment = "DECLINED"
	voidedPayment   = "VOIDED"
)

// creditLimit is the largest amount that is paid; a larger one is declined.
const creditLimit = cents(100_000_00)

// payment is the state of the payment for one order.
type payment struct {
	Order    string `json:"orderId"`
	Customer string `json:"customerId"`
	Amount   cents  `json:"amount"`
	Status   string `json:"status"`
}

func paymentAggregate() aggregate[payment] {
	return aggregate[payment]{codec: view.Codec[payment]{Append: appendPayment, Decode: decodePayment}, apply: applyToPayment}
}

func appendPayment(b []byte, p payment) []byte {
	b = wire.AppendInt(b, int64(p.Amount))
	for _, s := range []string{p.Order, p.Customer, p.Status} {
		b = wire.AppendText(b, s)
	}
	return b
}

func decodePayment(b []byte) (payment, error) {
	r := wire.NewReader(b)
	p := payment{Amount: cents(r.Int()), Order: r.Text(), Customer: r.Text(), Status: r.Text()}
	return p, r.Err()
}

// applyToPayment takes the whole payment from each event; the type says its status.
func applyToPayment(_ payment, e event) (payment, error) {
	p, err := decodePayment(e.Body)
	switch e.Type {
	case paymentTaken:
		p.Status = takenPayment
	case paymentDeclined:
		p.Status = declinedPayment
	case paymentVoided:
		p.Status = voidedPayment
	default:
		return p, fmt.Errorf("event %q is not one of a payment", e.Type)
	}
	return p, err
}

// payments is the payment service.
type payments struct {
	*service
	payments []*table[payment]
}

func newPayments(s *service, c Config) *payments {
	p := &payments{service: s, payments: tables(s, paymentAggregate(), c)}
	registerTables(s, "payment", p.payments)
	return p
}

func (p *payments) endpoints() []endpoint {
	return []endpoint{
		{http.MethodPost, "/api/payments", p.post},
		{http.MethodGet, "/api/payments/{id}", p.get},
		{http.MethodPost, "/api/payments/{id}/void", p.postVoid},
	}
}

// paymentRequest is the body of a payment.
type paymentRequest struct {
	Order    string `json:"orderId"`
	Customer string `json:"customerId"`
	Amount   int64  `json:"amountCents"`
}

func (p *payments) post(w http.ResponseWriter, r *http.Request) reply {
	var in paymentRequest
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	if in.Order == "" || len(in.Order) > maxID || in.Amount < 0 {
		return badRequest("orderId must have 1 to 128 bytes and amountCents must not be negative")
	}
	var out outcome
	p.commandAndWait(in.Order, func(shard int) (records []record) {
		records, out = p.decidePay(shard, payment{Order: in.Order, Customer: in.Customer, Amount: cents(in.Amount)})
		return records
	})
	switch out.reason {
	case "":
		return reply{http.StatusCreated, map[string]string{"paymentId": in.Order, "status": takenPayment}}
	case paymentIsDeclined:
		return refuse(http.StatusPaymentRequired, paymentIsDeclined, "the amount is over the credit limit")
	default:
		return refuse(http.StatusConflict, out.reason, "the payment of "+in.Order+" has been voided")
	}
}

func (p *payments) get(_ http.ResponseWriter, r *http.Request) reply {
	id := r.PathValue("id")
	var found payment
	var ok bool
	p.query(id, func(shard int) { found, ok = p.payments[shard].view.Get(id) })
	if !ok {
		return notFound("payment", id)
	}
	return reply{http.StatusOK, found}
}

func (p *payments) postVoid(_ http.ResponseWriter, r *http.Request) reply {
	id := r.PathValue("id")
	p.commandAndWait(id, func(shard int) []record { return p.decideVoid(shard, id) })
	return reply{http.StatusOK, map[string]string{"paymentId": id, "status": voidedPayment}}
}

// pay takes the payment of an order: the saga's command. It may be repeated.
func (p *payments) pay(from engine.Turn, in payment, done func(engine.Turn, outcome)) {
	var out outcome
	p.command(from, in.Order, func(shard int) (records []record) {
		records, out = p.decidePay(shard, in)
		return records
	}, func(t engine.Turn) { done(t, out) })
}

// void undoes the payment of an order, or makes sure that there will never be one.
func (p *payments) void(from engine.Turn, order string, done func(engine.Turn, outcome)) {
	p.command(from, order, func(shard int) []record { return p.decideVoid(shard, order) },
		func(t engine.Turn) { done(t, outcome{}) })
}

func (p *payments) decidePay(shard int, in payment) ([]record, outcome) {
	t := p.payments[shard]
	if old, ok := t.view.Get(in.Order); ok {
		return nil, repeated(old)
	}
	e, out := event{Type: paymentTaken, At: time.Now(), Body: appendPayment(nil, in)}, outcome{}
	if in.Amount > creditLimit {
		e.Type, out = paymentDeclined, refused(paymentIsDeclined)
	}
	_, records := t.append(in.Order, e)
	return records, out
}

// repeated is the outcome of a payment that was decided before.
func repeated(old payment) outcome {
	switch old.Status {
	case takenPayment:
		return outcome{}
	case voidedPayment:
		return refused(paymentIsVoided)
	default:
		return refused(paymentIsDeclined)
	}
}

func (p *payments) decideVoid(shard int, order string) []record {
	t := p.payments[shard]
	old, ok := t.view.Get(order)
	if ok && old.Status == voidedPayment {
		return nil
	}
	old.Order = order
	_, records := t.append(order, event{Type: paymentVoided, At: time.Now(), Body: appendPayment(nil, old)})
	return records
}

func (p *payments) settings() map[string]any { return tableSettings(p.payments) }

func (p *payments) close() error { return closeTables(p.payments) }
