package orderflow

import (
	"fmt"
	"time"

	"github.com/perfctl/perfctl/orderflow/view"
	"github.com/perfctl/perfctl/orderflow/wire"
)

// The states of a saga. Forward: STARTED (reserving line after line), PAYING, COMPLETED. Backward:
// VOIDING, COMPENSATING (releasing line after line), then COMPENSATED or, when it went backward
// because a step had no answer in time, TIMED_OUT. A backward step that fails ends it as FAILED.
const (
	sagaReserving    = "STARTED"
	sagaPaying       = "PAYING"
	sagaVoiding      = "VOIDING"
	sagaCompensating = "COMPENSATING"
	sagaIsCompleted  = "COMPLETED"
	sagaIsUndone     = "COMPENSATED"
	sagaIsTimedOut   = "TIMED_OUT"
	sagaIsFailed     = "FAILED"
)

// saga is the state of the saga of one order. It is known by the order's id.
type saga struct {
	ID       string    `json:"sagaId"`
	State    string    `json:"status"`
	Reason   string    `json:"reason,omitempty"`
	Lines    int64     `json:"lines"`
	Reserved int64     `json:"reserved"` // lines that hold stock, or may
	Late     bool      `json:"-"`
	Started  time.Time `json:"startedAt"`
}

func sagaAggregate() aggregate[saga] {
	return aggregate[saga]{codec: view.Codec[saga]{Append: appendSaga, Decode: decodeSaga}, apply: applyToSaga}
}

func appendSaga(b []byte, s saga) []byte {
	for _, t := range []string{s.ID, s.State, s.Reason} {
		b = wire.AppendText(b, t)
	}
	wasLate := int64(0)
	if s.Late {
		wasLate = 1
	}
	for _, n := range []int64{s.Lines, s.Reserved, wasLate, s.Started.UnixNano()} {
		b = wire.AppendInt(b, n)
	}
	return b
}

func decodeSaga(b []byte) (saga, error) {
	r := wire.NewReader(b)
	s := saga{
		ID: r.Text(), State: r.Text(), Reason: r.Text(),
		Lines: r.Int(), Reserved: r.Int(), Late: r.Int() == 1, Started: time.Unix(0, r.Int()),
	}
	return s, r.Err()
}

func applyToSaga(s saga, e event) (saga, error) {
	switch e.Type {
	case sagaStarted:
		return decodeSaga(e.Body)
	case sagaStockReserved:
		s.Reserved++
		if s.Reserved == s.Lines {
			s.State = sagaPaying
		}
	case sagaStepFailed:
		return applyStepFailed(s, e)
	case sagaPaymentVoided:
		s.State = sagaCompensating
	case sagaStockReleased:
		s.Reserved--
	case sagaCompleted:
		s.State = sagaIsCompleted
	case sagaCompensated:
		s.State = sagaIsUndone
	case sagaTimedOut:
		s.State = sagaIsTimedOut
	case sagaFailed:
		s.State = sagaIsFailed
	default:
		return s, fmt.Errorf("event %q is not one of a saga", e.Type)
	}
	return s, nil
}

// applyStepFailed turns the saga round. A step without an answer may have been done, so it is undone too.
func applyStepFailed(s saga, e event) (saga, error) {
	r := wire.NewReader(e.Body)
	out := outcome{status: outcomeStatus(r.Int()), reason: r.Text()}
	s.Reason, s.Late = out.reason, out.status == late
	mayBeDone := out.status != declined
	switch {
	case s.State == sagaPaying && mayBeDone:
		s.State = sagaVoiding
	case s.State == sagaReserving && mayBeDone:
		s.Reserved++
		s.State = sagaCompensating
	default:
		s.State = sagaCompensating
	}
	return s, r.Err()
}

func stepFailedBody(out outcome) []byte {
	return wire.AppendText(wire.AppendInt(nil, int64(out.status)), out.reason)
}
