// Command perfctl measures systems under load and says what may be concluded.
//
// One file a command: flags in, exit code out. Everything else is in packages.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], systemEnv()))
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, e *env) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(e.err, "perfctl: internal error: %v\nplease report it with this output\n\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	root := newRoot(e)
	root.SetArgs(args)
	root.SetContext(ctx)
	root.SetOut(e.out)
	root.SetErr(e.err)
	root.SetIn(e.in)
	return e.report(root.Execute())
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "perfctl",
		Short: "Load tests and A-B benchmarks that say when there is no answer",
		Long: `perfctl drives load at a constant arrival rate free of coordinated omission, resets
the system between runs, and says whether B is better than A, by how much, and how
sure that is; or that it cannot tell.

  perfctl abtest community-vs-tpc --quick     a first A-B session on the bundled shop
  perfctl run community-vs-tpc                one run against its thresholds
  perfctl report results/DIR                  judge and render a run directory again

` + exitHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          showHelp,
	}
	root.PersistentFlags().BoolVar(&e.ascii, "ascii", false, "print no characters beyond ASCII")
	root.AddCommand(newABTest(e), newRun(e), newReport(e), newCompare(e), newPlan(e), newCheck(e), newScenarios(e), newOrderflow(e), newVersion(e))
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	refuse(root)
	return root
}

func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// newHelp is cobra's help command, except that an unknown topic is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(c *cobra.Command, args []string) error {
			topic, rest, err := c.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(topic, rest[0])
			}
			return topic.Help()
		},
	}
}
