package orderflow

import (
	"slices"
	"time"

	"github.com/perfctl/perfctl/orderflow/wire"
)

// eventType names what happened.
type eventType string

const (
	customerCreated eventType = "CustomerCreated"

	productCreated eventType = "ProductCreated"
	stockReserved  eventType = "StockReserved"
	stockReleased  eventType = "StockReleased"
	stockExhausted eventType = "StockExhausted"

	paymentTaken    eventType = "PaymentTaken"
	paymentDeclined eventType = "PaymentDeclined"
	paymentVoided   eventType = "PaymentVoided"

	orderCreated   eventType = "OrderCreated"
	orderConfirmed eventType = "OrderConfirmed"
	orderCancelled eventType = "OrderCancelled"
	orderFailed    eventType = "OrderFailed"

	sagaStarted       eventType = "SagaStarted"
	sagaStockReserved eventType = "SagaStockReserved"
	sagaStepFailed    eventType = "SagaStepFailed"
	sagaStockReleased eventType = "SagaStockReleased"
	sagaPaymentVoided eventType = "SagaPaymentVoided"
	sagaCompleted     eventType = "SagaCompleted"
	sagaCompensated   eventType = "SagaCompensated"
	sagaFailed        eventType = "SagaFailed"
	sagaTimedOut      eventType = "SagaTimedOut"
)

// known tells whether a service of this package writes events of the type.
func (t eventType) known() bool {
	return slices.Contains([]eventType{
		customerCreated, productCreated, stockReserved, stockReleased, stockExhausted,
		paymentTaken, paymentDeclined, paymentVoided, orderCreated, orderConfirmed, orderCancelled, orderFailed,
		sagaStarted, sagaStockReserved, sagaStepFailed, sagaStockReleased, sagaPaymentVoided,
		sagaCompleted, sagaCompensated, sagaFailed, sagaTimedOut,
	}, t)
}

// event is one thing that happened to one aggregate. The body depends on the type.
type event struct {
	Type eventType
	At   time.Time
	Body []byte
}

func (e event) encode() []byte {
	b := make([]byte, 0, 16+len(e.Type)+len(e.Body))
	b = wire.AppendText(b, string(e.Type))
	b = wire.AppendInt(b, e.At.UnixNano())
	return append(b, e.Body...)
}

func decodeEvent(b []byte) (event, error) {
	r := wire.NewReader(b)
	e := event{Type: eventType(r.Text()), At: time.Unix(0, r.Int()), Body: r.Rest()}
	return e, r.Err()
}
