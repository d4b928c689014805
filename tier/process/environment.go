package process

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/tier"
)

// inProcess is the proof of a setting that was read from the live process.
const inProcess = "process environment"

// proveEnvironment looks for the settings of the variant in the environment of each live
// program, and notes what is there of the settings of the other variants.
func (r *run) proveEnvironment(proof *tier.Proof) {
	for _, p := range r.programs {
		asked, err := r.tier.asked(p.spec, r.variant)
		if err != nil {
			proof.Notes = append(proof.Notes, err.Error()) // New has rendered it before
			continue
		}
		live, unseen := environ(p.pid)
		if unseen != nil && runtime.GOOS != "linux" {
			r.askUnseen(proof, p, asked)
			continue
		}
		mine := map[string]bool{}
		for _, a := range asked {
			mine[a.name] = true
			r.compare(proof, p, a, live, unseen)
		}
		if unseen == nil {
			r.others(proof, p, mine, live)
		}
	}
}

// compare looks for one setting.
func (r *run) compare(proof *tier.Proof, p *program, a variable, live map[string]string, unseen error) {
	proof.Asked = append(proof.Asked, rundir.Setting{Where: p.spec.Name, Name: a.name, Value: r.shown(a.name, a.value)})
	value, set := live[a.name]
	if set && value == a.value {
		proof.Observed = append(proof.Observed, rundir.Setting{Where: p.spec.Name, Name: a.name, Value: r.shown(a.name, value), Proof: inProcess})
		return
	}
	d := tier.Difference{Where: p.spec.Name, Name: a.name, Asked: r.shown(a.name, a.value), Observed: r.shown(a.name, value), Proof: inProcess}
	switch {
	case unseen != nil:
		d.Proof += ": " + unseen.Error()
	case !set:
		d.Proof += ": not set"
	}
	proof.Untreated = append(proof.Untreated, d)
}

// others notes the settings of other variants in this program.
func (r *run) others(proof *tier.Proof, p *program, mine map[string]bool, live map[string]string) {
	for _, v := range r.tier.sc.Variants {
		for _, e := range v.Env {
			name, _, concerned := addressee(e.Name, p.spec.Name)
			if !concerned || mine[name] {
				continue
			}
			mine[name] = true
			s := rundir.Setting{Where: p.spec.Name, Name: name, Proof: inProcess}
			if value, set := live[name]; set {
				s.Value = r.shown(name, value)
			} else {
				s.Proof += ": not set"
			}
			proof.Observed = append(proof.Observed, s)
		}
	}
}

// askUnseen lists settings where the environment of a process cannot be read.
func (r *run) askUnseen(proof *tier.Proof, p *program, asked []variable) {
	for _, a := range asked {
		proof.Asked = append(proof.Asked, rundir.Setting{Where: p.spec.Name, Name: a.name, Value: r.shown(a.name, a.value)})
	}
	if len(asked) > 0 {
		proof.Notes = append(proof.Notes, fmt.Sprintf("the environment of program %s is not observable here", p.spec.Name))
	}
}

// shown masks a value that must not reach a report.
func (r *run) shown(name, value string) string {
	for _, word := range []string{"KEY", "TOKEN", "PASSWORD", "SECRET"} {
		if value != "" && strings.Contains(strings.ToUpper(name), word) {
			return "(masked)"
		}
	}
	return r.tier.sc.Mask(value)
}
