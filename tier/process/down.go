package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// down ends the instance and proves that nothing is left. It is safe at every stage of
// coming up, and a second call returns what the first did.
func (r *run) down(ctx context.Context) error {
	r.once.Do(func() { r.downErr = r.end(ctx) })
	return r.downErr
}

func (r *run) end(ctx context.Context) error {
	defer r.tier.up.Unlock()
	r.mu.Lock()
	r.stopping = true
	r.mu.Unlock()
	var problems []error
	if len(r.programs) > 0 {
		r.say("stop", "", "ending every program")
		problems = append(problems, r.endAll(ctx))
	}
	r.thread.end()
	if len(r.programs) > 0 {
		problems = append(problems, r.tier.portsFree(killTime))
	}
	if err := errors.Join(problems...); err != nil {
		return err // the state files stay, so that the next run tries again
	}
	if r.state.Mark == "" {
		return nil // it failed before anything was written
	}
	for _, path := range r.files() {
		problems = append(problems, remove(path))
	}
	return errors.Join(problems...)
}

// endAll sends SIGTERM to every process of the instance, and after the grace period, or
// when ctx is done, SIGKILL to what is left.
func (r *run) endAll(ctx context.Context) error {
	r.terminate()
	if !r.gone(ctx, r.tier.o.Grace) {
		if ctx.Err() == nil {
			r.say("warning", "", fmt.Sprintf("not ended %v after SIGTERM, killed: %v", r.tier.o.Grace, r.left()))
		}
		r.signalGroups(syscall.SIGKILL)
		if _, left := kill(r.left); len(left) > 0 {
			return fmt.Errorf("cannot be ended: %v", left)
		}
	}
	if !r.gone(context.WithoutCancel(ctx), killTime) {
		return fmt.Errorf("still there after SIGKILL: %s", strings.Join(r.running(), ", "))
	}
	r.waiters.Wait()
	close(r.exited)
	return nil
}

// left lists every live process of the instance.
func (r *run) left() []identity {
	sessions := map[int]bool{}
	for _, p := range r.programs {
		sessions[p.pid] = true
	}
	r.known = withDying(belonging(r.state.Mark, sessions), r.known)
	return r.known
}

// terminate sends every process one SIGTERM: to many programs a second one means to stop
// without cleaning up.
func (r *run) terminate() {
	list := r.left()
	for _, id := range list {
		id.signal(syscall.SIGTERM)
	}
	if len(list) == 0 {
		r.signalGroups(syscall.SIGTERM) // there is no /proc, or nothing to end
	}
}

// signalGroups signals the process groups of programs that were not waited for yet; the
// others' numbers may be somebody else's by now.
func (r *run) signalGroups(s syscall.Signal) {
	for _, p := range r.programs {
		select {
		case <-p.done:
		default:
			signalGroup(p.pid, s)
		}
	}
}

// gone waits until every program was waited for and no process is left.
func (r *run) gone(ctx context.Context, within time.Duration) bool {
	return settled(within, func() bool {
		return ctx.Err() != nil || len(r.running()) == 0 && len(r.left()) == 0
	}) && ctx.Err() == nil
}

// running lists the programs that were not waited for yet.
func (r *run) running() []string {
	var names []string
	for _, p := range r.programs {
		select {
		case <-p.done:
		default:
			names = append(names, p.spec.Name)
		}
	}
	return names
}

// portsFree waits until the port of every local service is free.
func (t *Tier) portsFree(within time.Duration) error {
	var taken error
	settled(within, func() bool {
		taken = t.taken(nil)
		return taken == nil
	})
	return taken
}

// remove removes a file that may be gone already.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
