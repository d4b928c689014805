package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/orderflow"
)

func newOrderflow(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "orderflow",
		Short: "The bundled system under test: a small event-sourced shop",
		Args:  noArgs,
		RunE:  showHelp,
	}
	c.AddCommand(&cobra.Command{
		Use:   "serve",
		Short: "Serve account, inventory, order and payment until interrupted",
		Long: `serve is configured by environment variables only, as the variants of a scenario
are: ORDERFLOW_ENGINE, ORDERFLOW_STORE, ORDERFLOW_OUTBOX, ORDERFLOW_REPLICAS,
ORDERFLOW_CLUSTERING, ORDERFLOW_ADDR_ORDER and others; an unknown ORDERFLOW_ variable
is refused. docs/ORDERFLOW.md describes each mechanism.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return e.serveOrderflow(c.Context()) },
	}, &cobra.Command{
		Use:   "health URL",
		Short: "Exit 0 when a service answers its health path with UP",
		Args:  exactArgs(1, "one URL"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), 5*time.Second)
			defer cancel()
			if err := orderflow.CheckHealth(ctx, args[0]); err != nil {
				return &experiment.EnvironmentError{Err: err}
			}
			return nil
		},
	})
	return c
}

func (e *env) serveOrderflow(ctx context.Context) error {
	config, err := orderflow.ConfigFromEnv(os.Environ())
	if err != nil {
		return &usageError{err, "see: perfctl orderflow serve --help"}
	}
	s, err := orderflow.Start(ctx, config)
	if err != nil {
		return &experiment.EnvironmentError{Err: err}
	}
	for _, name := range orderflow.Services() {
		if addr, ok := s.Addrs()[name]; ok {
			fmt.Fprintf(e.err, "%s http://%s\n", name, addr)
		}
	}
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return s.Shutdown(stop)
}
