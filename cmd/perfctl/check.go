package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/result"
)

func newCheck(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "check SCENARIO",
		Short: "Check a scenario file and what it needs here; start nothing",
		Long: `check reports every mistake of a scenario at once, with file, line, column and what
to write instead; then whether programs exist, ports are free and required variables
are set.

` + exitHelp,
		Args: exactArgs(1, "one scenario"),
		RunE: func(c *cobra.Command, args []string) error {
			sc, err := e.openScenario(args[0])
			if err != nil {
				return err
			}
			r := experiment.Request{Kind: result.KindABTest, Scenario: sc, Self: e.self, Now: e.now}
			if len(sc.Variants) > 0 {
				p, err := abtest.NewPlan(sc, abtest.Options{MaxInFlight: inFlight(sc)})
				if err == nil {
					r.Plan = p
				}
			}
			t, tier, err := experiment.TierOf(r)
			if err != nil {
				return &experiment.EnvironmentError{Err: err}
			}
			if err := t.Preflight(c.Context()); err != nil {
				return &experiment.EnvironmentError{Err: err}
			}
			fmt.Fprintf(e.out, "%s: ok (%d services, %d operations, %d variants, tier %s)\n", sc.File, len(sc.Services), len(sc.Operations), len(sc.Variants), tier)
			return nil
		},
	}
}
