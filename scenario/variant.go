package scenario

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// variants reads the configurations that an A-B test compares.
func (r *reader) variants(n *yaml.Node) {
	if n == nil {
		return
	}
	baseline := ""
	for _, e := range r.entries(n, "variants") {
		v := Variant{Name: r.name(e.key, "a variant"), Title: e.key.Value, Pos: r.pos(e.key)}
		if e.value.Tag != "!!null" {
			r.variant(&v, e.value)
		}
		if v.Baseline && baseline != "" {
			r.errorAt(e.key, fmt.Sprintf("both %s and %s are the baseline", baseline, v.Name), "keep one")
		} else if v.Baseline {
			baseline = v.Name
		}
		r.out.Variants = append(r.out.Variants, v)
	}
}

func (r *reader) variant(v *Variant, n *yaml.Node) {
	where := "variants." + v.Name
	f := r.fields(n, "variant", where, "baseline", "title", "env", "require_env", "verify")
	if f["baseline"] != nil {
		v.Baseline = r.boolean(f["baseline"], "baseline")
	}
	if f["title"] != nil {
		if title, ok := r.text(f["title"], "title"); ok {
			v.Title = title
		}
	}
	if f["env"] != nil {
		if r.out.Target.Process == nil {
			r.errorAt(f["env"], "env has no effect: perfctl does not start this target", "remove it, or write target: { process: { programs: ... } }")
		}
		v.Env = r.envVars(f["env"], where+".env", &scope{when: atLaunch, owner: where})
	}
	if f["require_env"] != nil {
		v.RequireEnv = r.requireEnv(f["require_env"])
	}
	if f["verify"] != nil {
		for _, item := range r.items(f["verify"], "verify", "- { http: SERVICE:/path, path: $.setting, equals: value }") {
			if p, ok := r.probe(item, where+".verify"); ok {
				v.Verify = append(v.Verify, p)
			}
		}
	}
}

// requireEnv reads names of variables that must be set before anything is started. They
// are recorded here and checked by the tier; their values are secrets.
func (r *reader) requireEnv(n *yaml.Node) []string {
	var names []string
	for _, item := range r.items(n, "require_env", "require_env: [NAME]") {
		name, ok := r.text(item, "a name")
		switch {
		case !ok:
		case !isEnvName(name):
			r.errorAt(item, fmt.Sprintf("%q is not the name of an environment variable", name), "letters, digits and _ only, no digit first")
		case slices.Contains(names, name):
			r.errorAt(item, name+" is here twice", "")
		default:
			names = append(names, name)
			if value, set := r.env(name); set {
				r.secret(value)
			}
		}
	}
	return names
}

// probe reads how a setting is observed on the live system.
func (r *reader) probe(n *yaml.Node, where string) (Probe, bool) {
	f := r.fields(n, "verify", where, "http", "path", "equals")
	if n.Kind != yaml.MappingNode {
		return Probe{}, false
	}
	p, whole := Probe{Pos: r.pos(n)}, true
	for _, need := range []struct{ key, example string }{
		{"http", "http: SERVICE:/path"}, {"path", "path: $.setting"}, {"equals", "equals: value"},
	} {
		if f[need.key] == nil {
			r.require(n, where, need.key, need.example)
			whole = false
		}
	}
	if f["http"] != nil {
		if text, ok := r.text(f["http"], "http"); ok {
			off := strings.Index(f["http"].Value, text)
			service, path := r.address(f["http"], off, text, &scope{when: atParse, owner: where})
			p.Service = service
			p.GetPath, _ = path.Literal()
		}
	}
	if f["path"] != nil {
		p.Path = r.jsonPath(f["path"], "path")
	}
	if e := f["equals"]; e != nil {
		switch e.Kind {
		case yaml.ScalarNode:
			p.Equals = e.Value
		default:
			r.errorAt(e, "equals must be one value", "")
		}
	}
	return p, whole
}
