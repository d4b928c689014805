package view

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/perfctl/perfctl/orderflow/wire"
)

type pair struct {
	Name  string
	Count int64
}

func pairs() Codec[pair] {
	return Codec[pair]{
		Append: func(b []byte, p pair) []byte { return wire.AppendInt(wire.AppendText(b, p.Name), p.Count) },
		Decode: func(b []byte) (pair, error) {
			r := wire.NewReader(b)
			p := pair{Name: r.Text(), Count: r.Int()}
			return p, r.Err()
		},
	}
}

// Both kinds behave like a plain map.
func TestAViewIsAMap(t *testing.T) {
	for _, kind := range []Kind{Heap, OffHeap} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := New(kind, pairs(), &sync.Mutex{})
				defer v.Close()
				model := map[string]pair{}
				for range rapid.IntRange(0, 50).Draw(t, "puts") {
					key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
					p := pair{strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "name")), rapid.Int64().Draw(t, "count")}
					v.Put(key, p)
					model[key] = p
				}
				got := map[string]pair{}
				for _, key := range v.Keys() {
					got[key], _ = v.Get(key)
				}
				if diff := cmp.Diff(model, got); diff != "" {
					t.Error(diff)
				}
				if v.Len() != int64(len(model)) {
					t.Errorf("length %d, want %d", v.Len(), len(model))
				}
				if _, ok := v.Get("none"); ok {
					t.Error("a value for a key that was never put")
				}
			})
		})
	}
}

func TestOnlyOffHeapValuesAreDecoded(t *testing.T) {
	type counts struct {
		Kind    Kind
		Decodes int64
		OffHeap bool
	}
	var got []counts
	for _, kind := range []Kind{Heap, OffHeap} {
		v := New(kind, pairs(), &sync.Mutex{})
		v.Put("a", pair{"x", 1})
		for range 5 {
			v.Get("a")
		}
		v.Get("none")
		got = append(got, counts{v.Kind(), v.Decodes(), v.OffHeapBytes() > 0})
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	want := []counts{{Heap, 0, false}, {OffHeap, 5, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAValueThatDoesNotDecodePanics(t *testing.T) {
	codec := pairs()
	codec.Append = func(b []byte, _ pair) []byte { return b }
	v := New(OffHeap, codec, &sync.Mutex{})
	v.Put("a", pair{})
	defer v.Close()
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got, "does not decode") {
			t.Errorf("panic %q, want one about decoding", got)
		}
	}()
	v.Get("a")
}

func TestKeysOfAnEmptyView(t *testing.T) {
	if got := New(Heap, pairs(), &sync.Mutex{}).Keys(); !slices.Equal(got, []string{}) {
		t.Errorf("keys %v, want none", got)
	}
}
