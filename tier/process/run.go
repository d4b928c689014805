package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

// A run is one instance from before its first program to after its last.
type run struct {
	tier     *Tier
	variant  *scenario.Variant
	dir      string
	event    func(rundir.EventLine)
	state    state
	thread   *thread
	programs []*program
	facts    []rundir.Setting
	known    []identity // processes that had not ended when last looked at
	waiters  sync.WaitGroup
	exited   chan tier.Exit
	fail     context.CancelCauseFunc // ends the wait for readiness

	mu       sync.Mutex
	stopping bool // ends are asked for from here on
	once     sync.Once
	downErr  error
}

// up makes the instance: clean, started, ready, different.
func (r *run) up(ctx context.Context) (*tier.Instance, error) {
	ctx, r.fail = context.WithCancelCause(ctx)
	defer r.fail(nil)
	r.exited = make(chan tier.Exit, len(r.tier.sc.Target.Process.Programs))
	r.thread = newThread()
	if err := r.clean(); err != nil {
		return nil, err
	}
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	if err := r.owns(); err != nil {
		return nil, err
	}
	proof := r.prove(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, err // a program ended, or the caller gave up, while it was looked at
	}
	r.say("ready", "", "every service is ready")
	return tier.NewInstance(proof, r.exited, r.down), nil
}

// clean ends what an earlier perfctl left and proves that every port is free.
func (r *run) clean() error {
	left, err := orphans(r.tier.o.State)
	if err != nil {
		r.say("warning", "", err.Error())
	}
	for path, s := range left {
		ended, remain := kill(s.alive)
		for _, id := range ended {
			r.say("warning", "", fmt.Sprintf("ended %v, left running by perfctl %v, which is gone", id, s.Owner))
		}
		if len(remain) > 0 {
			return fmt.Errorf("left running by an earlier perfctl and cannot be ended: %v", remain)
		}
		if err := remove(path); err != nil {
			return err
		}
	}
	return r.tier.portsFree(killTime)
}

// start starts every program. The state files are written before and after each.
func (r *run) start(ctx context.Context) error {
	r.state = newState()
	if err := r.save(); err != nil {
		return fmt.Errorf("write the list of started programs: %w", err)
	}
	for _, spec := range r.tier.sc.Target.Process.Programs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p, err := r.prepare(spec)
		if err != nil {
			return fmt.Errorf("program %s: %w", spec.Name, err)
		}
		if err := r.launch(p); err != nil {
			return fmt.Errorf("program %s: %w", spec.Name, err)
		}
		r.say("start", spec.Name, fmt.Sprintf("pid %d: %s", p.pid, r.tier.sc.Mask(strings.Join(p.args, " "))))
		if err := r.save(); err != nil {
			return fmt.Errorf("write the list of started programs: %w", err)
		}
	}
	return nil
}

// files are the two places of the state: one to find it, one beside the trial's facts.
func (r *run) files() []string {
	name := fmt.Sprintf("%d-%s.json", r.state.Owner.PID, r.state.Mark)
	return []string{filepath.Join(r.tier.o.State, name), filepath.Join(r.dir, "processes.json")}
}

func (r *run) save() error { return r.state.save(r.files()...) }

// ready waits until every service is, and says of those that are not what their program
// wrote last.
func (r *run) ready(ctx context.Context) error {
	wait := r.tier.sc.Target.Process.Wait
	if wait == 0 {
		wait = 30 * time.Second
	}
	services := make([]tier.Service, len(r.tier.services))
	for i, s := range r.tier.services {
		services[i] = s.Service
	}
	err := tier.WaitReady(ctx, r.tier.client, services, wait)
	late, ok := errors.AsType[*tier.NotReady](err)
	if !ok {
		return err
	}
	var b strings.Builder
	b.WriteString(late.Error())
	for _, p := range r.programs {
		if r.concerns(p, late.Services) {
			fmt.Fprintf(&b, "\n  program %s (pid %d) still runs; the end of %s:%s", p.spec.Name, p.pid, p.log, tier.Indent(r.tail(p)))
		}
	}
	return errors.New(b.String())
}

// owns proves, where it may be seen, that who listens on a service's port is ours.
func (r *run) owns() error {
	mine := map[int]bool{}
	for _, id := range r.left() {
		mine[id.PID] = true
	}
	for _, s := range r.tier.services {
		if !s.local {
			continue
		}
		if holder, found := holderOf(s.port); found && !mine[holder.PID] {
			return fmt.Errorf("service %s: port %s is held by %v, which this tier did not start: end that program, or give the service another port", s.Name, s.port, holder)
		}
	}
	return nil
}

// concerns tells whether a program may be why services are not ready: it serves one, or
// it is not known who serves one.
func (r *run) concerns(p *program, services []tier.Service) bool {
	for _, late := range services {
		for _, s := range r.tier.sc.Services {
			if s.Name == late.Name && (s.Program == "" || s.Program == p.spec.Name) {
				return true
			}
		}
	}
	return false
}

// ended is called when a program ended. One that was not asked to is reported at once.
func (r *run) ended(p *program) {
	r.mu.Lock()
	asked := r.stopping
	r.mu.Unlock()
	if asked {
		return
	}
	e := r.exit(p)
	r.say("exit", p.spec.Name, e.String())
	r.exited <- e // never blocks: it has room for every program
	r.fail(unexpected{e})
}

// unexpected is the end of a program that was needed.
type unexpected struct{ tier.Exit }

func (u unexpected) Error() string { return u.String() }

func (r *run) say(kind, name, text string) {
	r.event(rundir.EventLine{Time: r.tier.o.Now(), Kind: kind, Name: name, Text: r.tier.sc.Mask(text)})
}
