package load

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The histograms' range and precision. A dense one takes 180 KB, so open seconds, of
// which a slow system makes many, are kept packed.
const (
	lowestTime  = int64(time.Microsecond)
	highestTime = int64(10 * time.Minute)
	digits      = 3
)

func newPacked() *hdr.PackedHistogram { return hdr.NewPacked(lowestTime, highestTime, digits) }

// record books a time; one above the range is kept as the highest, and told.
func record(h *hdr.PackedHistogram, d time.Duration) (clamped int64) {
	ns := max(0, int64(d))
	if ns > highestTime {
		ns, clamped = highestTime, 1
	}
	if err := h.RecordValue(ns); err != nil {
		panic(err) // the value is within the range that the histogram was made for
	}
	return clamped
}

func dense(h *hdr.PackedHistogram) *hdr.Histogram {
	d := hdr.New(lowestTime, highestTime, digits)
	h.MergeInto(d)
	return d
}

// outcomes in the order of their places in a second.
var outcomes = [...]Outcome{OK, Functional, System, Timeout, Client, Unsent}

func place(o Outcome) int {
	for i, known := range outcomes {
		if o == known {
			return i
		}
	}
	return -1
}

// names numbers all that has a series: the operations, the completions, their polls.
type names struct {
	all         []string
	operations  int
	completions int
}

func newNames(operations, completions []string) names {
	n := names{operations: len(operations), completions: len(completions)}
	n.all = append(n.all, operations...)
	n.all = append(n.all, completions...)
	for _, c := range completions {
		n.all = append(n.all, c+".poll")
	}
	return n
}

func (n names) completion(i int) int { return n.operations + i }
func (n names) poll(i int) int       { return n.operations + n.completions + i }
func (n names) isPoll(i int) bool    { return i >= n.operations+n.completions }

// isCompletion tells whether i is a completion: it has no service time.
func (n names) isCompletion(i int) bool { return i >= n.operations && !n.isPoll(i) }

// A cell is the series of one name and outcome in one open second.
type cell struct {
	count             int64
	response, service *hdr.PackedHistogram
}

// An openSecond is a second with arrivals that are not over yet.
type openSecond struct {
	open      int64 // exchanges and follow-ups booked here that are not over
	scheduled []int64
	cells     []*cell // by name and outcome
	lateness  *hdr.PackedHistogram
	sent      int64
	done      int64
	inFlight  int64
	waiting   int64
}

func (n names) newSecond() *openSecond {
	return &openSecond{
		scheduled: make([]int64, n.operations+n.completions),
		cells:     make([]*cell, len(n.all)*len(outcomes)),
		lateness:  newPacked(),
	}
}

func (s *openSecond) cell(name int, o Outcome) *cell {
	c := &s.cells[name*len(outcomes)+place(o)]
	if *c == nil {
		*c = &cell{response: newPacked(), service: newPacked()}
	}
	return *c
}

// second makes the second that is handed over.
func (n names) second(s *openSecond, start time.Duration, measured bool) Second {
	out := Second{
		Start: start, Measured: measured,
		Scheduled: make(map[string]int64), Series: make(map[Key]*Series),
		Lateness: dense(s.lateness),
		Sent:     s.sent, Done: s.done, InFlight: s.inFlight, Waiting: s.waiting,
	}
	for i, count := range s.scheduled {
		if count > 0 {
			out.Scheduled[n.all[i]] = count
		}
	}
	for i, c := range s.cells {
		if c == nil {
			continue
		}
		name, o := i/len(outcomes), outcomes[i%len(outcomes)]
		series := &Series{Count: c.count, Response: dense(c.response)}
		if !n.isCompletion(name) {
			series.Service = dense(c.service)
		}
		out.Series[Key{n.all[name], o}] = series
	}
	return out
}
