package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/observe"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
	"github.com/perfctl/perfctl/workload"
)

// proveWithin bounds the second look at the settings.
const proveWithin = 10 * time.Second

// A Tier brings one variant up and proves it.
type Tier interface {
	Up(ctx context.Context, v *scenario.Variant, dir string, event func(rundir.EventLine)) (*tier.Instance, error)
}

// ErrTreatment ends a trial in which a setting was asked for and not observed.
var ErrTreatment = errors.New("the variant was not applied")

// A Runner runs the trials of one plan.
type Runner struct {
	Dir      *rundir.Dir
	Scenario *scenario.Scenario
	Plan     rundir.Plan
	Tier     Tier
	Rate     arrival.Rate
	Steady   func([]load.Second) bool // ends the warm-up of a single run; nil keeps it fixed
	Watch    Watch
	Now      func() time.Time
}

// A Watch is told how a trial goes. Its functions must be quick; nil ones are not called.
type Watch struct {
	Phase func(trial, phase string)
	Live  func(trial string, l load.Live)
	Event func(trial string, l rundir.EventLine)
}

// Name is the folder of a trial: 00-A-burn-in, 03-B, 03-B-2 for its second attempt.
func Name(s rundir.Slot, attempt int, burnIn bool) string {
	name := fmt.Sprintf("%02d-%s", s.Index, s.Label)
	if burnIn {
		name += "-burn-in"
	}
	if attempt > 1 {
		name += fmt.Sprintf("-%d", attempt)
	}
	return name
}

// Run runs one slot and returns the trial's name. An error means that the trial has
// no complete facts; its folder says how far it got.
func (r *Runner) Run(ctx context.Context, slot rundir.Slot, attempt int) (name string, err error) {
	name = Name(slot, attempt, slot.Pair == 0 && r.Plan.Burn)
	w, err := r.Dir.NewTrial(name)
	if err != nil {
		return name, err
	}
	one := &one{Runner: r, w: w, name: name, record: rundir.Trial{Name: name, Slot: slot, Attempt: attempt, State: rundir.Running, MeasureNS: r.Plan.MeasureNS}}
	err = one.run(ctx)
	switch {
	case err == nil:
		one.record.State = rundir.Complete
	case ctx.Err() != nil:
		one.record.State = rundir.Interrupted
	default:
		one.record.State = rundir.FailedState
	}
	if err != nil {
		one.record.Error = r.Scenario.Mask(err.Error())
	}
	return name, errors.Join(err, w.Trial(one.record), w.Close())
}

// one is a trial under way.
type one struct {
	*Runner
	w      *rundir.TrialWriter
	name   string
	record rundir.Trial
}

func (t *one) run(ctx context.Context) (err error) {
	if err := t.w.Trial(t.record); err != nil {
		return err
	}
	variant := t.variant()
	t.phase("up")
	began := t.Now()
	instance, err := t.Tier.Up(ctx, variant, t.w.Path(), t.event)
	if err != nil {
		return of(variant, err)
	}
	defer func() {
		t.phase("down")
		if down := instance.Down(context.WithoutCancel(ctx)); down != nil {
			err = errors.Join(err, of(variant, down))
		}
	}()
	t.record.UpNS = int64(t.Now().Sub(began))
	t.record.Asked, t.record.Observed, t.record.Facts, t.record.Unproven = instance.Asked(), instance.Observed(), instance.Facts(), instance.Notes()
	t.record.Path = path(instance.Endpoints())
	t.plan()
	if err := untreated(variant, instance.Untreated()); err != nil {
		return err
	}
	alive, relieve := watchExit(ctx, instance)
	if err := relieve(t.drive(alive, instance)); err != nil {
		return err
	}
	return t.proveAgain(ctx, variant, instance)
}

// untreated is the error that names every setting that was asked for and not observed.
func untreated(v *scenario.Variant, missed []tier.Difference) error {
	if len(missed) == 0 {
		return nil
	}
	var all []error
	for _, d := range missed {
		all = append(all, errors.New(d.String()))
	}
	return of(v, fmt.Errorf("%w: %w", ErrTreatment, errors.Join(all...)))
}

