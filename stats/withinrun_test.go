package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func twelve(above, total int64) []BlockCount {
	blocks := make([]BlockCount, 12)
	for i := range blocks {
		blocks[i] = BlockCount{above, total}
	}
	return blocks
}

func TestWithinRunOfEvenBlocks(t *testing.T) {
	tests := []struct {
		name   string
		blocks []BlockCount
		want   WithinRun
	}{
		{"less varied than chance counts as independent", twelve(5, 100), WithinRun{0.05, 1, 1200, 12}},
		{"none above", twelve(0, 100), WithinRun{0, 1, 1200, 12}},
		{"all above", twelve(100, 100), WithinRun{1, 1, 1200, 12}},
	}
	for _, tt := range tests {
		got, err := NewWithinRun(tt.blocks)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Blocks of unequal size whose counts follow their sizes are no evidence of
// dependence.
func TestWithinRunOfUnequalBlocks(t *testing.T) {
	blocks := twelve(5, 100)
	blocks[3] = BlockCount{50, 1000}
	got, err := NewWithinRun(blocks)
	if err != nil {
		t.Fatal(err)
	}
	if want := (WithinRun{0.05, 1, 2100, 12}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// n 1200, q .5, deff 1: half-width 2.200985 sqrt(.25/1200) = .0317685, so ranks
// 1200 (.5 ± .0317685) = 561.88 and 638.12, outwards.
func TestRanks(t *testing.T) {
	tests := []struct {
		name   string
		w      WithinRun
		q      float64
		lo, hi int64
	}{
		{"middle", WithinRun{0.05, 1, 1200, 12}, 0.5, 561, 639},
		{"four times as wide a variance", WithinRun{0.05, 4, 1200, 12}, 0.5, 523, 677},
		{"no upper bound", WithinRun{0.01, 9, 300, 12}, 0.99, 285, 301},
		{"no lower bound", WithinRun{0.01, 9, 300, 12}, 0.01, 0, 15},
	}
	for _, tt := range tests {
		if lo, hi := tt.w.Ranks(tt.q); lo != tt.lo || hi != tt.hi {
			t.Errorf("%s: ranks %d to %d, want %d to %d", tt.name, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestWithinRunErrors(t *testing.T) {
	of := func(blocks []BlockCount) error { _, err := NewWithinRun(blocks); return err }
	wantErrors(t, []errorCase{
		{"eleven blocks", of(twelve(5, 100)[:11]), "of 11 blocks"},
		{"more above than there are", of(twelve(6, 5)), "block 0: 6 of 5"},
		{"negative", of(twelve(-1, 5)), "block 0: -1 of 5"},
		{"empty", of(twelve(0, 0)), "no values"},
	})
}
