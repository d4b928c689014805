package single

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
)

// Method identifies the rules that judged a run.
const Method = "run/1"

// Options are what the command line may change; zero values leave the scenario's.
type Options struct {
	Variant         string
	Seed            uint64
	Rate            arrival.Rate
	Warmup, Measure time.Duration
	Drain           time.Duration
	MaxInFlight     int
}

// NewPlan fixes one trial.
func NewPlan(sc *scenario.Scenario, o Options) (rundir.Plan, error) {
	rate := o.Rate
	if rate.IsZero() {
		rate = sc.Load.Rate
	}
	p := rundir.Plan{Method: Method, Rate: rate.String(), PerSecond: rate.PerSecond(), Arrivals: "constant",
		WarmupNS: first(o.Warmup, sc.Warmup.For), MeasureNS: first(o.Measure, sc.Load.Duration), DrainNS: int64(o.Drain), MaxInFlight: o.MaxInFlight}
	if sc.Load.Poisson {
		p.Arrivals = "poisson"
	}
	name := o.Variant
	for _, v := range sc.Variants {
		if name == "" && v.Baseline {
			name = v.Name
		}
	}
	var errs []error
	if !known(sc, name) {
		errs = append(errs, fmt.Errorf("no variant named %q in %s", name, sc.File))
	}
	for what, ns := range map[string]int64{"warm-up": p.WarmupNS, "measured window": p.MeasureNS} {
		if ns%int64(time.Second) != 0 {
			errs = append(errs, fmt.Errorf("the %s of %v is not a whole number of seconds", what, time.Duration(ns)))
		}
	}
	if p.MeasureNS <= 0 {
		errs = append(errs, errors.New("no duration: give --duration, or load.duration in the scenario"))
	}
	p.Slots = []rundir.Slot{{Index: 1, Block: 1, Pair: 1, First: true, Label: "A", Variant: name, Seed: o.Seed}}
	return p, errors.Join(errs...)
}

func known(sc *scenario.Scenario, name string) bool {
	if name == "" {
		return len(sc.Variants) == 0
	}
	for _, v := range sc.Variants {
		if v.Name == name {
			return true
		}
	}
	return false
}

func first(a, b time.Duration) int64 {
	if a > 0 {
		return int64(a)
	}
	return int64(b)
}

// steadySpan is how many seconds must agree, and steadyWithin how closely, before a
// warm-up "until steady" may end.
const (
	steadySpan   = 10
	steadyWithin = .05
)

// Steady reports whether the medians of the last ten seconds agree to 5 % between
// their halves. It is a guess from one run, which is why an A-B session never uses it.
func Steady(operation string) func([]load.Second) bool {
	return func(seconds []load.Second) bool {
		if len(seconds) < steadySpan {
			return false
		}
		recent := seconds[len(seconds)-steadySpan:]
		a, b := median(operation, recent[:steadySpan/2]), median(operation, recent[steadySpan/2:])
		return a > 0 && b > 0 && math.Abs(math.Log(a/b)) < math.Log1p(steadyWithin)
	}
}

// median is the mean of the seconds' medians on the log scale.
func median(operation string, seconds []load.Second) float64 {
	var sum, n float64
	for _, s := range seconds {
		if x := s.Series[load.Key{Operation: operation, Outcome: load.OK}]; x != nil && x.Count > 0 {
			sum, n = sum+math.Log(float64(x.Response.ValueAtQuantile(50))), n+1
		}
	}
	if n < float64(len(seconds)) {
		return 0
	}
	return math.Exp(sum / n)
}
