package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

// A program is one started process.
type program struct {
	spec scenario.Program
	args []string
	cmd  *exec.Cmd
	log  string
	pid  int
	done chan struct{} // closed when it has ended and was waited for
}

// prepare makes everything of a program that can fail without starting it.
func (r *run) prepare(spec scenario.Program) (*program, error) {
	args, err := r.tier.resolve.command(spec)
	if err != nil {
		return nil, err
	}
	env, err := r.tier.environment(spec, r.variant)
	if err != nil {
		return nil, err
	}
	path, err := find(args[0], env["PATH"])
	if err != nil {
		return nil, err
	}
	facts, err := r.tier.factsOf(spec.Name, path, args)
	if err != nil {
		return nil, err
	}
	r.facts = append(r.facts, facts...)
	env[markName] = r.state.Mark
	cmd := &exec.Cmd{Path: path, Args: args, Env: list(env), SysProcAttr: attributes()}
	return &program{
		spec: spec,
		args: args,
		cmd:  cmd,
		log:  filepath.Join(r.dir, "logs", spec.Name+".log"),
		done: make(chan struct{}),
	}, nil
}

// launch starts a program on the run's thread, notes it, and waits for its end aside.
func (r *run) launch(p *program) error {
	if err := os.MkdirAll(filepath.Dir(p.log), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close() // the program has its own copy
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := r.thread.do(p.cmd.Start); err != nil {
		return fmt.Errorf("start %s: %w", p.cmd.Path, err)
	}
	p.pid = p.cmd.Process.Pid
	r.programs = append(r.programs, p)
	id, err := identify(p.pid) // not yet waited for, so the pid is its own
	if err != nil {
		id = identity{PID: p.pid}
	}
	r.state.Programs = append(r.state.Programs, started{p.spec.Name, id})
	r.waiters.Go(func() {
		p.cmd.Wait() // how it ended is in ProcessState
		close(p.done)
		r.ended(p)
	})
	return nil
}

// exit describes how a program ended. It may be called once done is closed.
func (r *run) exit(p *program) tier.Exit {
	e := tier.Exit{Program: p.spec.Name, PID: p.pid, Code: -1, Log: r.tail(p)}
	if p.cmd.ProcessState == nil {
		return e
	}
	e.Code = p.cmd.ProcessState.ExitCode()
	if w, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		e.Signal = w.Signal().String()
	}
	return e
}

// tail returns the last lines of a program's log, secrets masked.
func (r *run) tail(p *program) []string {
	lines := tail(p.log)
	for i := range lines {
		lines[i] = r.tier.sc.Mask(lines[i])
	}
	return lines
}
