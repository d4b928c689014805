package workload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/scenario"
)

const seeds = `
perfctl: 1
name: seeds
services: { s: { url: http://s:1, timeout: 5s } }
feeders:
  products: { list: [ { sku: A, price: 1.50 }, { sku: 'B "x"', price: 2 } ] }
seed:
  - { name: customers, count: 40, post: s:/customers, json: { n: "${seq}", tag: "${uuid}" }, expect: 201, keep: $.id, parallel: 4 }
  - { name: products, count: 2, post: s:/products, json: { sku: "${row.sku}", price: "${row.price}", owner: "${pick(customers)}" }, keep: $.ref }
operations:
  buy: { get: "s:/buy/${pick(products)}/${pick(customers)}" }
load: { rate: 1/s, duration: 1s }
`

// A shopServer answers as the test says and keeps what it was sent.
type shopServer struct {
	mu     sync.Mutex
	bodies map[string][]string
	most   int // requests at the same time
	now    int
	answer func(path string, body []byte, nth int) (int, string)
}

func (s *shopServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.bodies[r.URL.Path] = append(s.bodies[r.URL.Path], string(body))
	nth := len(s.bodies[r.URL.Path])
	s.mu.Unlock()
	status, reply := s.answer(r.URL.Path, body, nth)
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	w.WriteHeader(status)
	io.WriteString(w, reply)
}

func created(path string, body []byte, nth int) (int, string) {
	if path == "/products" {
		return 200, fmt.Sprintf(`{"ref":"p%d"}`, nth)
	}
	var item struct{ N int64 }
	_ = json.Unmarshal(body, &item)
	return 201, fmt.Sprintf(`{"id":%d}`, 9007199254740993+item.N)
}

func plant(t *testing.T, ctx context.Context, source string, answer func(string, []byte, int) (int, string)) (*shopServer, map[string]Feed, error) {
	t.Helper()
	s := &shopServer{bodies: map[string][]string{}, answer: answer}
	server := httptest.NewServer(s)
	defer server.Close()
	e := client.NewHTTP(client.Options{MaxConns: 16})
	defer e.Close()
	feeds, err := Plant(ctx, parse(t, source), e, Options{Endpoints: map[string]string{"s": server.URL}, Seed: 9})
	return s, feeds, err
}

func TestPlant(t *testing.T) {
	s, feeds, err := plant(t, t.Context(), seeds, created)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Feed{"products": {}, "customers": {}}
	for i := range 40 {
		want["customers"] = Feed{Rows: append(want["customers"].Rows, scenario.Row{Value: fmt.Sprint(9007199254740993 + i)})}
	}
	products := feeds["products"]
	feeds["products"] = Feed{}
	if diff := cmp.Diff(want, feeds); diff != "" {
		t.Error(diff)
	}
	if len(products.Rows) != 2 || len(s.bodies["/customers"]) != 40 {
		t.Errorf("created %d customers and products %v", len(s.bodies["/customers"]), products)
	}
	for _, body := range s.bodies["/products"] {
		var p struct {
			SKU, Owner string
			Price      json.Number
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		if price := map[string]string{"A": "1.50", `B "x"`: "2"}[p.SKU]; p.Price.String() != price || !strings.HasPrefix(p.Owner, "900719925474") {
			t.Errorf("product %s", body)
		}
	}
	if s.most > 4 {
		t.Errorf("%d at the same time, want at most 4", s.most)
	}
}

// TestPlantParallel answers only when four requests are there.
func TestPlantParallel(t *testing.T) {
	var four sync.WaitGroup
	four.Add(4)
	s, _, err := plant(t, t.Context(), seeds, func(path string, body []byte, nth int) (int, string) {
		if path == "/customers" && nth <= 4 {
			four.Done()
			four.Wait()
		}
		return created(path, body, nth)
	})
	if err != nil || s.most != 4 {
		t.Errorf("%d at the same time, %v", s.most, err)
	}
}

// TestPlantFails stops at the first failure and says where and how far it got.
func TestPlantFails(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		reply  string
		want   []string
	}{
		"status":   {500, `{"code":"BROKEN"}`, []string{"seed customers: ", " of 40 created; item ", "POST http://127.0.0.1:", `/customers: status 500: {"code":"BROKEN"}`}},
		"no id":    {201, `{"ID":1}`, []string{"seed customers: ", "keep $.id matched 0 values, want 1; the reply was {\"ID\":1}"}},
		"not JSON": {201, `created`, []string{"seed customers: ", "the body is not JSON"}},
		"long":     {500, strings.Repeat("é", 300), []string{strings.Repeat("é", 100) + "..."}},
	} {
		s, feeds, err := plant(t, t.Context(), seeds, func(path string, body []byte, nth int) (int, string) {
			if nth > 6 {
				return c.status, c.reply
			}
			return created(path, body, nth)
		})
		if err == nil || feeds != nil {
			t.Errorf("%s: no error, feeds %v", name, feeds)
			continue
		}
		for _, want := range append(c.want, "6 of 40 created") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", name, err, want)
			}
		}
		if n := len(s.bodies["/customers"]); n > 6+4 {
			t.Errorf("%s: %d requests, it did not stop at the first failure", name, n)
		}
	}
}

// TestPlantStops leaves the rest of a long seed undone after one failure.
func TestPlantStops(t *testing.T) {
	const count = 5000
	source := strings.Replace(seeds, "count: 40", "count: 5000", 1)
	s, _, err := plant(t, t.Context(), source, func(path string, body []byte, nth int) (int, string) {
		if nth == 20 {
			return 500, "broken"
		}
		return created(path, body, nth)
	})
	if n := len(s.bodies["/customers"]); err == nil || n == count {
		t.Errorf("%d requests after a failure among the first 20, %v", n, err)
	}
}

func TestPlantNobodyThere(t *testing.T) {
	e := client.NewHTTP(client.Options{MaxConns: 1})
	defer e.Close()
	dead := httptest.NewServer(nil)
	dead.Close()
	_, err := Plant(t.Context(), parse(t, seeds), e, Options{Endpoints: map[string]string{"s": dead.URL}, Seed: 9})
	if err == nil || !strings.Contains(err.Error(), "seed customers: 0 of 40 created; item 0 was not: POST "+dead.URL+"/customers: no answer (refused): ") {
		t.Error(err)
	}
}

func TestPlantCancelled(t *testing.T) {
	why := errors.New("the user had enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	release := make(chan struct{})
	var once sync.Once
	s := &shopServer{bodies: map[string][]string{}, answer: func(path string, body []byte, nth int) (int, string) {
		if nth > 3 {
			once.Do(func() { cancel(why) })
			<-release // an answer that does not come
		}
		return created(path, body, nth)
	}}
	server := httptest.NewServer(s)
	e := client.NewHTTP(client.Options{MaxConns: 16})
	_, err := Plant(ctx, parse(t, seeds), e, Options{Endpoints: map[string]string{"s": server.URL}, Seed: 9})
	close(release)
	e.Close()
	server.Close()
	if !errors.Is(err, why) || !strings.Contains(err.Error(), " of 40 created; item ") {
		t.Errorf("%v", err)
	}
}
