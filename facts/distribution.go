package facts

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/stats"
)

// A Distribution is merged histogram counts, in nanoseconds. The zero value is empty.
type Distribution struct {
	counts map[int64]int64 // lowest value of the bucket -> count
	n      int64
}

// The geometry of the run directory's histograms.
const (
	lowestTime = int64(time.Microsecond)
	digits     = 3
)

// Add merges a histogram, which must have the run directory's geometry: buckets of
// another one would overlap with those that are here.
func (d *Distribution) Add(h *hdr.PackedHistogram) error {
	if h.LowestTrackableValue() != lowestTime || h.SignificantFigures() != digits {
		return fmt.Errorf("histogram from %d ns with %d digits; perfctl writes them from %d ns with %d digits",
			h.LowestTrackableValue(), h.SignificantFigures(), lowestTime, digits)
	}
	for v, c := range h.ForEachBucket {
		d.add(v, c)
	}
	return nil
}

// AddValue records one value in ns, in the bucket that a histogram would choose.
func (d *Distribution) AddValue(ns int64) {
	ns = max(ns, 0)
	d.add(ns&^(width(ns)-1), 1)
}

func (d *Distribution) add(v, c int64) {
	if d.counts == nil {
		d.counts = map[int64]int64{}
	}
	d.counts[v] += c
	d.n += c
}

// Merge adds another distribution.
func (d *Distribution) Merge(o *Distribution) {
	for v, c := range o.counts {
		d.add(v, c)
	}
}

// N is the number of values.
func (d *Distribution) N() int64 { return d.n }

// Above counts the values whose bucket begins above ns.
func (d *Distribution) Above(ns float64) int64 {
	var n int64
	for v, c := range d.counts {
		if float64(v) > ns {
			n += c
		}
	}
	return n
}

// Max is the upper end of the highest bucket, 0 when empty.
func (d *Distribution) Max() float64 {
	b := d.Buckets()
	if len(b) == 0 {
		return 0
	}
	return b[len(b)-1].High
}

// Buckets are the counts in ascending order, with the buckets' limits.
func (d *Distribution) Buckets() []stats.Bucket {
	keys := make([]int64, 0, len(d.counts))
	for v := range d.counts {
		keys = append(keys, v)
	}
	slices.Sort(keys)
	b := make([]stats.Bucket, len(keys))
	for i, v := range keys {
		b[i] = stats.Bucket{Low: float64(v), High: float64(v + width(v)), Count: d.counts[v]}
	}
	return b
}

// width is the size of the HDR bucket that begins at v: 512 ns up to 2^20 ns, then
// doubling with each power of two (1,024 half-buckets each).
func width(v int64) int64 {
	if v < 1<<20 {
		return 512
	}
	return 1 << (bits.Len64(uint64(v)) - 1 - 10)
}
