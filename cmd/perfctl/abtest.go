package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
)

// abFlags are the flags of an A-B session.
type abFlags struct {
	loadFlags
	a, b            string
	pairs, pairsMax int
	maxTime         time.Duration
	quick           bool
}

func (a *abFlags) register(c *cobra.Command) {
	a.loadFlags.register(c)
	f := c.Flags()
	f.StringVar(&a.a, "a", "", "baseline variant (default: the scenario's)")
	f.StringVar(&a.b, "b", "", "candidate variant (default: the scenario's); --a X --b X is an A/A session")
	f.IntVar(&a.pairs, "pairs", 0, "run exactly this many pairs and judge once")
	f.IntVar(&a.pairsMax, "pairs-max", 0, "last look of the session (default 12)")
	f.DurationVar(&a.maxTime, "max-time", 0, "start no run that would end later; judge what is complete")
	f.BoolVar(&a.quick, "quick", false, "a session of a few minutes with short windows; shows large differences only")
}

// plan opens the scenario and fixes the session.
func (a *abFlags) plan(e *env, c *cobra.Command, name string) (*scenario.Scenario, rundir.Plan, error) {
	rate, err := a.rateAndSeed(c)
	if err := errors.Join(err, positive(c, "pairs", "pairs-max", "max-time")); err != nil {
		return nil, rundir.Plan{}, err
	}
	sc, err := e.openScenario(name)
	if err != nil {
		return nil, rundir.Plan{}, err
	}
	p, err := abtest.NewPlan(sc, abtest.Options{A: a.a, B: a.b, Pairs: a.pairs, PairsMax: a.pairsMax, MaxTime: a.maxTime, Seed: a.seed,
		Quick: a.quick, Rate: rate, Measure: a.duration, Warmup: a.warmup, MaxInFlight: inFlight(sc)})
	if err != nil {
		return nil, p, &usageError{err, ""}
	}
	return sc, p, nil
}

func newABTest(e *env) *cobra.Command {
	var flags abFlags
	var out outputFlags
	c := &cobra.Command{
		Use:   "abtest SCENARIO",
		Short: "Is variant B better than variant A, by how much, and how sure is that?",
		Long: `abtest runs pairs of A and B in randomised ABBA/BAAB blocks, each run from a clean
reset, and judges the pairs: better, worse, same, unclear or not comparable.

It proves before and after each run that the variant's settings reached the system,
runs again what the generator or the machine spoilt, and stops at the first look at which every
primary metric is settled. docs/METHOD.md has the statistics.

` + exitHelp,
		Example: `  perfctl abtest community-vs-tpc --quick
  perfctl abtest community-vs-tpc --a community --b community   # A/A: shows the noise
  perfctl abtest ./shop.yaml --pairs-max 24 --max-time 3h`,
		Args: exactArgs(1, "one scenario"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			sc, p, err := flags.plan(e, c, args[0])
			if err != nil {
				return err
			}
			return e.carryOut(c.Context(), experiment.Request{Kind: result.KindABTest, Scenario: sc, Plan: p, Seed: flags.seed}, out)
		},
	}
	flags.register(c)
	out.register(c)
	out.registerUnclear(c)
	return c
}
