package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// declarePrograms notes the names of programs, so that services can refer to them.
func (r *reader) declarePrograms(n *yaml.Node) {
	for _, key := range []string{"process", "programs"} {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		n = child(n, key)
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	r.out.Target.Process = &ProcessTarget{Wait: 30 * time.Second}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; r.program(key.Value) == nil {
			r.out.Target.Process.Programs = append(r.out.Target.Process.Programs, Program{Name: key.Value, Pos: r.pos(key)})
		}
	}
}

// child returns the value of a key, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func (r *reader) program(name string) *Program {
	if r.out.Target.Process == nil {
		return nil
	}
	programs := r.out.Target.Process.Programs
	if i := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name }); i >= 0 {
		return &programs[i]
	}
	return nil
}

func (r *reader) programNames() []string {
	var names []string
	if r.out.Target.Process != nil {
		for _, p := range r.out.Target.Process.Programs {
			names = append(names, p.Name)
		}
	}
	return names
}

// target reads where the system under test runs; without it, it runs already.
func (r *reader) target(n *yaml.Node) {
	if n == nil {
		r.out.Target.External = true
		return
	}
	f := r.fields(n, "target", "target", "process", "external")
	switch {
	case f["process"] != nil && f["external"] != nil:
		r.errorAt(f["external"], "target is both process and external", "remove one")
	case f["external"] != nil:
		r.out.Target.External = true
		if !r.boolean(f["external"], "external") {
			r.errorAt(f["external"], "external: false says nothing", "write process: { programs: ... } or external: true")
		}
	case f["process"] != nil:
		r.process(f["process"])
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		r.errorAt(n, "target is empty", "write process: { programs: ... } or external: true")
	}
}

// process reads the programs that are started on this machine.
func (r *reader) process(n *yaml.Node) {
	f := r.fields(n, "process", "target.process", "programs", "wait")
	if f["programs"] == nil {
		r.require(n, "target.process", "programs", "programs: { NAME: { command: [...] } }")
		return
	}
	programs := r.entries(f["programs"], "target.process.programs")
	if r.out.Target.Process == nil {
		return
	}
	if len(programs) == 0 {
		r.errorAt(f["programs"], "target.process has no programs", "")
	}
	for _, e := range programs {
		if p := r.program(r.name(e.key, "a program")); p != nil {
			r.readProgram(p, e.value)
		}
	}
	if f["wait"] != nil {
		r.out.Target.Process.Wait = r.duration(f["wait"], "wait", time.Second)
	}
}

func (r *reader) readProgram(p *Program, n *yaml.Node) {
	where := "programs." + p.Name
	f := r.fields(n, "program", where, "command", "env")
	launch := &scope{when: atLaunch, owner: where}
	if f["command"] == nil {
		r.require(n, where, "command", `command: ["./server", "--port", "${port.SERVICE}"]`)
	} else {
		for _, item := range r.items(f["command"], "command", `command: ["./server", "--port", "8080"]; no shell is involved`) {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				r.errorAt(item, "an argument must be text", `write "" for an empty one`)
				continue
			}
			p.Command = append(p.Command, r.template(item, 0, item.Value, launch))
		}
		if f["command"].Kind == yaml.SequenceNode && len(f["command"].Content) == 0 {
			r.errorAt(f["command"], "command is empty", "")
		}
	}
	if f["env"] != nil {
		p.Env = r.envVars(f["env"], where+".env", launch)
	}
}

// envVars reads NAME: value lines. Values are text as written; secrets are noted.
func (r *reader) envVars(n *yaml.Node, where string, s *scope) []EnvVar {
	var list []EnvVar
	for _, e := range r.entries(n, where) {
		program, name, dotted := strings.Cut(e.key.Value, ".")
		if !dotted {
			program, name = "", e.key.Value
		}
		switch {
		case !isEnvName(name):
			r.errorAt(e.key, fmt.Sprintf("%q is not the name of an environment variable", name), "letters, digits and _ only, no digit first")
			continue
		case dotted && strings.HasPrefix(where, "programs."):
			r.errorAt(e.key, fmt.Sprintf("%q names a program inside a program", e.key.Value), "write "+name)
			continue
		case dotted && r.program(program) == nil:
			r.errorAt(e.key, fmt.Sprintf("unknown program %q", program), knownWords("programs", program, r.programNames()))
			continue
		case e.value.Kind != yaml.ScalarNode || e.value.Tag == "!!null":
			r.errorAt(e.value, fmt.Sprintf("%s must be text", name), `write "" for an empty value`)
			continue
		case strings.ContainsRune(e.value.Value, 0):
			r.errorAt(e.value, name+" has a zero byte", "")
			continue
		}
		value := r.template(e.value, 0, e.value.Value, s)
		if isSecretName(name) {
			r.secretParts(value)
		}
		list = append(list, EnvVar{Name: e.key.Value, Value: value, Pos: r.pos(e.key)})
	}
	return list
}

func isEnvName(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
