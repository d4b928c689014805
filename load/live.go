package load

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// liveSeconds is how far back the live figures look.
const liveSeconds = 10

// recent keeps the last seconds by the time of the answer, in a ring, coarsely.
type recent struct {
	operations int
	ring       [liveSeconds]*recentSecond
}

type recentSecond struct {
	second   int64
	ok       []*hdr.PackedHistogram
	lateness *hdr.PackedHistogram
}

func newCoarse() *hdr.PackedHistogram { return hdr.NewPacked(lowestTime, highestTime, 2) }

func (l *recent) add(done time.Duration, operation int, o Outcome, response, lateness time.Duration) {
	second := secondOf(done)
	slot := &l.ring[second%liveSeconds]
	if *slot == nil {
		*slot = &recentSecond{second: second, ok: make([]*hdr.PackedHistogram, l.operations), lateness: newCoarse()}
		for i := range (*slot).ok {
			(*slot).ok[i] = newCoarse()
		}
	}
	s := *slot
	if s.second > second {
		return // a late callback of a second that has left the ring
	}
	if s.second < second {
		s.second = second
		s.lateness.Reset()
		for _, h := range s.ok {
			h.Reset()
		}
	}
	record(s.lateness, lateness)
	if o == OK {
		record(s.ok[operation], response)
	}
}

// since calls fn with the seconds of the ring that are recent now.
func (l *recent) since(now time.Duration, fn func(*recentSecond)) {
	for _, s := range l.ring {
		if s != nil && s.second > secondOf(now)-liveSeconds {
			fn(s)
		}
	}
}

// Live returns where the run stands. It may be called from any goroutine at any time.
func (r *Runner) Live() Live {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		return Live{OperationP95: map[string]time.Duration{}}
	}
	now := time.Since(r.start)
	live := Live{
		At: now, Measuring: now >= 0 && r.window.measured(secondOf(now)),
		Scheduled: r.due, Sent: r.settled.sent, Done: r.settled.done,
		InFlight: r.book.inFlight, Waiting: r.book.waiting,
		OperationP95: make(map[string]time.Duration),
		Failed:       r.settled.failed, OpenFollows: int64(len(r.follows)),
	}
	lateness := newCoarse()
	ok := make([]*hdr.PackedHistogram, r.recent.operations)
	for i := range ok {
		ok[i] = newCoarse()
	}
	r.recent.since(now, func(s *recentSecond) {
		lateness.Merge(s.lateness)
		for i, h := range s.ok {
			ok[i].Merge(h)
		}
	})
	if lateness.TotalCount() > 0 {
		live.LatenessP99 = time.Duration(lateness.ValueAtPercentile(99))
	}
	for i, h := range ok {
		if h.TotalCount() > 0 {
			live.OperationP95[r.names.all[i]] = time.Duration(h.ValueAtPercentile(95))
		}
	}
	return live
}
