package orderflow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/perfctl/perfctl/orderflow/engine"
)

// shop is a running system and a client for it.
type shop struct {
	t      testing.TB
	system *System
	client *http.Client
}

// startShop starts a system on free ports of this machine; it ends with the test.
func startShop(t testing.TB, change func(*Config)) *shop {
	t.Helper()
	c := Config{Addrs: map[string]string{}}
	for _, name := range Services() {
		c.Addrs[name] = "127.0.0.1:0"
	}
	if change != nil {
		change(&c)
	}
	system, err := Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	s := &shop{t: t, system: system, client: &http.Client{Transport: transport}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := system.Shutdown(context.Background()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return s
}

type answer struct {
	Status int
	Header http.Header
	Body   string
}

// code is the code of an error body.
func (a answer) code() string { return a.text("code") }

// text is a field of a JSON body, as text.
func (a answer) text(field string) string {
	var m map[string]any
	if json.Unmarshal([]byte(a.Body), &m) != nil || m[field] == nil {
		return ""
	}
	return fmt.Sprint(m[field])
}

func (s *shop) do(method, service, path, body string) answer {
	s.t.Helper()
	request, err := http.NewRequest(method, "http://"+s.system.Addrs()[service]+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(bytes.TrimSpace(got))}
}

func (s *shop) get(service, path string) answer {
	s.t.Helper()
	return s.do(http.MethodGet, service, path, "")
}

func (s *shop) post(service, path, body string) answer {
	s.t.Helper()
	return s.do(http.MethodPost, service, path, body)
}

// product creates a product and returns its id.
func (s *shop) product(sku string, stock int) string {
	s.t.Helper()
	a := s.post(Inventory, "/api/products", fmt.Sprintf(`{"sku":%q,"name":"thing","price":9.99,"quantityOnHand":%d,"description":"d"}`, sku, stock))
	if a.Status != http.StatusCreated {
		s.t.Fatalf("product: %d %s", a.Status, a.Body)
	}
	return a.text("productId")
}

// order places an order of one line and returns its id.
func (s *shop) order(product string, quantity int, price float64) string {
	s.t.Helper()
	a := s.post(Order, "/api/orders", fmt.Sprintf(`{"customerId":"cus-1","lineItems":[{"productId":%q,"quantity":%d,"unitPrice":%.2f}],"shippingAddress":"here"}`, product, quantity, price))
	if a.Status != http.StatusCreated || a.text("status") != "PENDING" {
		s.t.Fatalf("order: %d %s", a.Status, a.Body)
	}
	return a.text("orderId")
}

// settle waits until no saga is under way.
func (s *shop) settle() { s.system.orders.active.Wait() }

func engines() []engine.Kind { return []engine.Kind{engine.Community, engine.TPC} }
