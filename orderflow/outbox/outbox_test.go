package outbox

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func publisher(o *Outbox, deliver func([]Entry) error) *Publisher {
	return &Publisher{
		Outboxes:  []*Outbox{o},
		Access:    func(_ int, f func()) { f() },
		Deliver:   func(_ context.Context, e []Entry) error { return deliver(e) },
		Published: func(time.Duration) {},
		Tick:      100 * time.Millisecond,
	}
}

func newOutbox(kind Kind) *Outbox { return New(kind, time.Minute, &sync.Mutex{}) }

// One entry before each of ten ticks: the scan looks at 1 + 2 + ... + 10 entries, the index at one
// per tick. Both deliver the same.
func TestEntriesScanned(t *testing.T) {
	for kind, want := range map[Kind]int64{Scan: 55, Indexed: 10} {
		t.Run(string(kind), func(t *testing.T) {
			o := newOutbox(kind)
			var got []uint64
			p := publisher(o, func(entries []Entry) error {
				for _, e := range entries {
					got = append(got, e.ID)
				}
				return nil
			})
			for range 10 {
				o.Write(Entry{Type: "OrderCreated", Key: "ord-1", Created: time.Now(), Payload: []byte("x")})
				p.Sweep(t.Context(), time.Now())
			}
			if o.Scanned() != want {
				t.Errorf("scanned %d entries, want %d", o.Scanned(), want)
			}
			if diff := cmp.Diff([]uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got); diff != "" {
				t.Error(diff)
			}
			if o.DeliveredCount() != 10 {
				t.Errorf("delivered %d, want 10", o.DeliveredCount())
			}
		})
	}
}

// Whatever is written between sweeps, of which some fail, each entry is delivered once, in order.
func TestEachEntryIsDeliveredOnce(t *testing.T) {
	for _, kind := range []Kind{Scan, Indexed} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				o := newOutbox(kind)
				broken := false
				var got, want []uint64
				p := publisher(o, func(entries []Entry) error {
					if broken {
						return errors.New("no")
					}
					for _, e := range entries {
						got = append(got, e.ID)
					}
					return nil
				})
				for _, sweep := range rapid.SliceOfN(rapid.IntRange(0, 600), 0, 6).Draw(t, "writes") {
					for range sweep {
						want = append(want, uint64(len(want)))
						o.Write(Entry{Created: time.Now()})
					}
					broken = rapid.Bool().Draw(t, "broken")
					p.Sweep(context.Background(), time.Now())
				}
				broken = false
				p.Sweep(context.Background(), time.Now())
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestPublisherRunsAtEachTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox(Indexed)
		start := time.Now()
		var at []time.Duration
		attempts := 0
		p := publisher(o, func([]Entry) error {
			attempts++
			if attempts == 2 {
				return errors.New("subscriber is away")
			}
			at = append(at, time.Since(start))
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() { p.Run(ctx) })
		for range 2 {
			o.Write(Entry{Created: time.Now()})
			time.Sleep(150 * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		cancel()
		wait.Wait()
		// The first at 100 ms; the second, written at 150, fails at 200 and is delivered at 300.
		if diff := cmp.Diff([]time.Duration{100 * time.Millisecond, 300 * time.Millisecond}, at); diff != "" {
			t.Error(diff)
		}
		if p.Failed() != 1 {
			t.Errorf("failed %d, want 1", p.Failed())
		}
	})
}

func TestDeliveredEntriesExpire(t *testing.T) {
	for _, kind := range []Kind{Scan, Indexed} {
		t.Run(string(kind), func(t *testing.T) {
			o := newOutbox(kind)
			start := time.Unix(1000, 0)
			for i := range 4 {
				o.Write(Entry{Created: start.Add(time.Duration(i) * time.Second)})
			}
			var kept []int64
			expire := func(after time.Duration) {
				o.Expire(start.Add(after), 100)
				kept = append(kept, o.Len())
			}
			expire(time.Hour) // nothing is delivered
			entries, _ := o.Pending(0, 3)
			o.Delivered(entries)
			expire(time.Minute - 1)
			expire(time.Minute)
			expire(time.Hour) // the last one is still pending
			if diff := cmp.Diff([]int64{4, 4, 3, 1}, kept); diff != "" {
				t.Error(diff)
			}
			found, next := o.Pending(0, 10)
			if len(found) != 1 || found[0].ID != 3 || next != 0 {
				t.Errorf("pending %v, next %d, want entry 3 and no more", found, next)
			}
		})
	}
}

func TestAnEntryIsStoredWhole(t *testing.T) {
	want := Entry{ID: 7, Type: "OrderCreated", Key: "ord-7", Created: time.Unix(5, 6), Payload: []byte{0, 1, 2}}
	got, status := decode(encode(want))
	if diff := cmp.Diff(want, got); diff != "" || status != pending {
		t.Errorf("status %c, %s", status, diff)
	}
}
