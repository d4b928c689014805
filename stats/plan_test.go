package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func word(slots []Slot) string {
	var s string
	for _, slot := range slots {
		s += slot.Variant.String()
	}
	return s
}

func TestPlan(t *testing.T) {
	got, err := Plan(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := []Slot{
		{0, 0, 0, 0, B}, {1, 0, 0, 1, A},
		{2, 0, 1, 0, A}, {3, 0, 1, 1, B},
		{4, 1, 2, 0, A}, {5, 1, 2, 1, B},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A stored plan must be reproducible from its seed for ever.
func TestPlanOfASeedNeverChanges(t *testing.T) {
	got, err := Plan(20261130, 12)
	if err != nil {
		t.Fatal(err)
	}
	if want := "ABBAABBABAABABBABAABABBA"; word(got) != want {
		t.Errorf("plan %s, want %s", word(got), want)
	}
}

func TestPlanErrors(t *testing.T) {
	_, err := Plan(1, 0)
	wantErrors(t, []errorCase{{"no pairs", err, "plan of 0 pairs"}})
}

func TestPlanIsBalancedAndExtensible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		pairs := rapid.IntRange(1, 40).Draw(t, "pairs")
		slots, err := Plan(seed, pairs)
		if err != nil {
			t.Fatal(err)
		}
		longer, err := Plan(seed, pairs+3)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slots, longer[:len(slots)]); diff != "" {
			t.Fatalf("a longer plan does not begin with the shorter:\n%s", diff)
		}
		if len(slots) != 2*pairs {
			t.Fatalf("%d slots for %d pairs", len(slots), pairs)
		}
		whole := word(slots)
		for block := range pairs / 2 {
			if w := whole[4*block : 4*block+4]; w != "ABBA" && w != "BAAB" {
				t.Fatalf("block %d is %s", block, w)
			}
		}
		if w := whole[len(whole)-2:]; w != "AB" && w != "BA" {
			t.Fatalf("last pair is %s", w)
		}
		for i, s := range slots {
			if s.Index != i || s.Block != i/4 || s.Pair != i/2 || s.Position != i%2 {
				t.Fatalf("slot %d is %+v", i, s)
			}
		}
	})
}

// Over seeds 0, 1, 2, ... every block must begin with A half of the time, and
// independently of the block before.
func TestPlanIsUniformOverSeeds(t *testing.T) {
	const seeds = 20_000
	var startsA [6]int
	var alike [5]int
	for seed := range uint64(seeds) {
		slots, err := Plan(seed, 12)
		if err != nil {
			t.Fatal(err)
		}
		for block := range startsA {
			if slots[4*block].Variant == A {
				startsA[block]++
			}
			if block > 0 && slots[4*block].Variant == slots[4*block-4].Variant {
				alike[block-1]++
			}
		}
	}
	const slack = 283 // 4 standard deviations of a fair coin
	for _, n := range append(startsA[:], alike[:]...) {
		if n < seeds/2-slack || n > seeds/2+slack {
			t.Errorf("blocks starting with A %v, like the one before %v, of %d seeds", startsA, alike, seeds)
			break
		}
	}
}
