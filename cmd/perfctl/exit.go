package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/scenario"
)

// Exit codes; the help of each command and docs list them.
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

// report prints an error once and turns it into an exit code. An error without a type is
// a bug.
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
	}
	fmt.Fprintf(e.err, "perfctl: %v\n", err)
	switch {
	case errors.As(err, &usage):
		if usage.hint != "" {
			fmt.Fprintln(e.err, usage.hint)
		}
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &environment):
		return exitEnvironment
	}
	return exitInternal
}

// refuse makes each wrong command line below c a usageError with a way to its help.
func refuse(c *cobra.Command) {
	if c.HasSubCommands() && !c.Runnable() { // cobra would answer a misspelt command below it with help and success
		c.Args, c.RunE = noArgs, showHelp
	}
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if usage, ok := errors.AsType[*usageError](err); ok || err == nil {
			if ok && usage.hint == "" {
				usage.hint = seeHelp(c)
			}
			return err
		}
		return &usageError{err, seeHelp(c)}
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{err, nearFlag(c, err) + seeHelp(c)}
	})
	for _, sub := range c.Commands() {
		refuse(sub)
	}
}

func seeHelp(c *cobra.Command) string { return "see: " + c.CommandPath() + " --help" }

// nearFlag guesses which flag was meant.
func nearFlag(c *cobra.Command, err error) string {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := scenario.Nearest(missing.GetSpecifiedName(), names); near != "" {
		return "did you mean --" + near + "?\n"
	}
	return ""
}

// noArgs refuses arguments; of a command with commands below it they were to be one.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(c, args[0])
}

// exactArgs demands n arguments and names what is missing.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return &usageError{fmt.Errorf("%s wants %s, got %d arguments", c.CommandPath(), what, len(args)), ""}
	}
}

func unknownCommand(c *cobra.Command, arg string) error {
	if !c.HasSubCommands() {
		return &usageError{fmt.Errorf("%s takes no arguments, got %q", c.CommandPath(), arg), seeHelp(c)}
	}
	hint := seeHelp(c)
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	if near := scenario.Nearest(arg, names); near != "" {
		hint = "did you mean " + c.CommandPath() + " " + near + "?\n" + hint
	}
	return &usageError{fmt.Errorf("%s has no command %q", c.CommandPath(), arg), hint}
}
