package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// perTrialGuess is what reset, seeding and drain are assumed to take in the process tier.
const perTrialGuess = 3 * time.Second

func newPlan(e *env) *cobra.Command {
	var flags abFlags
	c := &cobra.Command{
		Use:   "plan SCENARIO",
		Short: "What an A-B session would do: order of trials, time, what is started and torn down",
		Long: `plan takes the flags of abtest, starts nothing and tears nothing down.

Exit codes: 0, or 2 when the scenario or the flags are wrong.`,
		Args: exactArgs(1, "one scenario"),
		RunE: func(c *cobra.Command, args []string) error {
			sc, p, err := flags.plan(e, c, args[0])
			if err != nil {
				return err
			}
			e.printPlan(sc, p, flags.seed)
			return nil
		},
	}
	flags.register(c)
	return c
}

func (e *env) printPlan(sc *scenario.Scenario, p rundir.Plan, seed uint64) {
	w := e.out
	least, most := abtest.Expected(p, p.Looks, perTrialGuess)
	fmt.Fprintf(w, "%s: A %s, B %s, seed %d\n", sc.Name, p.A, p.B, seed)
	fmt.Fprintf(w, "load      %s %s arrivals, %s measured after %s warm-up, at most %d in flight\n",
		p.Rate, p.Arrivals, verdict.Duration(p.MeasureNS), verdict.Duration(p.WarmupNS), p.MaxInFlight)
	fmt.Fprintf(w, "sends     %.0f arrivals a run (%.0f of them measured)\n", p.PerSecond*float64(p.WarmupNS+p.MeasureNS)/1e9, p.PerSecond*float64(p.MeasureNS)/1e9)
	fmt.Fprintf(w, "decides   %s\n", strings.Join(p.Primary, ", "))
	fmt.Fprintf(w, "judged    after %s pairs\n", joinInts(p.Looks))
	fmt.Fprintf(w, "time      %s to %s\n", least.Round(time.Second), most.Round(time.Second))
	fmt.Fprintf(w, "started and torn down for each run: %s\n", tornDown(sc))
	fmt.Fprintln(w, "order")
	block := -1
	for _, s := range p.Slots {
		if s.Block != block {
			if block >= 0 {
				fmt.Fprintln(w)
			}
			block = s.Block
			if block == 0 {
				fmt.Fprintf(w, "  burn-in   %s (never used)", s.Variant)
				continue
			}
			fmt.Fprintf(w, "  block %-3d ", block)
		}
		fmt.Fprintf(w, " %s", s.Label)
	}
	fmt.Fprintln(w)
}

func tornDown(sc *scenario.Scenario) string {
	if sc.Target.Process == nil {
		return "nothing, the system is external"
	}
	var names []string
	for _, p := range sc.Target.Process.Programs {
		names = append(names, "program "+p.Name)
	}
	return strings.Join(names, ", ") + " (processes of this session only)"
}

func joinInts(list []int) string {
	s := make([]string, len(list))
	for i, n := range list {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, ", ")
}
