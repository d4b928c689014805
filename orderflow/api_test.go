package orderflow

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type expectation struct {
	Status int
	Code   string
}

func (a answer) expectation() expectation { return expectation{a.Status, a.code()} }

func TestAPI(t *testing.T) {
	for _, kind := range engines() {
		t.Run(string(kind), func(t *testing.T) {
			s := startShop(t, func(c *Config) { c.Engine = kind })
			p := s.product("sku-1", 10)
			o := s.order(p, 1, 9.99)
			s.settle()
			big := fmt.Sprintf(`{"email":"a","name":%q}`, strings.Repeat("x", maxBody))
			line := func(item string) string {
				return `{"customerId":"c","shippingAddress":"a","lineItems":[` + item + `]}`
			}
			for _, tt := range []struct {
				name, method, service, path, body string
				want                              expectation
			}{
				{"customer", "POST", Account, "/api/customers", `{"email":"a@b","name":"A","address":"x"}`, expectation{201, ""}},
				{"same email", "POST", Account, "/api/customers", `{"email":"a@b","name":"B","address":"y"}`, expectation{409, "CUSTOMER_EXISTS"}},
				{"no email", "POST", Account, "/api/customers", `{"name":"A"}`, expectation{400, "BAD_REQUEST"}},
				{"not json", "POST", Account, "/api/customers", `{"email":`, expectation{400, "BAD_REQUEST"}},
				{"two values", "POST", Account, "/api/customers", `{"email":"q","name":"A"} {}`, expectation{400, "BAD_REQUEST"}},
				{"wrong type", "POST", Account, "/api/customers", `{"email":7,"name":"A"}`, expectation{400, "BAD_REQUEST"}},
				{"empty body", "POST", Account, "/api/customers", ``, expectation{400, "BAD_REQUEST"}},
				{"too large", "POST", Account, "/api/customers", big, expectation{413, "TOO_LARGE"}},
				{"unknown customer", "GET", Account, "/api/customers/cus-0", ``, expectation{404, "NOT_FOUND"}},
				{"method", "DELETE", Account, "/api/customers", ``, expectation{405, "METHOD_NOT_ALLOWED"}},
				{"path", "GET", Account, "/api/nothing", ``, expectation{404, "NOT_FOUND"}},
				{"other service's path", "POST", Account, "/api/orders", `{}`, expectation{404, "NOT_FOUND"}},

				{"same sku", "POST", Inventory, "/api/products", `{"sku":"sku-1","name":"x","price":1}`, expectation{409, "PRODUCT_EXISTS"}},
				{"no sku", "POST", Inventory, "/api/products", `{"name":"x","price":1}`, expectation{400, "BAD_REQUEST"}},
				{"price below 0", "POST", Inventory, "/api/products", `{"sku":"s","name":"x","price":-1}`, expectation{400, "BAD_REQUEST"}},
				{"price of text", "POST", Inventory, "/api/products", `{"sku":"s","name":"x","price":"dear"}`, expectation{400, "BAD_REQUEST"}},
				{"stock below 0", "POST", Inventory, "/api/products", `{"sku":"s","name":"x","price":1,"quantityOnHand":-1}`, expectation{400, "BAD_REQUEST"}},
				{"product", "GET", Inventory, "/api/products/" + p, ``, expectation{200, ""}},
				{"product by head", "HEAD", Inventory, "/api/products/" + p, ``, expectation{200, ""}},
				{"unknown product", "GET", Inventory, "/api/products/prd-0", ``, expectation{404, "NOT_FOUND"}},
				{"reserve", "POST", Inventory, "/api/products/" + p + "/stock/reserve", `{"quantity":2,"orderId":"o"}`, expectation{200, ""}},
				{"reserve too much", "POST", Inventory, "/api/products/" + p + "/stock/reserve", `{"quantity":8,"orderId":"o"}`, expectation{409, "INSUFFICIENT_STOCK"}},
				{"reserve nothing", "POST", Inventory, "/api/products/" + p + "/stock/reserve", `{"quantity":0,"orderId":"o"}`, expectation{400, "BAD_REQUEST"}},
				{"reserve unknown", "POST", Inventory, "/api/products/prd-0/stock/reserve", `{"quantity":1,"orderId":"o"}`, expectation{404, "PRODUCT_NOT_FOUND"}},
				{"reserve not json", "POST", Inventory, "/api/products/" + p + "/stock/reserve", `x`, expectation{400, "BAD_REQUEST"}},
				{"release without id", "POST", Inventory, "/api/products/" + p + "/stock/release", `{}`, expectation{400, "BAD_REQUEST"}},
				{"release not json", "POST", Inventory, "/api/products/" + p + "/stock/release", `x`, expectation{400, "BAD_REQUEST"}},

				{"order", "GET", Order, "/api/orders/" + o, ``, expectation{200, ""}},
				{"unknown order", "GET", Order, "/api/orders/ord-0", ``, expectation{404, "NOT_FOUND"}},
				{"saga", "GET", Order, "/api/sagas/" + o, ``, expectation{200, ""}},
				{"unknown saga", "GET", Order, "/api/sagas/ord-0", ``, expectation{404, "NOT_FOUND"}},
				{"order not json", "POST", Order, "/api/orders", `[]`, expectation{400, "BAD_REQUEST"}},
				{"order without customer", "POST", Order, "/api/orders", `{"lineItems":[{"productId":"p","quantity":1,"unitPrice":1}]}`, expectation{400, "BAD_REQUEST"}},
				{"order without items", "POST", Order, "/api/orders", line(""), expectation{400, "BAD_REQUEST"}},
				{"order of nothing", "POST", Order, "/api/orders", line(`{"productId":"p","quantity":0,"unitPrice":1}`), expectation{400, "BAD_REQUEST"}},
				{"order of no product", "POST", Order, "/api/orders", line(`{"quantity":1,"unitPrice":1}`), expectation{400, "BAD_REQUEST"}},
				{"order price below 0", "POST", Order, "/api/orders", line(`{"productId":"p","quantity":1,"unitPrice":-1}`), expectation{400, "BAD_REQUEST"}},

				{"payment", "GET", Payment, "/api/payments/" + o, ``, expectation{200, ""}},
				{"unknown payment", "GET", Payment, "/api/payments/x", ``, expectation{404, "NOT_FOUND"}},
				{"payment without order", "POST", Payment, "/api/payments", `{"amountCents":1}`, expectation{400, "BAD_REQUEST"}},
				{"payment not json", "POST", Payment, "/api/payments", `x`, expectation{400, "BAD_REQUEST"}},

				{"health", "GET", Order, "/actuator/health", ``, expectation{200, ""}},
				{"faults are off", "POST", Order, "/actuator/fault", `{"pause":"1ms"}`, expectation{403, "FAULTS_DISABLED"}},
				{"events of nobody", "POST", Order, "/internal/events", `{"source":"x"}`, expectation{400, "BAD_REQUEST"}},
				{"events of no type", "POST", Order, "/internal/events", `{"source":"payment","entries":[{"type":"x"}]}`, expectation{400, "BAD_REQUEST"}},
				{"events not json", "POST", Order, "/internal/events", `x`, expectation{400, "BAD_REQUEST"}},
			} {
				t.Run(tt.name, func(t *testing.T) {
					got := s.do(tt.method, tt.service, tt.path, tt.body)
					if diff := cmp.Diff(tt.want, got.expectation()); diff != "" {
						t.Errorf("%s\nbody: %s", diff, got.Body)
					}
				})
			}
		})
	}
}

