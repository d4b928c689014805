package main

import (
	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/compare"
	"github.com/perfctl/perfctl/report"
)

func newCompare(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "compare DIR[:VARIANT] DIR[:VARIANT]",
		Short: "Put two run directories next to each other",
		Long: `compare says whether two run directories did the same test, what else was not the
same, and how far apart their values lie. It never says better or worse: runs that
were not interleaved carry every drift as a difference. Use abtest for a verdict.

It exits 3, for there is never a valid answer, or 2 when a directory cannot be read.`,
		Example: `  perfctl compare results/run-shop-20261130-101500 results/run-shop-20261201-090000
  perfctl compare results/abtest-shop-20261130-101500:tpc results/abtest-shop-20261201-090000:tpc`,
		Args: exactArgs(2, "two run directories"),
		RunE: func(_ *cobra.Command, args []string) error {
			a, err := compare.Open(args[0])
			if err != nil {
				return unreadable(err)
			}
			b, err := compare.Open(args[1])
			if err != nil {
				return unreadable(err)
			}
			res, err := compare.Judge(a, b)
			if err != nil {
				return unreadable(err)
			}
			if asJSON {
				err = report.JSON(e.out, res)
			} else {
				err = report.Terminal(e.out, res, report.TerminalOptions{Width: e.width, Colour: e.colourOut, ASCII: e.ascii})
			}
			if err != nil {
				return err
			}
			return &exitError{res.Verdict.Exit}
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the document on stdout instead of the summary")
	return c
}
