package process

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/scenario"
)

// inherited are the variables of perfctl's environment that programs are given.
var inherited = []string{"PATH", "HOME", "USER", "TMPDIR", "LANG"}

// markName is the variable by which the processes of one instance are known.
const markName = "PERFCTL_INSTANCE"

// A resolver fills the holes of commands and environments.
type resolver struct {
	self     string
	services map[string]service
}

func newResolver(self string, services []service) resolver {
	r := resolver{self: self, services: map[string]service{}}
	for _, s := range services {
		r.services[s.Name] = s
	}
	return r
}

func (r resolver) text(t scenario.Template) (string, error) {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Call == nil {
			b.WriteString(p.Text)
			continue
		}
		value, err := r.call(*p.Call)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

func (r resolver) call(c scenario.Call) (string, error) {
	if c.Name == "perfctl" {
		return r.self, nil
	}
	if (c.Name == "addr" || c.Name == "port") && len(c.Args) == 1 {
		s, ok := r.services[c.Args[0].Text]
		switch {
		case !ok:
			return "", fmt.Errorf("${%s.%s}: no such service", c.Name, c.Args[0].Text)
		case c.Name == "addr":
			return s.address(), nil
		}
		return s.port, nil
	}
	return "", fmt.Errorf("${%s} has no value when a program starts; known: ${perfctl} ${addr.SERVICE} ${port.SERVICE}", c.Name)
}

// command returns a program's argument list.
func (r resolver) command(p scenario.Program) ([]string, error) {
	if len(p.Command) == 0 {
		return nil, fmt.Errorf("program %s: no command", p.Name)
	}
	var args []string
	for _, t := range p.Command {
		text, err := r.text(t)
		if err != nil {
			return nil, fmt.Errorf("program %s: command: %w", p.Name, err)
		}
		args = append(args, text)
	}
	if args[0] == "" {
		return nil, fmt.Errorf("program %s: the command is empty", p.Name)
	}
	return args, nil
}

// environment returns what a program is given for a variant, without the mark.
func (t *Tier) environment(p scenario.Program, v *scenario.Variant) (map[string]string, error) {
	env := map[string]string{}
	for _, name := range inherited {
		if value, ok := t.o.LookupEnv(name); ok {
			env[name] = value
		}
	}
	for _, e := range p.Env {
		text, err := t.resolve.text(e.Value)
		if err != nil {
			return nil, fmt.Errorf("program %s: env %s: %w", p.Name, e.Name, err)
		}
		env[e.Name] = text
	}
	asked, err := t.asked(p, v)
	if err != nil {
		return nil, err
	}
	for _, a := range asked {
		env[a.name] = a.value
	}
	return env, nil
}

// A variable is one NAME=value.
type variable struct{ name, value string }

// asked returns what a variant asks of one program's environment. A variable written
// PROGRAM.NAME wins over one for all programs.
func (t *Tier) asked(p scenario.Program, v *scenario.Variant) ([]variable, error) {
	var all, only []variable
	for _, e := range v.Env {
		name, forOne, mine := addressee(e.Name, p.Name)
		if !mine {
			continue
		}
		text, err := t.resolve.text(e.Value)
		if err != nil {
			return nil, fmt.Errorf("variant %s: env %s: %w", v.Name, e.Name, err)
		}
		if forOne {
			only = append(only, variable{name, text})
			all = slices.DeleteFunc(all, func(a variable) bool { return a.name == name })
			continue
		}
		if !slices.ContainsFunc(only, func(o variable) bool { return o.name == name }) {
			all = append(all, variable{name, text})
		}
	}
	return append(all, only...), nil
}

// addressee splits PROGRAM.NAME and tells whether it concerns a program.
func addressee(written, program string) (name string, forOne, mine bool) {
	for_, name, dotted := strings.Cut(written, ".")
	if !dotted {
		return written, false, true
	}
	return name, true, for_ == program
}

// list writes an environment as exec wants it, sorted.
func list(env map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}
