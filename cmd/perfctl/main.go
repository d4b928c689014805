// Command perfctl measures systems under load and says what may be concluded.
//
// One file a command: flags in, exit code out. Everything else is in packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/scenario"
)

// Exit codes; `perfctl --help` and docs list them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoAnswer    = 3
	exitEnvironment = 4
	exitInternal    = 5
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    answered and acceptable: thresholds hold; better or same
  1    answered and not acceptable: a threshold failed; worse
  2    scenario or flags wrong; nothing was started
  3    no valid answer: unclear, not comparable, variant not applied, generator saturated
  4    environment failed: not ready in time, seeding failed, a variable missing
  5    internal error (a bug)
  130  interrupted; a partial report was written`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], systemEnv()))
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, e *env) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(e.err, "perfctl: internal error: %v\nplease report it with this output\n", p)
			panic(p)
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
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{err, "see: " + c.CommandPath() + " --help"}
	})
	root.AddCommand(newABTest(e), newRun(e), newReport(e), newCompare(e), newPlan(e), newCheck(e), newScenarios(e), newOrderflow(e), newVersion(e))
	return root
}

// An exitError carries the code of an answer that has been printed already.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// A usageError is a wrong command line; hint is the next step.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// report prints an error once and turns it into an exit code.
func (e *env) report(err error) int {
	var exit *exitError
	var usage *usageError
	var problems scenario.Problems
	var environment *experiment.EnvironmentError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &problems):
		_ = problems.Write(e.err, e.colourErr)
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(e.err, "perfctl: %v\n", usage.err)
		if usage.hint != "" {
			fmt.Fprintln(e.err, usage.hint)
		}
		return exitUsage
	case errors.As(err, &environment):
		fmt.Fprintf(e.err, "perfctl: %v\n", err)
		return exitEnvironment
	case isUnknownCommand(err):
		fmt.Fprintf(e.err, "perfctl: %v\nsee: perfctl --help\n", err)
		return exitUsage
	}
	fmt.Fprintf(e.err, "perfctl: %v\n", err)
	return exitInternal
}

// isUnknownCommand recognises cobra's own argument errors, which have no type.
func isUnknownCommand(err error) bool {
	return err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && errors.Unwrap(err) == nil
}

// exactArgs demands n arguments and names what is missing.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return &usageError{fmt.Errorf("%s wants %s, got %d arguments", c.CommandPath(), what, len(args)), "see: " + c.CommandPath() + " --help"}
	}
}
