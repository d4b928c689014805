package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/scenarios"
)

func newScenarios(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List the shipped scenarios, or show one to copy",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return e.listScenarios() },
	}
	c.AddCommand(&cobra.Command{
		Use:   "list",
		Short: "List the shipped scenarios",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return e.listScenarios() },
	}, &cobra.Command{
		Use:     "show NAME",
		Short:   "Print a shipped scenario",
		Example: "  perfctl scenarios show community-vs-tpc > shop.yaml",
		Args:    exactArgs(1, "one name"),
		RunE: func(_ *cobra.Command, args []string) error {
			src, err := scenarios.Read(args[0])
			if err != nil {
				return &usageError{err, "see: perfctl scenarios list"}
			}
			_, err = e.out.Write(src)
			return err
		},
	})
	return c
}

func (e *env) listScenarios() error {
	list, err := scenarios.List()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Description)
	}
	return w.Flush()
}
