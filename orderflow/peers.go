package orderflow

import (
	"context"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// outcome is how a saga step ended. The zero outcome is a success.
type outcome struct {
	status outcomeStatus
	reason string
}

type outcomeStatus int

const (
	accepted outcomeStatus = iota
	declined               // the other service refused: nothing was done
	unclear                // no answer: it may have been done
	late                   // no answer in time: it may have been done
)

func refused(reason string) outcome { return outcome{status: declined, reason: reason} }

// stock is what a saga asks of the inventory service. Both commands may be repeated with the same
// reservation id.
type stock interface {
	reserve(engine.Turn, reservation, func(engine.Turn, outcome))
	release(engine.Turn, reservation, func(engine.Turn, outcome))
}

// cashier is what a saga asks of the payment service. Both commands may be repeated for an order.
type cashier interface {
	pay(engine.Turn, payment, func(engine.Turn, outcome))
	void(engine.Turn, string, func(engine.Turn, outcome))
}

// subscriber is told about the events of another service, each at least once.
type subscriber interface {
	deliver(ctx context.Context, source string, entries []outbox.Entry) error
}
