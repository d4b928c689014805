package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/perfctl/perfctl/scenario"
)

// Preflight checks the world without changing it: executables, required variables,
// ports. The error lists all problems.
func (t *Tier) Preflight(ctx context.Context) error {
	var problems []error
	path, _ := t.o.LookupEnv("PATH")
	for _, p := range t.sc.Target.Process.Programs {
		args, err := t.resolve.command(p)
		if err == nil {
			_, err = find(args[0], t.pathOf(p, path))
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: program %s: %w", at(t.sc.File, p.Pos), p.Name, err))
		}
	}
	for _, v := range t.variants {
		for _, name := range v.RequireEnv {
			if value, ok := t.o.LookupEnv(name); !ok || value == "" {
				problems = append(problems, fmt.Errorf("%s: variant %s needs %s, which is not set: export %s=... and run again", at(t.sc.File, v.Pos), v.Name, name, name))
			}
		}
	}
	left, err := orphans(t.o.State)
	if err != nil {
		problems = append(problems, err)
	}
	ours := map[int]bool{} // Up ends these
	for _, s := range left {
		for _, id := range s.alive() {
			ours[id.PID] = true
		}
	}
	problems = append(problems, t.taken(ours), ctx.Err())
	return errors.Join(problems...)
}

func at(file string, p scenario.Pos) string {
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
}

// pathOf is the PATH that a program will have: its own when it sets one.
func (t *Tier) pathOf(p scenario.Program, inherited string) string {
	env, err := t.environment(p, &scenario.Variant{})
	if err != nil {
		return inherited
	}
	return env["PATH"]
}

// find returns the file of a command. A name without a slash is looked for in the
// folders of the program's own PATH.
func find(command, path string) (string, error) {
	if strings.ContainsRune(command, filepath.Separator) {
		return executable(command)
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue // the working directory is never searched by accident
		}
		if file, err := executable(filepath.Join(dir, command)); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("no program %q in PATH: install it, or write its path", command)
}

// executable checks that a file can be started and returns its absolute path.
func executable(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return "", &exec.Error{Name: file, Err: errors.New("is not an executable file")}
	}
	return file, nil
}

// taken says which ports of services are taken and by whom, those held by a known
// process apart.
func (t *Tier) taken(known map[int]bool) error {
	var problems []error
	for _, s := range t.services {
		if !s.local {
			continue
		}
		err := free(s.address())
		if err == nil {
			continue
		}
		holder, found := holderOf(s.port)
		switch {
		case found && known[holder.PID]:
			continue
		case found:
			err = fmt.Errorf("it is held by %v: end that program, or give the service another port", holder)
		}
		problems = append(problems, fmt.Errorf("service %s: port %s of %s is taken: %w", s.Name, s.port, s.host, err))
	}
	return errors.Join(problems...)
}