// of names the variant of an error, if the scenario has variants.
func of(v *scenario.Variant, err error) error {
	if v.Name == "" {
		return err
	}
	return fmt.Errorf("variant %s: %w", v.Name, err)
}

// proveAgain reads the settings once more after the load: what was asked for must have
// held to the end. The record keeps what was seen last.
func (t *one) proveAgain(ctx context.Context, v *scenario.Variant, instance *tier.Instance) error {
	ctx, cancel := context.WithTimeout(ctx, proveWithin)
	defer cancel()
	missed := instance.Recheck(ctx)
	for _, d := range missed {
		for i := range t.record.Observed {
			if o := &t.record.Observed[i]; o.Where == d.Where && o.Name == d.Name {
				o.Value, o.Proof = d.Observed, d.Proof
			}
		}
	}
	if err := untreated(v, missed); err != nil {
		return fmt.Errorf("after the load: %w", err)
	}
	return nil
}

// drive seeds and loads the instance.
func (t *one) drive(ctx context.Context, instance *tier.Instance) error {
	engine := client.NewHTTP(client.Options{MaxConns: t.Plan.MaxInFlight})
	defer engine.Close()
	options := workload.Options{Endpoints: instance.Endpoints(), Seed: t.record.Slot.Seed}
	t.phase("seed")
	began := t.Now()
	feeds, err := workload.Plant(ctx, t.Scenario, engine, options)
	if err != nil {
		return err
	}
	t.record.SeedNS = int64(t.Now().Sub(began))
	t.record.Seeded = map[string]int{}
	for name, f := range feeds {
		t.record.Seeded[name] = len(f.Rows)
	}
	options.Feeds = feeds
	mix, err := workload.New(t.Scenario, options)
	if err != nil {
		return err
	}
	return t.measure(ctx, mix, engine, instance)
}

// schedule is the plan's arrivals; both trials of a pair have the same.
func (t *one) schedule() arrival.Schedule {
	if t.Plan.Arrivals == "poisson" {
		return arrival.Poisson(t.Rate, t.record.Slot.Seed)
	}
	return arrival.Constant(t.Rate)
}

func (t *one) variant() *scenario.Variant {
	for i := range t.Scenario.Variants {
		if t.Scenario.Variants[i].Name == t.record.Slot.Variant {
			return &t.Scenario.Variants[i]
		}
	}
	return &scenario.Variant{Name: t.record.Slot.Variant}
}

// plan fills in what the trial was meant to send.
func (t *one) plan() {
	var sum float64
	for _, op := range t.Scenario.Operations {
		sum += float64(op.Weight)
	}
	timeout := map[string]time.Duration{}
	for _, s := range t.Scenario.Services {
		timeout[s.Name] = s.Timeout
	}
	for _, op := range t.Scenario.Operations {
		t.record.Operations = append(t.record.Operations, rundir.OperationPlan{Name: op.Name,
			Share: float64(op.Weight) / sum, TimeoutNS: int64(timeout[op.Request.Service])})
		if c := op.Completion; c != nil {
			t.record.Completions = append(t.record.Completions, rundir.CompletionPlan{Name: c.Name, Operation: op.Name,
				Sample: c.Sample, TimeoutNS: int64(c.Timeout)})
		}
	}
}

func (t *one) phase(p string) {
	if t.Watch.Phase != nil {
		t.Watch.Phase(t.name, p)
	}
}

// event keeps an event; one that cannot be written shows when the files are closed.
func (t *one) event(l rundir.EventLine) {
	l.Text = t.Scenario.Mask(l.Text)
	_ = t.w.Event(l)
	if t.Watch.Event != nil {
		t.Watch.Event(t.name, l)
	}
}

// scrape writes what the services said of themselves.
func (t *one) scrape(s *observe.Scraper) error {
	f, err := os.Create(filepath.Join(t.w.Path(), "metrics.om"))
	if err != nil {
		return err
	}
	return errors.Join(s.WriteOpenMetrics(f), f.Close())
}
