package abtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// Method identifies the looks, levels and margins that judged a session.
const Method = "abtest/1"

// Defaults of a session.
const (
	DefaultPairsMax = 12
	DefaultWarmup   = 45 * time.Second
	DefaultMeasure  = 180 * time.Second
	quickWarmup     = 3 * time.Second
	quickMeasure    = 8 * time.Second
	quickMaxTime    = 3*time.Minute + 45*time.Second
)

// Options are what the command line may change.
type Options struct {
	A, B        string
	Pairs       int // exactly this many, judged once; 0 means the looks
	PairsMax    int
	MaxTime     time.Duration
	Seed        uint64
	Quick       bool
	Rate        arrival.Rate  // zero means the scenario's
	Measure     time.Duration // zero means the scenario's
	Warmup      time.Duration // zero means the scenario's
	MaxInFlight int           // the resolved safety cap
}

// NewPlan fixes a session. All problems are reported at once.
func NewPlan(sc *scenario.Scenario, o Options) (rundir.Plan, error) {
	p := rundir.Plan{Method: Method, Quick: o.Quick, Burn: true, MaxInFlight: o.MaxInFlight}
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	var err error
	p.A, p.B, err = variants(sc, o)
	note(err)
	rate := loadOf(sc, o, &p)
	looks, err := looksOf(sc, o)
	note(err)
	note(wholeSeconds("warm-up", p.WarmupNS))
	note(wholeSeconds("measured window", p.MeasureNS))
	if len(errs) > 0 {
		return p, errors.Join(errs...)
	}
	for k := range looks.Len() {
		p.Looks = append(p.Looks, looks.Pairs(k))
	}
	p.PairsMax = looks.Max()
	primary, err := primaries(sc, rate, time.Duration(p.MeasureNS))
	if err != nil {
		return p, err
	}
	for _, m := range primary {
		p.Primary = append(p.Primary, m.Name())
	}
	s, err := NewSession(sc, p)
	if err != nil {
		return p, fmt.Errorf("abtest.name_at and abtest.rule_out: %w", err)
	}
	if err := uselessMargins(sc, append(s.primary, s.secondary...)); err != nil {
		return p, err
	}
	p.Slots, err = slots(o.Seed, p)
	return p, err
}

func variants(sc *scenario.Scenario, o Options) (a, b string, err error) {
	a, b = firstOf(o.A, sc.ABTest.A), firstOf(o.B, sc.ABTest.B)
	var names []string
	for _, v := range sc.Variants {
		names = append(names, v.Name)
		if v.Baseline && a == "" {
			a = v.Name
		}
	}
	for _, side := range []struct{ flag, name string }{{"--a", a}, {"--b", b}} {
		if side.name == "" {
			err = errors.Join(err, fmt.Errorf("no variant to compare: give %s, or abtest.a and abtest.b in the scenario; variants: %s", side.flag, strings.Join(names, ", ")))
		} else if Variant(sc, side.name) == nil {
			err = errors.Join(err, fmt.Errorf("no variant named %q (%s); variants: %s", side.name, side.flag, strings.Join(names, ", ")))
		}
	}
	return a, b, err
}

// Variant finds a variant of the scenario, or nil.
func Variant(sc *scenario.Scenario, name string) *scenario.Variant {
	for i := range sc.Variants {
		if sc.Variants[i].Name == name {
			return &sc.Variants[i]
		}
	}
	return nil
}

// loadOf fills the plan's load from, in this order, the options, the scenario's
// quick session, the scenario, the defaults.
func loadOf(sc *scenario.Scenario, o Options, p *rundir.Plan) arrival.Rate {
	rate, warm, measure := sc.Load.Rate, sc.Warmup.For, sc.Load.Duration
	maxTime := sc.ABTest.MaxTime
	if o.Quick {
		warm, measure, maxTime = quickWarmup, quickMeasure, quickMaxTime
		if q := sc.ABTest.Quick; q != nil {
			rate = orRate(q.Rate, rate)
			warm, measure = orDuration(q.Warmup, warm), orDuration(q.Duration, measure)
		}
	}
	rate = orRate(o.Rate, rate)
	p.Rate, p.PerSecond, p.Arrivals = rate.String(), rate.PerSecond(), "constant"
	if sc.Load.Poisson {
		p.Arrivals = "poisson"
	}
	p.WarmupNS = int64(orDuration(o.Warmup, orDuration(warm, DefaultWarmup)))
	p.MeasureNS = int64(orDuration(o.Measure, orDuration(measure, DefaultMeasure)))
	p.MaxTimeNS = int64(orDuration(o.MaxTime, maxTime))
	p.DrainNS = int64(DrainOf(sc))
	return rate
}

