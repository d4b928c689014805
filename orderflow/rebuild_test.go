package orderflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/orderflow/view"
)

func stores() []view.Kind { return []view.Kind{view.Heap, view.OffHeap} }

type reporter interface {
	Errorf(format string, args ...any)
	Helper()
}

// checkRebuild compares every view with the state that the events alone give.
func checkRebuild(t reporter, s *shop) {
	t.Helper()
	sameAsEvents(t, s.system.parts[Account].(*accounts).customers)
	sameAsEvents(t, s.system.parts[Inventory].(*inventory).products)
	sameAsEvents(t, s.system.parts[Payment].(*payments).payments)
	for _, r := range s.system.orders.replicas {
		sameAsEvents(t, r.tables.orders)
		sameAsEvents(t, r.tables.sagas)
	}
}

func sameAsEvents[T any](t reporter, list []*table[T]) {
	t.Helper()
	for _, table := range list {
		keys := table.log.Keys()
		if int64(len(keys)) != table.view.Len() {
			t.Errorf("%d streams and %d values", len(keys), table.view.Len())
		}
		for _, key := range keys {
			want, _ := table.view.Get(key)
			got, err := table.rebuild(key)
			if err != nil {
				t.Errorf("%s: %v", key, err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(saga{})); diff != "" {
				t.Errorf("%s: view and events differ: %s", key, diff)
			}
		}
	}
}

// A limit of 256 events per kind keeps at most that many, and no state is lost.
func TestEventStoreLimit(t *testing.T) {
	for _, kind := range engines() {
		t.Run(string(kind), func(t *testing.T) {
			type counts struct{ Appended, Bounded, Complete bool }
			got := map[int]counts{}
			for _, limit := range []int{0, 256} {
				s := startShop(t, func(c *Config) { c.Engine, c.EventStoreLimit = kind, limit })
				p := s.product("s", 1000)
				for range 300 {
					s.order(p, 1, 1)
				}
				s.settle()
				checkRebuild(t, s)
				var appended, retained, folded int64
				for _, table := range s.system.orders.replicas[0].tables.orders {
					appended += table.log.Appended()
					retained += table.log.Retained()
					folded += table.log.Folded()
				}
				got[limit] = counts{appended == 600, retained <= 256, folded+retained == appended}
				if limitNow := s.get(Order, "/actuator/info"); !containsSetting(limitNow.Body, "event_store_limit", fmt.Sprint(limit)) {
					t.Errorf("info %s, want the limit %d", limitNow.Body, limit)
				}
			}
			want := map[int]counts{0: {true, false, true}, 256: {true, true, true}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBrokenEventsAreErrors(t *testing.T) {
	for name, err := range map[string]error{
		"customer": applied(customerAggregate(), "", nil),
		"product":  applied(productAggregate(), "Nothing", appendReservation(nil, reservation{})),
		"reserved": applied(productAggregate(), stockReserved, nil),
		"payment":  applied(paymentAggregate(), "Nothing", appendPayment(nil, payment{})),
		"order":    applied(orderAggregate(), "Nothing", nil),
		"reason":   applied(orderAggregate(), orderCancelled, nil),
		"saga":     applied(sagaAggregate(), "Nothing", nil),
		"step":     applied(sagaAggregate(), sagaStepFailed, nil),
		"snapshot": func() error { _, err := orderAggregate().rebuild([]byte{1}, nil); return err }(),
		"event":    func() error { _, err := orderAggregate().rebuild(nil, [][]byte{{9}}); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: a broken event applies", name)
		}
	}
}

func applied[T any](a aggregate[T], kind eventType, body []byte) error {
	_, err := a.rebuild(nil, [][]byte{event{Type: kind, Body: body}.encode()})
	return err
}

// containsSetting tells whether the info of a service has a setting with that JSON value.
func containsSetting(info, name, value string) bool {
	return strings.Contains(info, fmt.Sprintf("%q:%s", name, value))
}
