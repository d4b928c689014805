package orderflow

import (
	"net/http"
	"time"

	"github.com/perfctl/perfctl/orderflow/view"
	"github.com/perfctl/perfctl/orderflow/wire"
)

// customer is the state of one customer; the id follows from the email.
type customer struct {
	ID      string `json:"customerId"`
	Email   string `json:"email"`
	Name    string `json:"name"`
	Address string `json:"address"`
}

func customerAggregate() aggregate[customer] {
	codec := view.Codec[customer]{
		Append: func(b []byte, c customer) []byte {
			for _, s := range []string{c.ID, c.Email, c.Name, c.Address} {
				b = wire.AppendText(b, s)
			}
			return b
		},
		Decode: func(b []byte) (customer, error) {
			r := wire.NewReader(b)
			c := customer{ID: r.Text(), Email: r.Text(), Name: r.Text(), Address: r.Text()}
			return c, r.Err()
		},
	}
	return aggregate[customer]{codec: codec, apply: func(_ customer, e event) (customer, error) { return codec.Decode(e.Body) }}
}

// accounts is the account service.
type accounts struct {
	*service
	customers []*table[customer]
}

func newAccounts(s *service, c Config) *accounts {
	a := &accounts{service: s, customers: tables(s, customerAggregate(), c)}
	registerTables(s, "customer", a.customers)
	return a
}

func (a *accounts) endpoints() []endpoint {
	return []endpoint{
		{http.MethodPost, "/api/customers", a.post},
		{http.MethodGet, "/api/customers/{id}", a.get},
	}
}

func (a *accounts) post(w http.ResponseWriter, r *http.Request) reply {
	var in customer
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	if in.Email == "" || in.Name == "" {
		return badRequest("email and name must not be empty")
	}
	in.ID = naturalID("cus-", in.Email)
	exists := false
	a.commandAndWait(in.ID, func(shard int) []record {
		t := a.customers[shard]
		if _, exists = t.view.Get(in.ID); exists {
			return nil
		}
		_, records := t.append(in.ID, event{Type: customerCreated, At: time.Now(), Body: t.aggregate.codec.Append(nil, in)})
		return records
	})
	if exists {
		return refuse(http.StatusConflict, "CUSTOMER_EXISTS", "a customer with the email "+in.Email+" exists")
	}
	return reply{http.StatusCreated, in}
}

func (a *accounts) get(_ http.ResponseWriter, r *http.Request) reply {
	id := r.PathValue("id")
	var found customer
	var ok bool
	a.query(id, func(shard int) { found, ok = a.customers[shard].view.Get(id) })
	if !ok {
		return notFound("customer", id)
	}
	return reply{http.StatusOK, found}
}

func (a *accounts) settings() map[string]any { return tableSettings(a.customers) }

func (a *accounts) close() error { return closeTables(a.customers) }
