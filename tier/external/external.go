// Package external answers, of a system that somebody else started: is it ready, and is
// it the variant that was asked for?
//
// Nothing is started, changed or ended. What makes the variants differ is the user's own
// doing between the trials; this tier only proves by the variants' probes that it was
// done. So a variant may not set environment variables, and processes cannot be sampled.
package external

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

// Options are what the tier takes from its surroundings.
type Options struct {
	Variants  []string                    // names of those that will be measured; nil means all
	Wait      time.Duration               // for readiness; 0 means 30 s
	LookupEnv func(string) (string, bool) // nil means os.LookupEnv
	Now       func() time.Time            // stamps events; nil means time.Now
}

// A Tier looks at one running system.
type Tier struct {
	sc       *scenario.Scenario
	o        Options
	client   *http.Client
	services []tier.Service
}

// New checks what can be checked without a look at the system. The error lists all
// problems.
func New(sc *scenario.Scenario, o Options) (*Tier, error) {
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Tier{sc: sc, o: o, client: tier.NewClient()}
	var problems []error
	for _, s := range sc.Services {
		if strings.HasSuffix(s.URL, ":auto") {
			problems = append(problems, fmt.Errorf("%s:%d:%d: service %s: port auto is for programs that perfctl starts: write the port of the running system", sc.File, s.Pos.Line, s.Pos.Column, s.Name))
		}
		t.services = append(t.services, tier.Service{Name: s.Name, URL: strings.TrimRight(s.URL, "/"), Health: s.Health})
	}
	for _, v := range sc.Variants {
		if len(v.Env) > 0 && t.measured(v.Name) {
			problems = append(problems, fmt.Errorf("%s:%d:%d: variant %s sets %s, which perfctl cannot give to a system that it did not start: set it there, and observe it with verify", sc.File, v.Pos.Line, v.Pos.Column, v.Name, v.Env[0].Name))
		}
	}
	return t, errors.Join(problems...)
}

func (t *Tier) measured(name string) bool {
	if t.o.Variants == nil {
		return true
	}
	for _, v := range t.o.Variants {
		if v == name {
			return true
		}
	}
	return false
}

// Preflight checks required variables and that every service answers now. The error
// lists all problems.
func (t *Tier) Preflight(ctx context.Context) error {
	var problems []error
	for _, v := range t.sc.Variants {
		if !t.measured(v.Name) {
			continue
		}
		for _, name := range v.RequireEnv {
			if value, ok := t.o.LookupEnv(name); !ok || value == "" {
				problems = append(problems, fmt.Errorf("%s:%d:%d: variant %s needs %s, which is not set: export %s=... and run again", t.sc.File, v.Pos.Line, v.Pos.Column, v.Name, name, name))
			}
		}
	}
	const glance = 5 * time.Second
	problems = append(problems, tier.WaitReady(ctx, t.client, t.services, min(glance, t.o.Wait)))
	return errors.Join(problems...)
}

// Endpoints returns the base URL of each service.
func (t *Tier) Endpoints() map[string]string {
	urls := make(map[string]string, len(t.services))
	for _, s := range t.services {
		urls[s.Name] = s.URL
	}
	return urls
}

// Up waits until the system is ready and looks at the settings of the variant. Nothing
// is written to dir.
func (t *Tier) Up(ctx context.Context, v *scenario.Variant, dir string, event func(rundir.EventLine)) (*tier.Instance, error) {
	if err := tier.WaitReady(ctx, t.client, t.services, t.o.Wait); err != nil {
		return nil, err
	}
	proof := tier.Proof{Endpoints: t.Endpoints()}
	proof.Asked, proof.Observed, proof.Untreated = tier.Probe(ctx, t.client, proof.Endpoints, t.sc, v)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	proof.Again = func(ctx context.Context) []tier.Difference {
		_, _, missed := tier.Probe(ctx, t.client, proof.Endpoints, t.sc, v)
		return missed
	}
	if len(v.Verify) == 0 {
		proof.Notes = append(proof.Notes, fmt.Sprintf("variant %s: nothing shows that the running system is this variant (add verify to it)", v.Name))
	}
	event(rundir.EventLine{Time: t.o.Now(), Kind: "ready", Text: "every service is ready; perfctl did not start it"})
	exited := make(chan tier.Exit)
	end := sync.OnceFunc(func() { close(exited) })
	return tier.NewInstance(proof, exited, func(context.Context) error { end(); return nil }), nil
}
