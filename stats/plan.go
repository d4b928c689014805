package stats

import (
	"fmt"
	"math/rand/v2"
)

// Variant is one of the two sides of a comparison.
type Variant int

const (
	A Variant = iota
	B
)

func (v Variant) String() string { return [...]string{"A", "B"}[v] }

// A Slot is the place of one run in the order of a session. All numbers count
// from 0.
type Slot struct {
	Index    int // in the session
	Block    int // of two pairs
	Pair     int
	Position int // 0 or 1: first or second run of its pair
	Variant  Variant
}

// Plan returns the order of the runs of a session: blocks of two pairs, each
// A B B A or B A A B by one bit of PCG(seed, 0). A linear drift then cancels
// within a block, and being second costs both variants alike. With an odd number
// of pairs the last block is the first half of one. A longer plan of the same
// seed begins with the shorter one.
func Plan(seed uint64, pairs int) ([]Slot, error) {
	if pairs < 1 {
		return nil, fmt.Errorf("plan of %d pairs: want at least one", pairs)
	}
	bits := rand.NewPCG(seed, 0)
	slots := make([]Slot, 0, 2*pairs)
	var outer Variant
	for pair := range pairs {
		first := outer
		if pair%2 == 0 {
			outer = Variant(bits.Uint64() & 1)
			first = outer
		} else {
			first = other(outer)
		}
		for position, v := range [2]Variant{first, other(first)} {
			slots = append(slots, Slot{len(slots), pair / 2, pair, position, v})
		}
	}
	return slots, nil
}

func other(v Variant) Variant { return B - v }
