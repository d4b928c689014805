package facts

import (
	"fmt"
	"math"
	"time"

	"github.com/perfctl/perfctl/stats"
)

// Beyond says where a quantile's rank fell when it met no measured value.
type Beyond int

// A rank falls on a value, among the timed-out arrivals, or among those that failed or were
// not sent.
const (
	Measured Beyond = iota
	AmongTimeouts
	AmongFailed
)

// A Quantile is one quantile of one trial by the one rule.
type Quantile struct {
	Q       float64
	NS      float64 // +Inf unless Where is Measured
	Where   Beyond
	N       int64 // arrivals ranked
	Timeout time.Duration
}

// Shown reports whether enough arrivals lie beyond it to print it.
func (q Quantile) Shown() bool { return q.N > 0 && stats.Shown(q.Q, q.N) }

// Judged reports whether enough arrivals lie beyond it to compare it.
func (q Quantile) Judged() bool { return stats.Judged(q.Q, q.N) }

// Text is the quantile as it is printed in a table of milliseconds.
func (q Quantile) Text() string {
	switch {
	case q.N == 0:
		return "-"
	case !q.Shown():
		return fmt.Sprintf("- (n=%d)", q.N)
	case q.Where == AmongTimeouts:
		return "> " + Seconds(q.Timeout)
	case q.Where == AmongFailed:
		return "failed"
	}
	return MS(q.NS)
}

// A Ranked is a set of scheduled arrivals: those with a value, and how many have none.
type Ranked struct {
	OK       *Distribution
	TimedOut int64
	Failed   int64 // failed, refused by the generator, or never sent
	Timeout  time.Duration
}

// N is the number of ranked arrivals.
func (r Ranked) N() int64 { return r.OK.N() + r.TimedOut + r.Failed }

// Quantile ranks over all arrivals.
func (r Ranked) Quantile(q float64) Quantile {
	out := Quantile{Q: q, N: r.N(), Timeout: r.Timeout, NS: math.Inf(1)}
	if out.N == 0 {
		return out
	}
	v, err := stats.QuantileOfBuckets(r.OK.Buckets(), r.TimedOut+r.Failed, q)
	if err != nil {
		panic(fmt.Sprintf("facts: quantile %v of %d: %v", q, out.N, err)) // q is a constant of ours, n > 0
	}
	if !math.IsInf(v, 1) {
		out.NS = v
		return out
	}
	out.Where = AmongFailed
	if rank, err := stats.Rank(q, out.N); err == nil && rank <= r.OK.N()+r.TimedOut {
		out.Where = AmongTimeouts
	}
	return out
}

// Merge adds the arrivals of another set with the same timeout.
func (r *Ranked) Merge(o Ranked) {
	r.OK.Merge(o.OK)
	r.TimedOut += o.TimedOut
	r.Failed += o.Failed
	r.Timeout = max(r.Timeout, o.Timeout)
}
