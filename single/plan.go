package single

import (
	"errors"
	"fmt"
	"time"

	"github.com/perfctl/perfctl/arrival"
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
	for _, x := range []struct {
		what string
		ns   int64
	}{{"warm-up", p.WarmupNS}, {"measured window", p.MeasureNS}} {
		if x.ns%int64(time.Second) != 0 {
			errs = append(errs, fmt.Errorf("the %s of %v is not a whole number of seconds; write 10s, 3m", x.what, time.Duration(x.ns)))
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
