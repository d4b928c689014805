package orderflow

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/meter"
	"github.com/perfctl/perfctl/orderflow/wire"
)

// orderTables are the orders and sagas that a replica knows, per shard.
type orderTables struct {
	orders []*table[order]
	sagas  []*table[saga]
}

// replica is one replica of the order service. It drives the sagas of the orders that it accepted.
type replica struct {
	*orders
	name     string
	tables   orderTables
	requests *meter.Counter
	misses   *meter.Counter
	delay    atomic.Int64 // nanoseconds, set by a fault
}

// create accepts an order, starts its saga and returns when both are recorded.
func (r *replica) create(o order) {
	r.active.Add(1)
	r.sagas.begin()
	s := saga{ID: o.ID, State: sagaReserving, Lines: int64(len(o.Items)), Started: time.Now()}
	recorded := make(chan struct{}, 1)
	r.command(engine.Turn{}, o.ID, func(shard int) []record {
		_, records := r.tables.orders[shard].append(o.ID, event{Type: orderCreated, At: s.Started, Body: appendOrder(nil, o)})
		_, more := r.tables.sagas[shard].append(o.ID, event{Type: sagaStarted, At: s.Started, Body: appendSaga(nil, s)})
		return append(records, more...)
	}, func(t engine.Turn) {
		r.stats.Hops.Add(1)
		recorded <- struct{}{}
		r.advance(t, o, s)
	})
	<-recorded
}

// advance issues the command that the state of the saga asks for.
func (r *replica) advance(from engine.Turn, o order, s saga) {
	start := time.Now()
	next := func(step string, success eventType) func(engine.Turn, outcome) {
		return func(t engine.Turn, out outcome) {
			r.sagas.steps[step].Observe(time.Since(start))
			r.decide(t, o, s, out, success)
		}
	}
	switch s.State {
	case sagaReserving:
		r.stock.reserve(from, lineReservation(o, s.Reserved), next("reserve", sagaStockReserved))
	case sagaPaying:
		r.cashier.pay(from, payment{Order: o.ID, Customer: o.Customer, Amount: o.Total}, next("pay", sagaCompleted))
	case sagaVoiding:
		r.cashier.void(from, o.ID, next("void", sagaPaymentVoided))
	case sagaCompensating:
		r.stock.release(from, lineReservation(o, s.Reserved-1), next("release", sagaStockReleased))
	default:
		r.sagas.end(s)
		r.active.Done()
	}
}

// lineReservation is the reservation of one line: its id is the same at each attempt.
func lineReservation(o order, line int64) reservation {
	item := o.Items[line]
	return reservation{ID: o.ID + "-" + strconv.FormatInt(line, 10), Product: item.Product, Order: o.ID, Quantity: item.Quantity}
}

// decide records how a step ended, with the end of the saga when that follows, and goes on.
func (r *replica) decide(from engine.Turn, o order, s saga, out outcome, success eventType) {
	r.command(from, o.ID, func(shard int) []record {
		now := time.Now()
		sagas, orders := r.tables.sagas[shard], r.tables.orders[shard]
		var records, more []record
		s, records = sagas.append(o.ID, stepEvent(s, out, success, now))
		if last, ok := endOf(s, now); ok {
			s, more = sagas.append(o.ID, last)
			records = append(records, more...)
		}
		if e, ok := orderEvent(s, now); ok {
			_, more = orders.append(o.ID, e)
			records = append(records, more...)
		}
		return records
	}, func(t engine.Turn) { r.advance(t, o, s) })
}

// stepEvent is the event of a step that ended. A step backward that fails ends the saga.
func stepEvent(s saga, out outcome, success eventType, now time.Time) event {
	if out.status == accepted {
		return event{Type: success, At: now}
	}
	if s.State == sagaVoiding || s.State == sagaCompensating {
		return event{Type: sagaFailed, At: now}
	}
	return event{Type: sagaStepFailed, At: now, Body: stepFailedBody(out)}
}

// endOf returns the event that ends a saga that has undone everything.
func endOf(s saga, now time.Time) (event, bool) {
	if s.State != sagaCompensating || s.Reserved > 0 {
		return event{}, false
	}
	if s.Late {
		return event{Type: sagaTimedOut, At: now}, true
	}
	return event{Type: sagaCompensated, At: now}, true
}

// orderEvent returns what the end of the saga means for the order.
func orderEvent(s saga, now time.Time) (event, bool) {
	switch s.State {
	case sagaIsCompleted:
		return event{Type: orderConfirmed, At: now}, true
	case sagaIsUndone, sagaIsTimedOut:
		return event{Type: orderCancelled, At: now, Body: wire.AppendText(nil, s.Reason)}, true
	case sagaIsFailed:
		return event{Type: orderFailed, At: now, Body: wire.AppendText(nil, s.Reason)}, true
	}
	return event{}, false
}
