package orderflow

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/orderflow/engine"
)

func mustParse(t *testing.T, s string) Faults {
	t.Helper()
	f, err := ParseFaults(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Requests at 0, 50, 150, ... ms; the process pauses from 100 to 300 ms.
func TestAPauseHoldsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaults(true)
		f.run(mustParse(t, "pause=200ms@100ms").Plan)
		start := time.Now()
		var got []time.Duration
		for _, at := range []time.Duration{0, 50, 150, 250, 299, 300} {
			time.Sleep(at*time.Millisecond - time.Since(start))
			synctest.Wait()
			f.pass(t.Context())
			got = append(got, time.Since(start)/time.Millisecond)
		}
		f.close()
		if diff := cmp.Diff([]time.Duration{0, 50, 300, 300, 300, 300}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPausedRequestEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaults(true)
		f.inject(Fault{Kind: faultPause, Duration: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		f.pass(ctx)
		if got := time.Since(start); got != time.Second {
			t.Errorf("the request ended after %v, want 1s", got)
		}
		f.close()
	})
}

func TestALeakGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaults(true)
		f.run(mustParse(t, "leak=1MiB/s@2s,leak=3MiB@4s").Plan)
		var got []int64
		for range 6 {
			time.Sleep(999 * time.Millisecond)
			synctest.Wait()
			got = append(got, f.leakedBytes()>>20)
			time.Sleep(time.Millisecond)
		}
		f.close()
		// From 2 s one each second; three more at 4 s. Each look is 1 ms before the next second.
		if diff := cmp.Diff([]int64{0, 0, 1, 2, 6, 7}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestARefusalClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaults(true)
		f.inject(Fault{Kind: faultRefuse, Duration: time.Second})
		aborted := func() (err any) {
			defer func() { err = recover() }()
			f.pass(t.Context())
			return nil
		}
		if got := aborted(); got != http.ErrAbortHandler {
			t.Errorf("the request ends with %v, want %v", got, http.ErrAbortHandler)
		}
		time.Sleep(time.Second)
		if got := aborted(); got != nil {
			t.Errorf("after the refusal a request ends with %v", got)
		}
		f.close()
	})
}

func TestFaultsOnCommand(t *testing.T) {
	s := startShop(t, func(c *Config) { c.Faults.Enabled, c.Replicas = true, 2 })
	p := s.product("s", 10)
	s.post(Inventory, "/api/products/"+p+"/stock/reserve", `{"quantity":4}`)
	for _, tt := range []struct {
		body string
		want expectation
	}{
		{`{"exhaust":"all","slow":"order-2:1ms","leak":"1MiB"}`, expectation{200, ""}},
		{`{"pause":"1ms"}`, expectation{200, ""}},
		{`{"slow":"order-3:1ms"}`, expectation{400, "BAD_REQUEST"}},
		{`{"slow":"x"}`, expectation{400, "BAD_REQUEST"}},
		{`{"exhaust":"some"}`, expectation{400, "BAD_REQUEST"}},
		{`{"explode":"now"}`, expectation{400, "BAD_REQUEST"}},
		{`{"pause":"1ms","refuse":"-1s"}`, expectation{400, "BAD_REQUEST"}},
		{`{"leak":"-1"}`, expectation{400, "BAD_REQUEST"}},
		{`{}`, expectation{400, "BAD_REQUEST"}},
		{`x`, expectation{400, "BAD_REQUEST"}},
	} {
		if diff := cmp.Diff(tt.want, s.post(Order, "/actuator/fault", tt.body).expectation()); diff != "" {
			t.Errorf("%s: %s", tt.body, diff)
		}
	}
	got := s.get(Inventory, "/api/products/"+p)
	if got.text("quantityOnHand") != "4" || got.text("quantityReserved") != "4" {
		t.Errorf("product %s, want all free stock gone", got.Body)
	}
	if a := s.post(Inventory, "/api/products/"+p+"/stock/reserve", `{"quantity":1}`); a.code() != insufficientStock {
		t.Errorf("reserve after exhaust: %s", a.Body)
	}
	replicas := s.system.orders.replicas
	if delays := []int64{replicas[0].delay.Load(), replicas[1].delay.Load()}; !cmp.Equal(delays, []int64{0, int64(time.Millisecond)}) {
		t.Errorf("delays %v, want only the second slow", delays)
	}
	info := s.get(Payment, "/actuator/info").Body
	if !containsSetting(info, "faults_injected", "4") || !containsSetting(info, "leaked_bytes", "1048576") {
		t.Errorf("info %s, want 4 faults and 1 MiB leaked", info)
	}
	checkRebuild(t, s)
}

func TestARefusalIsSeenByTheClient(t *testing.T) {
	s := startShop(t, func(c *Config) {
		c.Faults = Faults{Enabled: true, Plan: []Fault{{Kind: faultRefuse, Duration: time.Hour}}}
	})
	for s.system.faults.injected.Load() == 0 {
		runtime.Gosched() // the plan starts beside us
	}
	request, _ := http.NewRequest(http.MethodPost, "http://"+s.system.Addrs()[Order]+"/api/orders", nil)
	if response, err := s.client.Do(request); err == nil {
		response.Body.Close()
		t.Errorf("status %d, want no answer", response.StatusCode)
	}
}

// Requests in turn to two replicas, of which the second is slowed by 30 ms, and then is not.
func TestSlowReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Replicas: 2}.withDefaults()
		e := engine.New(c.Engine, 1, false)
		o := newOrders(newService(Order, e, c), c, &scripted{}, &scripted{})
		f := newFaults(true)
		f.orders = o
		get := o.balanced((*replica).getOrder)
		type visit struct {
			Replica string
			Took    time.Duration
		}
		var got []visit
		for _, delay := range []time.Duration{30 * time.Millisecond, 0} {
			f.inject(Fault{Kind: faultSlow, Replica: "order-2", Duration: delay})
			for range 2 {
				start, w := time.Now(), httptest.NewRecorder()
				get(w, httptest.NewRequest(http.MethodGet, "/api/orders/x", nil))
				got = append(got, visit{w.Header().Get("X-Replica"), time.Since(start)})
			}
		}
		e.Close()
		f.close()
		want := []visit{{"order-1", 0}, {"order-2", 30 * time.Millisecond}, {"order-1", 0}, {"order-2", 0}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPlannedExhaustWithoutInventory(t *testing.T) {
	f := newFaults(true)
	f.inject(Fault{Kind: faultExhaust})
	f.inject(Fault{Kind: faultSlow, Replica: "order-1", Duration: time.Second})
	f.close()
	if f.injected.Load() != 2 || f.replicas() != 0 {
		t.Errorf("injected %d, want 2 without effect", f.injected.Load())
	}
}

func TestFaultsSideBySide(t *testing.T) {
	f := newFaults(true)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() { f.inject(Fault{Kind: faultLeak, Bytes: 10}) })
	}
	wait.Wait()
	f.close()
	if f.leakedBytes() != 40 {
		t.Errorf("leaked %d, want 40", f.leakedBytes())
	}
}
