package meter

import (
	"bufio"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// Histogram counts durations in buckets with fixed upper bounds.
type Histogram struct {
	bounds  []time.Duration
	buckets []atomic.Int64 // one per bound, and one for what is beyond the last
	sum     atomic.Int64   // nanoseconds
}

// Histogram registers a histogram of durations; it is written in seconds. The bounds must ascend.
func (r *Registry) Histogram(name, help string, bounds []time.Duration, labels ...Label) *Histogram {
	h := &Histogram{bounds: bounds, buckets: make([]atomic.Int64, len(bounds)+1)}
	r.add(name, help, "histogram", labels, h.write)
	return h
}

// Observe counts one duration.
func (h *Histogram) Observe(d time.Duration) {
	i, _ := slices.BinarySearch(h.bounds, d)
	h.buckets[i].Add(1)
	h.sum.Add(int64(d))
}

// write reads the buckets once: the count is their sum, so the written histogram is consistent even
// when it is observed meanwhile.
func (h *Histogram) write(w *bufio.Writer, name string, labels []Label) {
	labels = append(slices.Clone(labels), Label{Name: "le"})
	le := &labels[len(labels)-1]
	var count int64
	for i := range h.buckets {
		count += h.buckets[i].Load()
		le.Value = "+Inf"
		if i < len(h.bounds) {
			le.Value = strconv.FormatFloat(h.bounds[i].Seconds(), 'g', -1, 64)
		}
		writeSample(w, name+"_bucket", labels, float64(count))
	}
	labels = labels[:len(labels)-1]
	writeSample(w, name+"_sum", labels, time.Duration(h.sum.Load()).Seconds())
	writeSample(w, name+"_count", labels, float64(count))
}
