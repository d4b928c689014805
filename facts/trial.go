package facts

import (
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
)

// A Trial is one trial's record with its histograms reduced.
type Trial struct {
	*rundir.TrialRecord
	Operations  map[string]*Operation // operations and NAME.poll
	Completions map[string]*Completion
	Lateness    Distribution
	Cut         bool // a file ended in the middle of a line
}

// An Operation is what one operation did in the measured window.
type Operation struct {
	Name      string
	Scheduled int64
	Outcomes  map[string]int64
	Response  Distribution // OK
	Service   Distribution // OK
	Failed    Distribution // response times of system failures
	Timeout   time.Duration
	Schedule  []Distribution // OK, one a second of the whole schedule, warm-up included
	PerSecond []Ranked       // one a measured second
}

// blockSeconds is the length of the blocks that the design effect is taken over.
const blockSeconds = 10

// Ranked is the operation's arrivals under the one rule: declared business errors apart.
func (o *Operation) Ranked() Ranked {
	return Ranked{OK: &o.Response, TimedOut: o.Outcomes["timeout"], Timeout: o.Timeout,
		Failed: o.Outcomes["system"] + o.Outcomes["client"] + o.Outcomes["unsent"]}
}

// Bad counts the arrivals that neither succeeded nor met a declared business error.
func (o *Operation) Bad() int64 {
	return o.Outcomes["system"] + o.Outcomes["timeout"] + o.Outcomes["client"] + o.Outcomes["unsent"]
}

// A Completion is what one completion did in the measured window.
type Completion struct {
	Name, Operation string
	Sampled         int64
	Succeeded       Distribution // time at which it was first seen done
	Width           Distribution // how long before that it was last seen not done
	Failed          int64        // ended in a declared failure
	TimedOut        int64
	NotAccepted     int64
	Polls, Misses   int64
	Disagreements   int64
	Timeout         time.Duration
}

// Ranked is the completion's sampled arrivals under the one rule.
func (c *Completion) Ranked() Ranked {
	return Ranked{OK: &c.Succeeded, TimedOut: c.TimedOut, Failed: c.Failed + c.NotAccepted, Timeout: c.Timeout}
}

// WidthAt is the width in ns of the interval in which a completion near the quantile
// is known to lie: the same quantile of the widths, since waits grow with the time.
func (c *Completion) WidthAt(q float64) float64 {
	at := c.Ranked().Quantile(q)
	if at.Where != Measured || c.Width.N() == 0 {
		return 0
	}
	return quantileOf(&c.Width, q)
}

// Accepted counts the sampled arrivals whose own request succeeded.
func (c *Completion) Accepted() int64 { return c.Sampled - c.NotAccepted }

// Load reads one trial of a run directory.
func Load(dir *rundir.Dir, name string) (*Trial, error) {
	rec, err := dir.Trial(name)
	if err != nil {
		return nil, err
	}
	t := &Trial{TrialRecord: rec, Operations: map[string]*Operation{}, Completions: map[string]*Completion{}}
	t.plan()
	t.ledger()
	for _, l := range rec.Completions {
		t.completion(l)
	}
	t.Cut, err = rundir.ReadHistograms(rec.Path, t.histogram)
	t.Cut = t.Cut || len(rec.CutFiles) > 0
	return t, err
}

func (t *Trial) plan() {
	for _, p := range t.TrialRecord.Operations {
		t.operation(p.Name).Timeout = time.Duration(p.TimeoutNS)
	}
	for _, p := range t.TrialRecord.Trial.Completions {
		t.Completions[p.Name] = &Completion{Name: p.Name, Operation: p.Operation, Timeout: time.Duration(p.TimeoutNS)}
	}
}

func (t *Trial) operation(name string) *Operation {
	if o := t.Operations[name]; o != nil {
		return o
	}
	o := &Operation{Name: name, Outcomes: map[string]int64{}}
	t.Operations[name] = o
	return o
}

func (t *Trial) ledger() {
	for _, l := range t.Ledger {
		if !l.Measured {
			continue
		}
		for op, n := range l.Scheduled {
			if c := t.Completions[op]; c != nil {
				continue // counted from its own records
			}
			t.operation(op).Scheduled += n
		}
		for op, outcomes := range l.Outcomes {
			if t.Completions[op] == nil {
				t.operation(op).book(l.Second-t.WarmupEndNS/int64(time.Second), outcomes)
			}
		}
	}
}