func TestWhatIsCreatedIsRead(t *testing.T) {
	for _, store := range []string{"heap", "hd-memory"} {
		t.Run(store, func(t *testing.T) {
			s := startShop(t, func(c *Config) { setText(&c.Store, "heap", "hd-memory")(store) })
			customer := s.post(Account, "/api/customers", `{"email":"a@b","name":"Ann","address":"1 Main St","customerId":"mine"}`)
			product := s.post(Inventory, "/api/products", `{"sku":"s","name":"thing","price":19.99,"quantityOnHand":7,"description":"d","quantityReserved":5}`)
			for _, check := range []struct{ got, want string }{
				{s.get(Account, "/api/customers/"+customer.text("customerId")).Body,
					fmt.Sprintf(`{"customerId":%q,"email":"a@b","name":"Ann","address":"1 Main St"}`, naturalID("cus-", "a@b"))},
				{s.get(Inventory, "/api/products/"+product.text("productId")).Body,
					fmt.Sprintf(`{"productId":%q,"sku":"s","name":"thing","description":"d","price":19.99,"quantityOnHand":7,"quantityReserved":0}`, naturalID("prd-", "s"))},
			} {
				if diff := cmp.Diff(check.want, check.got); diff != "" {
					t.Error(diff)
				}
			}
			p := product.text("productId")
			id := s.post(Order, "/api/orders", fmt.Sprintf(`{"customerId":"c","lineItems":[{"productId":%q,"quantity":2,"unitPrice":19.99},{"productId":%q,"quantity":1,"unitPrice":0.01}],"shippingAddress":"here","notes":"soon"}`, p, p)).text("orderId")
			s.settle()
			want := fmt.Sprintf(`{"orderId":%q,"customerId":"c","status":"CONFIRMED","lineItems":[{"productId":%q,"quantity":2,"unitPrice":19.99},{"productId":%q,"quantity":1,"unitPrice":0.01}],"total":39.99,"shippingAddress":"here","notes":"soon"}`, id, p, p)
			if diff := cmp.Diff(want, s.get(Order, "/api/orders/"+id).Body); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff("39.99 TAKEN", s.get(Payment, "/api/payments/"+id).text("amount")+" "+s.get(Payment, "/api/payments/"+id).text("status")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMethodsAreNamedInAllow(t *testing.T) {
	s := startShop(t, nil)
	got := s.do(http.MethodPut, Account, "/api/customers", "")
	if got.Header.Get("Allow") != "POST" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v, want Allow POST and JSON", got.Header)
	}
}

func TestReservationsWithAnIDMayBeRepeated(t *testing.T) {
	s := startShop(t, nil)
	p := s.product("s", 10)
	reserve := func(body string) expectation {
		return s.post(Inventory, "/api/products/"+p+"/stock/reserve", body).expectation()
	}
	release := func(id string) expectation {
		return s.post(Inventory, "/api/products/"+p+"/stock/release", fmt.Sprintf(`{"reservationId":%q}`, id)).expectation()
	}
	got := []expectation{
		reserve(`{"quantity":3,"reservationId":"r1"}`),
		reserve(`{"quantity":3,"reservationId":"r1"}`), // no more stock
		reserve(`{"quantity":1,"orderId":"o"}`),
		reserve(`{"quantity":1,"orderId":"o"}`), // a new one
		release("r1"),
		release("r1"),                                  // nothing more to give back
		reserve(`{"quantity":3,"reservationId":"r1"}`), // too late
		release("r2"),                                  // never made, and never to be
		reserve(`{"quantity":3,"reservationId":"r2"}`),
	}
	ok, gone := expectation{200, ""}, expectation{409, "RESERVATION_RELEASED"}
	if diff := cmp.Diff([]expectation{ok, ok, ok, ok, ok, ok, gone, ok, gone}, got); diff != "" {
		t.Error(diff)
	}
	if reserved := s.get(Inventory, "/api/products/"+p).text("quantityReserved"); reserved != "2" {
		t.Errorf("reserved %s, want 2", reserved)
	}
}

func TestPaymentsMayBeRepeatedAndVoided(t *testing.T) {
	s := startShop(t, nil)
	pay := func(order string, amount int) expectation {
		return s.post(Payment, "/api/payments", fmt.Sprintf(`{"orderId":%q,"customerId":"c","amountCents":%d}`, order, amount)).expectation()
	}
	void := func(order string) expectation {
		return s.post(Payment, "/api/payments/"+order+"/void", "").expectation()
	}
	got := []expectation{
		pay("a", int(creditLimit)), pay("a", int(creditLimit)),
		pay("b", int(creditLimit)+1), pay("b", 1),
		void("a"), void("a"), pay("a", 1),
		void("c"), pay("c", 1),
	}
	taken, declined, voided := expectation{201, ""}, expectation{402, "PAYMENT_DECLINED"}, expectation{409, "PAYMENT_VOIDED"}
	done := expectation{200, ""}
	if diff := cmp.Diff([]expectation{taken, taken, declined, declined, done, done, voided, done, voided}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPricesAreCents(t *testing.T) {
	for in, want := range map[string]cents{"0": 0, "19.99": 1999, "0.005": 1, "1e3": 100000, "1000000": maxPrice, `"10.00"`: 1000} {
		var got cents
		if err := got.UnmarshalJSON([]byte(in)); err != nil || got != want {
			t.Errorf("%s is %d cents, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"-0.01", "1000000.01", `"`, `""`, `"ten"`, `""1""`, `"-1"`, "NaN", "null"} {
		var got cents
		if err := got.UnmarshalJSON([]byte(in)); err == nil {
			t.Errorf("%s is %d cents, want an error", in, got)
		}
	}
}
