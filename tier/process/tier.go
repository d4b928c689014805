package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/perfctl/perfctl/observe"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

// Options are what the tier takes from its surroundings.
type Options struct {
	Self      string                      // absolute path of the running perfctl, for ${perfctl}
	Variants  []string                    // names of those that will be brought up; nil means all
	State     string                      // folder of state files; empty means one in the user's cache folder
	Grace     time.Duration               // between SIGTERM and SIGKILL; 0 means 10 s
	LookupEnv func(string) (string, bool) // nil means os.LookupEnv
	Now       func() time.Time            // stamps events; nil means time.Now
}

// A Tier starts the programs of one scenario. At most one instance is up at a time.
type Tier struct {
	sc       *scenario.Scenario
	o        Options
	client   *http.Client
	variants []*scenario.Variant
	services []service
	resolve  resolver
	hashes   hashes
	up       sync.Mutex // held while an instance is up
}

// New checks what can be checked without starting anything, and chooses the ports. The
// error lists all problems.
func New(sc *scenario.Scenario, o Options) (*Tier, error) {
	if sc.Target.Process == nil || len(sc.Target.Process.Programs) == 0 {
		return nil, fmt.Errorf("%s: the target has no programs to start", sc.File)
	}
	if err := supported(); err != nil {
		return nil, err
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	t := &Tier{sc: sc, o: o, client: tier.NewClient(), hashes: hashes{}}
	var err error
	if t.variants, err = chosen(sc, o.Variants); err != nil {
		return nil, err
	}
	if t.services, err = locate(sc.Services); err != nil {
		return nil, fmt.Errorf("%s: %w", sc.File, err)
	}
	t.resolve = newResolver(o.Self, t.services)
	return t, t.render()
}

// complete fills in defaults.
func (o *Options) complete() error {
	if !filepath.IsAbs(o.Self) {
		return fmt.Errorf("the path of the running perfctl, %q, is not absolute", o.Self)
	}
	if o.State == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("no folder for the list of started programs: %w; set HOME or XDG_CACHE_HOME", err)
		}
		o.State = filepath.Join(cache, "perfctl", "process")
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// chosen returns the variants that will be brought up.
func chosen(sc *scenario.Scenario, names []string) ([]*scenario.Variant, error) {
	var list []*scenario.Variant
	found := map[string]bool{}
	for i := range sc.Variants {
		v := &sc.Variants[i]
		found[v.Name] = true
		if names == nil {
			list = append(list, v)
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, fmt.Errorf("%s: no variant %q", sc.File, name)
		}
		for i := range sc.Variants {
			if sc.Variants[i].Name == name {
				list = append(list, &sc.Variants[i])
			}
		}
	}
	return list, nil
}

// render evaluates every command and environment once, so that none fails later.
func (t *Tier) render() error {
	var problems []error
	for _, p := range t.sc.Target.Process.Programs {
		if _, err := t.resolve.command(p); err != nil {
			problems = append(problems, err)
		}
		for _, v := range append([]*scenario.Variant{{}}, t.variants...) {
			if _, err := t.environment(p, v); err != nil {
				problems = append(problems, err)
			}
		}
	}
	return errors.Join(problems...)
}

// Endpoints returns the base URL of each service; they are the same for every variant.
func (t *Tier) Endpoints() map[string]string {
	urls := make(map[string]string, len(t.services))
	for _, s := range t.services {
		urls[s.Name] = s.URL
	}
	return urls
}

// Up brings a variant up from nothing and proves it. Logs and the list of started
// programs go to dir. When it fails, nothing is left running.
func (t *Tier) Up(ctx context.Context, v *scenario.Variant, dir string, event func(rundir.EventLine)) (*tier.Instance, error) {
	if !t.up.TryLock() {
		return nil, errors.New("an instance is still up: end it before the next")
	}
	r := &run{tier: t, variant: v, dir: dir, event: event}
	instance, err := r.up(ctx)
	if err == nil {
		return instance, nil
	}
	// The caller's ctx may be why it failed; ending what was started is not optional.
	return nil, errors.Join(err, r.down(context.WithoutCancel(ctx)))
}

// prove observes what was asked for.
func (r *run) prove(ctx context.Context) tier.Proof {
	t := r.tier
	proof := r.observe(ctx)
	proof.Facts = r.facts
	proof.Again = func(ctx context.Context) []tier.Difference { return r.observe(ctx).Untreated }
	for _, p := range r.programs {
		proof.Processes = append(proof.Processes, observe.Target{Name: p.spec.Name, PID: p.pid})
	}
	if len(r.variant.Env) > 0 && len(r.variant.Verify) == 0 {
		proof.Notes = append(proof.Notes, fmt.Sprintf("variant %s: its settings reached the environment; nothing shows that a program reads them (add verify to the variant)", r.variant.Name))
	}
	proof.Endpoints = t.Endpoints()
	return proof
}

// observe looks at the live programs and at the probes.
func (r *run) observe(ctx context.Context) tier.Proof {
	var proof tier.Proof
	r.proveEnvironment(&proof)
	asked, observed, missed := tier.Probe(ctx, r.tier.client, r.tier.Endpoints(), r.tier.sc, r.variant)
	proof.Asked = append(proof.Asked, asked...)
	proof.Observed = append(proof.Observed, observed...)
	proof.Untreated = append(proof.Untreated, missed...)
	return proof
}
