package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/rundir"
)

func newReport(e *env) *cobra.Command {
	var out outputFlags
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Judge a run directory again and render its reports",
		Long: `report reads the facts of a run directory, judges them and writes result.json,
report.md, report.html and junit.xml into it. It needs nothing but the directory, also
when the run was interrupted or killed. The same directory gives the same bytes.

` + exitHelp,
		Args: exactArgs(1, "one run directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			dir, err := rundir.Open(args[0])
			if err != nil {
				return &usageError{err, ""}
			}
			res, err := experiment.Judge(dir)
			if err != nil {
				return unreadable(err)
			}
			if err := experiment.WriteReports(dir, res); err != nil {
				if _, ok := errors.AsType[*fs.PathError](err); !ok {
					return err
				}
				fmt.Fprintf(e.err, "perfctl: the reports were not written: %v\n", err)
			}
			if err := e.print(res, dir, out); err != nil {
				return err
			}
			return out.exit(res)
		},
	}
	out.registerForm(c)
	out.registerUnclear(c)
	return c
}

// unreadable is a run directory that cannot be judged: damaged, or of another version.
func unreadable(err error) error { return &usageError{err, ""} }
