package load

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// A slowest keeps the slowest requests, the fastest of them on top of the heap.
type slowest struct {
	limit int
	heap  slowHeap
}

func (s *slowest) add(r SlowRequest) {
	if len(s.heap) < s.limit {
		heap.Push(&s.heap, r)
		return
	}
	if s.limit > 0 && bySlowness(r, s.heap[0]) < 0 {
		s.heap[0] = r
		heap.Fix(&s.heap, 0)
	}
}

// list returns the requests, the slowest first.
func (s *slowest) list() []SlowRequest {
	list := slices.Clone(s.heap)
	slices.SortFunc(list, bySlowness)
	return list
}

// bySlowness orders the slower first; of equals the earlier arrival.
func bySlowness(a, b SlowRequest) int {
	return cmp.Or(cmp.Compare(response(b), response(a)), cmp.Compare(a.Index, b.Index))
}

func response(r SlowRequest) time.Duration { return r.Done - r.Intended }

type slowHeap []SlowRequest

func (h slowHeap) Len() int           { return len(h) }
func (h slowHeap) Less(i, j int) bool { return bySlowness(h[i], h[j]) > 0 }
func (h slowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *slowHeap) Push(x any)        { *h = append(*h, x.(SlowRequest)) }
func (h *slowHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
