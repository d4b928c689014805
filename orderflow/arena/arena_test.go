package arena

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// The model is a map of plain slices: whatever is put and freed, every live block keeps its value.
func TestBlocksKeepTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := New()
		defer a.Close()
		model := map[Ref][]byte{}
		var live []Ref
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				size := rapid.SampledFrom([]int{0, 1, 59, 60, 61, 124, 125, 5000, slabSize - 4, slabSize}).Draw(t, "size")
				value := bytes.Repeat([]byte{byte(len(model) + 1)}, size)
				ref := a.Put(value)
				if _, taken := model[ref]; taken {
					t.Fatalf("block %x handed out twice", ref)
				}
				model[ref] = value
				live = append(live, ref)
			},
			"free": func(t *rapid.T) {
				if len(live) == 0 {
					t.Skip("nothing to free")
				}
				i := rapid.IntRange(0, len(live)-1).Draw(t, "block")
				a.Free(live[i])
				delete(model, live[i])
				live = append(live[:i], live[i+1:]...)
			},
			"": func(t *rapid.T) {
				var used int64
				for ref, want := range model {
					if got := a.Get(ref); !bytes.Equal(want, got) {
						t.Fatalf("block %x holds %d bytes, want %d", ref, len(got), len(want))
					}
					used += 1 << classOf(len(want))
				}
				if a.Used() != used || a.Mapped() < used {
					t.Fatalf("used %d of %d bytes, want %d", a.Used(), a.Mapped(), used)
				}
			},
		})
	})
}

func TestFreedBlocksAreUsedAgain(t *testing.T) {
	a := New()
	defer a.Close()
	for range 100_000 {
		a.Free(a.Put(make([]byte, 100)))
	}
	if a.Mapped() != slabSize || a.Used() != 0 {
		t.Errorf("mapped %d, used %d, want one slab and 0", a.Mapped(), a.Used())
	}
}

func TestSizeClasses(t *testing.T) {
	for n, want := range map[int]int{0: 6, 60: 6, 61: 7, 124: 7, 125: 8, slabSize - 4: 20, slabSize: 21} {
		if got := classOf(n); got != want {
			t.Errorf("class of %d bytes is %d, want %d", n, got, want)
		}
	}
}

func TestCloseGivesAllBack(t *testing.T) {
	a := New()
	a.Put([]byte("x"))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if a.Mapped() != 0 || a.Used() != 0 {
		t.Errorf("mapped %d, used %d after close, want 0", a.Mapped(), a.Used())
	}
	if got := a.Get(a.Put([]byte("again"))); string(got) != "again" {
		t.Errorf("value %q after close, want again", got)
	}
	a.Close()
}
