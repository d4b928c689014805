// Package arena keeps byte values outside the Go heap, so that the collector neither scans nor
// copies them and they do not count towards its memory limit.
//
// Memory comes in slabs of 1 MiB from an anonymous private mapping (a Go byte slice where there are
// no mappings, or when the kernel refuses one). A slab is cut into blocks; block sizes are powers of two
// from 64 bytes, and a freed block goes to the free list of its size. A block starts with its
// length, 4 bytes. A value that does not fit a slab gets a slab of its own.
//
// An Arena is not safe for concurrent use.
package arena

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

const (
	slabSize   = 1 << 20
	minClass   = 6 // 64 bytes
	headerSize = 4
)

// Ref names a block: the slab in the upper and the offset in the lower 32 bits.
type Ref uint64

// Arena hands out blocks.
type Arena struct {
	slabs  []slab
	next   int           // offset of the first unused byte of the last shared slab
	shared int           // index of that slab
	free   map[int][]Ref // by size class
	mapped atomic.Int64
	used   atomic.Int64
}

type slab struct {
	bytes  []byte
	mapped bool // from the kernel, to be given back
}

// New returns an empty arena.
func New() *Arena { return &Arena{free: make(map[int][]Ref), next: slabSize} }

// Put copies value into the arena.
func (a *Arena) Put(value []byte) Ref {
	class := classOf(len(value))
	ref := a.take(class)
	a.used.Add(1 << class)
	block := a.block(ref)
	binary.LittleEndian.PutUint32(block, uint32(len(value)))
	copy(block[headerSize:], value)
	return ref
}

// Get returns the value of a block. It is valid until Free or Close, and must not be written.
func (a *Arena) Get(ref Ref) []byte {
	block := a.block(ref)
	return block[headerSize : headerSize+binary.LittleEndian.Uint32(block)]
}

// Free gives a block back.
func (a *Arena) Free(ref Ref) {
	class := classOf(len(a.Get(ref)))
	a.free[class] = append(a.free[class], ref)
	a.used.Add(-1 << class)
}

// Mapped is the number of bytes taken from the system; Used is the part in blocks that hold a value.
func (a *Arena) Mapped() int64 { return a.mapped.Load() }

// Used is the number of bytes in blocks that hold a value.
func (a *Arena) Used() int64 { return a.used.Load() }

// Close gives all memory back. No block may be used after it.
func (a *Arena) Close() error {
	var first error
	for _, s := range a.slabs {
		if !s.mapped {
			continue
		}
		if err := unmapSlab(s.bytes); err != nil && first == nil {
			first = err
		}
	}
	*a = Arena{free: make(map[int][]Ref), next: slabSize}
	return first
}

func (a *Arena) block(ref Ref) []byte { return a.slabs[ref>>32].bytes[ref&0xffffffff:] }

// take returns a block of the class: a freed one, or the next one of the last slab.
func (a *Arena) take(class int) Ref {
	if free := a.free[class]; len(free) > 0 {
		a.free[class] = free[:len(free)-1]
		return free[len(free)-1]
	}
	size := 1 << class
	if size > slabSize {
		return Ref(a.addSlab(size)) << 32
	}
	if a.next+size > slabSize {
		a.shared, a.next = a.addSlab(slabSize), 0
	}
	ref := Ref(a.shared)<<32 | Ref(a.next)
	a.next += size
	return ref
}

func (a *Arena) addSlab(size int) int {
	s := slab{mapped: true}
	var err error
	if s.bytes, err = mapSlab(size); err != nil {
		s = slab{bytes: make([]byte, size)}
	}
	a.slabs = append(a.slabs, s)
	a.mapped.Add(int64(size))
	return len(a.slabs) - 1
}

// classOf returns the exponent of the smallest block that holds n bytes.
func classOf(n int) int { return max(minClass, bits.Len(uint(n+headerSize-1))) }
