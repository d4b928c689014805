package main

import (
	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/single"
)

func newRun(e *env) *cobra.Command {
	var flags loadFlags
	var out outputFlags
	var variant string
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "One run of one variant, held against the scenario's thresholds",
		Long: `run resets and seeds the system, warms it up, measures one window and evaluates the
scenario's thresholds. One run says nothing about differences: use abtest for those.

` + exitHelp,
		Example: `  perfctl run community-vs-tpc --rate 200/s --duration 30s
  perfctl run ./shop.yaml --variant tpc --json | jq .verdict`,
		Args: exactArgs(1, "one scenario"),
		RunE: func(c *cobra.Command, args []string) error {
			rate, err := flags.rateAndSeed(c)
			if err != nil {
				return err
			}
			sc, err := e.openScenario(args[0])
			if err != nil {
				return err
			}
			p, err := single.NewPlan(sc, single.Options{Variant: variant, Seed: flags.seed, Rate: rate, Warmup: flags.warmup, Measure: flags.duration,
				Drain: abtest.DrainOf(sc), MaxInFlight: inFlight(sc)})
			if err != nil {
				return &usageError{err, ""}
			}
			return e.carryOut(c.Context(), experiment.Request{Kind: result.KindRun, Scenario: sc, Plan: p, Seed: flags.seed}, out)
		},
	}
	flags.register(c)
	out.register(c)
	c.Flags().StringVar(&variant, "variant", "", "variant to run (default: the baseline)")
	return c
}