// DrainOf is how long answers are waited for: the longest timeout of the scenario.
func DrainOf(sc *scenario.Scenario) time.Duration {
	longest := time.Second
	for _, s := range sc.Services {
		longest = max(longest, s.Timeout)
	}
	for _, op := range sc.Operations {
		if op.Completion != nil {
			longest = max(longest, op.Completion.Timeout)
		}
	}
	return longest + time.Second
}

func looksOf(sc *scenario.Scenario, o Options) (stats.Looks, error) {
	most := firstPositive(o.PairsMax, sc.ABTest.PairsMax, DefaultPairsMax)
	least := firstPositive(sc.ABTest.PairsMin, stats.MinPairs)
	switch {
	case o.PairsMax < 0:
		return stats.Looks{}, fmt.Errorf("--pairs-max %d: want at least %d", o.PairsMax, stats.MinPairs)
	case o.Pairs != 0 && o.PairsMax != 0:
		return stats.Looks{}, errors.New("--pairs and --pairs-max: give one of them; --pairs N judges once, after N pairs")
	case o.Pairs != 0 && o.Pairs < 2:
		return stats.Looks{}, fmt.Errorf("--pairs %d: a verdict needs at least %d pairs, an interval at least 2", o.Pairs, stats.MinPairs)
	case o.Pairs != 0:
		return stats.NewLooks(o.Pairs)
	case o.Quick && o.PairsMax == 0:
		return stats.NewLooks(4, 6)
	case most < least:
		return stats.Looks{}, fmt.Errorf("at most %d pairs: a verdict needs at least %d; raise --pairs-max", most, least)
	}
	var at []int
	for n := least; n < most; n += 2 {
		at = append(at, n)
	}
	return stats.NewLooks(append(at, most)...)
}

func wholeSeconds(what string, ns int64) error {
	if ns%int64(time.Second) == 0 && ns > 0 {
		return nil
	}
	return fmt.Errorf("the %s of %v is not a whole number of seconds; write 10s, 3m", what, time.Duration(ns))
}

// slots are the burn-in and the pairs in their drawn order. Both trials of a pair send
// the same requests; each pair sends its own.
func slots(seed uint64, p rundir.Plan) ([]rundir.Slot, error) {
	plan, err := stats.Plan(seed, p.PairsMax)
	if err != nil {
		return nil, err
	}
	requests := rand.New(rand.NewPCG(seed, 1))
	out := []rundir.Slot{{Label: "A", Variant: p.A, Seed: requests.Uint64()}}
	pairSeed := make([]uint64, p.PairsMax)
	for i := range pairSeed {
		pairSeed[i] = requests.Uint64()
	}
	for _, s := range plan {
		variant := p.A
		if s.Variant == stats.B {
			variant = p.B
		}
		out = append(out, rundir.Slot{Index: s.Index + 1, Block: s.Block + 1, Pair: s.Pair + 1, First: s.Position == 0,
			Label: s.Variant.String(), Variant: variant, Seed: pairSeed[s.Pair]})
	}
	return out, nil
}

// Subjects names what can be measured.
func Subjects(sc *scenario.Scenario) verdict.Subjects {
	var s verdict.Subjects
	for _, op := range sc.Operations {
		s.Operations = append(s.Operations, op.Name)
		if op.Completion != nil {
			s.Completions = append(s.Completions, op.Completion.Name)
		}
	}
	return s
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func firstPositive(list ...int) int {
	for _, n := range list {
		if n > 0 {
			return n
		}
	}
	return 0
}

func orDuration(a, b time.Duration) time.Duration {
	if a > 0 {
		return a
	}
	return b
}

func orRate(a, b arrival.Rate) arrival.Rate {
	if a.IsZero() {
		return b
	}
	return a
}