func (o *Operation) book(second int64, outcomes map[string]int64) {
	for outcome, n := range outcomes {
		o.Outcomes[outcome] += n
	}
	r := o.at(second)
	r.TimedOut += outcomes["timeout"]
	r.Failed += outcomes["system"] + outcomes["client"] + outcomes["unsent"]
}

// at is the arrivals of one measured second; what a damaged ledger books before the
// window is kept apart.
func (o *Operation) at(second int64) *Ranked {
	if second < 0 {
		return &Ranked{OK: &Distribution{}}
	}
	for int64(len(o.PerSecond)) <= second {
		o.PerSecond = append(o.PerSecond, Ranked{OK: &Distribution{}, Timeout: o.Timeout})
	}
	return &o.PerSecond[second]
}

func (t *Trial) completion(l rundir.CompletionLine) {
	c := t.Completions[l.Completion]
	if c == nil || !l.Measured {
		return
	}
	c.Sampled++
	c.Polls += int64(l.Polls)
	c.Misses += int64(l.Misses)
	c.Disagreements += int64(l.Disagreements)
	switch l.Outcome {
	case "ok":
		c.Succeeded.AddValue(l.UpperNS)
		c.Width.AddValue(l.UpperNS - l.LowerNS)
	case "functional":
		c.Failed++
	case "timeout":
		c.TimedOut++
	default:
		c.NotAccepted++
	}
}

// window is the measured window in seconds of the schedule.
func (t *Trial) window() (from, to int64) {
	from = t.WarmupEndNS / int64(time.Second)
	return from, from + t.MeasureNS/int64(time.Second)
}

func (t *Trial) histogram(second int64, tag rundir.Tag, h *hdr.PackedHistogram) error {
	from, to := t.window()
	measured := second >= from && second < to
	if tag.Kind == rundir.Lateness {
		if measured {
			t.Lateness.Add(h)
		}
		return nil
	}
	if t.Completions[tag.Operation] != nil {
		return nil
	}
	o := t.operation(tag.Operation)
	if tag.Outcome == "ok" && tag.Kind == rundir.Response {
		for int64(len(o.Schedule)) <= second {
			o.Schedule = append(o.Schedule, Distribution{})
		}
		o.Schedule[second].Add(h)
	}
	if !measured {
		return nil
	}
	switch {
	case tag.Outcome == "ok" && tag.Kind == rundir.Response:
		o.Response.Add(h)
		o.at(second - from).OK.Add(h)
	case tag.Outcome == "ok" && tag.Kind == rundir.Service:
		o.Service.Add(h)
	case tag.Outcome == "system" && tag.Kind == rundir.Response:
		o.Failed.Add(h)
	}
	return nil
}

// Medians are the medians in ns of the OK responses in windows of some seconds, from
// the start of the schedule on, warm-up included; NaN where there were none.
func (o *Operation) Medians(windows, seconds int) []float64 {
	out := make([]float64, windows)
	for w := range out {
		var d Distribution
		for s := w * seconds; s < (w+1)*seconds && s < len(o.Schedule); s++ {
			d.Merge(&o.Schedule[s])
		}
		out[w] = quantileOf(&d, .5)
	}
	return out
}

func quantileOf(d *Distribution, q float64) float64 {
	if d.N() == 0 {
		return math.NaN()
	}
	v, err := stats.QuantileOfBuckets(d.Buckets(), 0, q)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Within is the design effect at a quantile over blocks of ten seconds, or false
// when the window holds too few of them. It describes the run; nothing is decided by it.
func (o *Operation) Within(q float64) (stats.WithinRun, bool) {
	at := o.Ranked().Quantile(q)
	blocks := len(o.PerSecond) / blockSeconds
	if at.Where != Measured || blocks < stats.MinBlocks {
		return stats.WithinRun{}, false
	}
	counts := make([]stats.BlockCount, blocks)
	for b := range counts {
		for _, s := range o.PerSecond[b*blockSeconds : (b+1)*blockSeconds] {
			counts[b].Above += s.OK.Above(at.NS) + s.TimedOut + s.Failed
			counts[b].Total += s.N()
		}
	}
	w, err := stats.NewWithinRun(counts)
	return w, err == nil
}
