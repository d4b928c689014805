package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/observe"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/single"
	"github.com/perfctl/perfctl/tier/external"
	"github.com/perfctl/perfctl/tier/process"
	"github.com/perfctl/perfctl/trial"
	"github.com/perfctl/perfctl/verdict"
)

// A Request is one experiment to carry out.
type Request struct {
	Kind     string // result.KindABTest or result.KindRun
	Scenario *scenario.Scenario
	Plan     rundir.Plan
	Seed     uint64
	Out      string   // folder of run directories
	Command  []string // the command line, for the report
	Version  string
	Self     string // path of the running perfctl
	Watch    trial.Watch
	Progress abtest.Progress
	Now      func() time.Time
}

// An EnvironmentError says that the system under test could not be brought up,
// seeded or kept up: nothing that a verdict could be about.
type EnvironmentError struct{ Err error }

func (e *EnvironmentError) Error() string { return e.Err.Error() }
func (e *EnvironmentError) Unwrap() error { return e.Err }

// A masked error does not say the scenario's secrets, which programs and replies may repeat.
type masked struct {
	err error
	sc  *scenario.Scenario
}

func (m masked) Error() string { return m.sc.Mask(m.err.Error()) }
func (m masked) Unwrap() error { return m.err }

// A Tier is a trial.Tier that can be checked before anything is started.
type Tier interface {
	trial.Tier
	Preflight(ctx context.Context) error
}

// TierOf returns the scenario's tier and its name.
func TierOf(r Request) (Tier, string, error) {
	var names []string // none means all
	for _, s := range r.Plan.Slots {
		if s.Variant != "" && !slices.Contains(names, s.Variant) {
			names = append(names, s.Variant)
		}
	}
	if r.Scenario.Target.Process != nil {
		t, err := process.New(r.Scenario, process.Options{Self: r.Self, Variants: names, Now: r.Now})
		return t, "process", err
	}
	t, err := external.New(r.Scenario, external.Options{Variants: names, Now: r.Now})
	return t, "external", err
}

// Run carries the experiment out. A result comes back whenever something could be
// judged, also beside an error.
func Run(ctx context.Context, r Request) (*result.Result, *rundir.Dir, error) {
	rate, err := verdict.RateOf(r.Plan)
	if err != nil {
		return nil, nil, err
	}
	t, tierName, err := TierOf(r)
	if err != nil {
		return nil, nil, &EnvironmentError{err}
	}
	if err := t.Preflight(ctx); err != nil {
		return nil, nil, &EnvironmentError{masked{err, r.Scenario}}
	}
	earlier := earlierSessions(r)
	dir, err := rundir.Create(r.Out, r.Kind, r.Scenario.Name, r.Now())
	if err != nil {
		return nil, nil, &EnvironmentError{err}
	}
	defer dump(dir)
	m := manifest(r, dir, tierName)
	m.Earlier = earlier
	if err := errors.Join(dir.WriteManifest(m), dir.WriteFile("scenario.yaml", []byte(m.Scenario))); err != nil {
		return nil, dir, &EnvironmentError{err}
	}
	runner := &trial.Runner{Dir: dir, Scenario: r.Scenario, Plan: r.Plan, Tier: t, Rate: rate, Watch: r.Watch, Now: r.Now}
	reason, err := trials(ctx, r, runner)
	if err != nil {
		err = masked{err, r.Scenario}
	}
	m.State, m.Reason, err = ended(ctx, reason, err)
	m.Ended = r.Now()
	if werr := dir.WriteManifest(m); werr != nil {
		return nil, dir, &EnvironmentError{errors.Join(err, werr)}
	}
	res, jerr := Judge(dir)
	if jerr != nil {
		return nil, dir, errors.Join(err, jerr)
	}
	return res, dir, errors.Join(err, WriteReports(dir, res))
}

// trials runs what was planned and says why it ended.
func trials(ctx context.Context, r Request, runner *trial.Runner) (string, error) {
	if r.Kind == result.KindABTest {
		return abtest.Run(ctx, runner.Dir, r.Scenario, r.Plan, runner, r.Progress, r.Now)
	}
	if w := r.Scenario.Warmup; w.UntilSteady && w.Max > 0 {
		main := slices.MaxFunc(r.Scenario.Operations, func(a, b scenario.Operation) int { return cmp.Compare(a.Weight, b.Weight) })
		runner.Steady = single.Steady(main.Name)
	}
	_, err := runner.Run(ctx, r.Plan.Slots[0], 1)
	return "the run is complete", err
}

// ended says in which state the trials leave the directory, and what of their error is
// the caller's: an interruption and a variant that was not applied are the judge's.
func ended(ctx context.Context, reason string, err error) (string, string, error) {
	switch {
	case err == nil:
		return rundir.Complete, reason, nil
	case ctx.Err() != nil:
		return rundir.Interrupted, context.Cause(ctx).Error(), nil
	case errors.Is(err, trial.ErrTreatment):
		return rundir.FailedState, err.Error(), nil
	}
	return rundir.FailedState, err.Error(), &EnvironmentError{err}
}

// dump leaves what a bug was in the run directory; the panic goes on.
func dump(dir *rundir.Dir) {
	if p := recover(); p != nil {
		_ = dir.WriteFile("crash.txt", fmt.Appendf(nil, "panic: %v\n\n%s", p, debug.Stack()))
		panic(p)
	}
}

func manifest(r Request, dir *rundir.Dir, tierName string) rundir.Manifest {
	sum := sha256.Sum256(r.Scenario.Source)
	m := rundir.Manifest{Kind: r.Kind, ID: filepath.Base(dir.Path()), Started: r.Now(), State: rundir.Running,
		Perfctl: r.Version, Seed: r.Seed, ScenarioName: r.Scenario.Name, ScenarioFile: r.Scenario.File,
		ScenarioSHA256: hex.EncodeToString(sum[:]), Scenario: string(r.Scenario.Resolved()), Tier: tierName, Host: observe.Host(), Plan: r.Plan}
	for _, c := range r.Command {
		m.Command = append(m.Command, r.Scenario.Mask(c))
	}
	m.Git, m.GitDirty = gitState()
	return m
}

// earlierSessions counts the A-B sessions of the same scenario and variants that the
// results folder already holds: the method cannot protect against repeating.
func earlierSessions(r Request) int {
	if r.Kind != result.KindABTest {
		return 0
	}
	entries, err := os.ReadDir(r.Out)
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range entries {
		d, err := rundir.Open(filepath.Join(r.Out, e.Name()))
		if err != nil {
			continue
		}
		m, err := d.Manifest()
		if err == nil && m.Kind == r.Kind && m.ScenarioName == r.Scenario.Name && m.Plan.A == r.Plan.A && m.Plan.B == r.Plan.B {
			n++
		}
	}
	return n
}
