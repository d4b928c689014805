package facts

import (
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/stats"
)

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

// Ranked is the operation's arrivals under the one rule: declared business errors apart.
func (o *Operation) Ranked() Ranked {
	return Ranked{OK: &o.Response, TimedOut: o.Outcomes["timeout"], Timeout: o.Timeout,
		Failed: o.Outcomes["system"] + o.Outcomes["client"] + o.Outcomes["unsent"]}
}

// Bad counts the arrivals that neither succeeded nor met a declared business error.
func (o *Operation) Bad() int64 {
	return o.Outcomes["system"] + o.Outcomes["timeout"] + o.Outcomes["client"] + o.Outcomes["unsent"]
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

// add merges one second's histogram.
func (o *Operation) add(second, from int64, measured bool, tag rundir.Tag, h *hdr.PackedHistogram) error {
	var d Distribution
	if err := d.Add(h); err != nil {
		return err
	}
	ok, response := tag.Outcome == "ok", tag.Kind == rundir.Response
	if ok && response {
		for int64(len(o.Schedule)) <= second {
			o.Schedule = append(o.Schedule, Distribution{})
		}
		o.Schedule[second].Merge(&d)
	}
	switch {
	case !measured:
	case ok && response:
		o.Response.Merge(&d)
		o.at(second - from).OK.Merge(&d)
	case ok && tag.Kind == rundir.Service:
		o.Service.Merge(&d)
	case tag.Outcome == "system" && response:
		o.Failed.Merge(&d)
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
