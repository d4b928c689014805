package orderflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
)

// remote is a service in another process, reached over HTTP. A command runs on a goroutine of its own,
// so that it never holds up a worker or an event loop.
type remote struct {
	name    string
	base    string
	client  *http.Client
	timeout time.Duration
	calls   sync.WaitGroup
}

func newRemote(name, base string, timeout time.Duration) *remote {
	return &remote{
		name: name, base: base, timeout: timeout,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute}},
	}
}

func (r *remote) reserve(_ engine.Turn, res reservation, done func(engine.Turn, outcome)) {
	r.call("/api/products/"+url.PathEscape(res.Product)+"/stock/reserve",
		reserveRequest{Quantity: res.Quantity, OrderID: res.Order, ReservationID: res.ID}, done)
}

func (r *remote) release(_ engine.Turn, res reservation, done func(engine.Turn, outcome)) {
	r.call("/api/products/"+url.PathEscape(res.Product)+"/stock/release",
		reserveRequest{OrderID: res.Order, ReservationID: res.ID}, done)
}

func (r *remote) pay(_ engine.Turn, p payment, done func(engine.Turn, outcome)) {
	r.call("/api/payments", paymentRequest{Order: p.Order, Customer: p.Customer, Amount: int64(p.Amount)}, done)
}

func (r *remote) void(_ engine.Turn, order string, done func(engine.Turn, outcome)) {
	r.call("/api/payments/"+url.PathEscape(order)+"/void", struct{}{}, done)
}

func (r *remote) call(path string, body any, done func(engine.Turn, outcome)) {
	r.calls.Go(func() { done(engine.Turn{}, r.post(context.Background(), path, body)) })
}

// deliver sends outbox entries.
func (r *remote) deliver(ctx context.Context, source string, entries []outbox.Entry) error {
	if out := r.post(ctx, "/internal/events", delivery{Source: source, Entries: entries}); out.status != accepted {
		return fmt.Errorf("deliver to %s at %s: %s", r.name, r.base, out.reason)
	}
	return nil
}

// post sends a command. A 4xx means that nothing was done; anything else that is not a 2xx leaves that
// open.
func (r *remote) post(ctx context.Context, path string, body any) outcome {
	encoded, err := json.Marshal(body)
	if err != nil {
		return refused("UNENCODABLE: " + err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+path, bytes.NewReader(encoded))
	if err != nil {
		return refused("BAD_URL: " + err.Error())
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return noAnswer(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	switch {
	case err != nil:
		return noAnswer(err)
	case response.StatusCode/100 == 2:
		return outcome{}
	case response.StatusCode/100 == 4:
		var why problem
		if json.Unmarshal(answer, &why) != nil || why.Code == "" {
			return refused(response.Status)
		}
		return refused(why.Code)
	default:
		return outcome{status: unclear, reason: response.Status}
	}
}

func noAnswer(err error) outcome {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return outcome{status: late, reason: "TIMEOUT"}
	}
	return outcome{status: unclear, reason: "UNREACHABLE: " + err.Error()}
}

// close waits for the calls under way and closes the connections.
func (r *remote) close() {
	r.calls.Wait()
	r.client.CloseIdleConnections()
}
