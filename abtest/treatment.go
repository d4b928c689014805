package abtest

import (
	"cmp"
	"fmt"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

// Words for a setting that was not the same in all trials of a variant, that was not seen
// on the live system, and that is an empty text.
const (
	varied  = "varies"
	nothing = "nothing"
	empty   = "(empty)"
)

func visible(value string) string { return cmp.Or(value, empty) }

func orNothing(value string) string { return cmp.Or(value, nothing) }

// treatment compares what each variant asked for with what was observed of both, over
// all trials, and lists the environment's facts that differ.
func (s *Session) treatment() ([]result.Treatment, []result.Difference) {
	type key struct{ where, name string }
	rows := map[key]*result.Treatment{}
	facts := map[key]*result.Difference{}
	var order, factOrder []key
	row := func(x rundir.Setting) *result.Treatment {
		k := key{x.Where, x.Name}
		if rows[k] == nil {
			rows[k] = &result.Treatment{Where: x.Where, Setting: x.Name}
			order = append(order, k)
		}
		return rows[k]
	}
	for _, t := range s.trials {
		isA := t.Slot.Label == "A"
		seen := map[key]bool{}
		for _, x := range t.Observed {
			r := row(x)
			keep(choose(isA, &r.AObserved, &r.BObserved), visible(x.Value))
			seen[key{x.Where, x.Name}] = true
		}
		for _, x := range t.Asked {
			r := row(x)
			keep(choose(isA, &r.AAsked, &r.BAsked), visible(x.Value))
			if !seen[key{x.Where, x.Name}] {
				keep(choose(isA, &r.AObserved, &r.BObserved), nothing)
			}
		}
		for _, x := range t.Facts {
			k := key{x.Where, x.Name}
			if facts[k] == nil {
				facts[k] = &result.Difference{Name: x.Where + " " + x.Name}
				factOrder = append(factOrder, k)
			}
			keep(choose(isA, &facts[k].A, &facts[k].B), visible(x.Value))
		}
	}
	both := s.ran("A") && s.ran("B")
	var out []result.Treatment
	for _, k := range order {
		r := rows[k]
		r.OK = (r.AAsked == "" || r.AAsked == r.AObserved) && (r.BAsked == "" || r.BAsked == r.BObserved)
		r.Confound = both && r.AAsked == "" && r.BAsked == "" && r.AObserved != r.BObserved
		out = append(out, *r)
	}
	var diff []result.Difference
	for _, k := range factOrder {
		if d := facts[k]; both && d.A != d.B {
			diff = append(diff, result.Difference{Name: d.Name, A: orNothing(d.A), B: orNothing(d.B)})
		}
	}
	return out, diff
}

func choose(first bool, a, b *string) *string {
	if first {
		return a
	}
	return b
}

func keep(at *string, v string) {
	if *at != "" && *at != v {
		v = varied
	}
	*at = v
}

// treatmentWarnings stop a session in which a setting was asked for and not seen, or
// in which nothing at all was seen to differ between two different variants.
func treatmentWarnings(p rundir.Plan, rows []result.Treatment, both bool) []result.Warning {
	var ws []result.Warning
	asked, differ := false, false
	for _, r := range rows {
		asked = asked || r.AAsked != "" || r.BAsked != ""
		differ = differ || r.AObserved != r.BObserved
		for _, side := range []struct{ variant, asked, observed string }{{p.A, r.AAsked, r.AObserved}, {p.B, r.BAsked, r.BObserved}} {
			if side.asked == "" || side.asked == side.observed {
				continue
			}
			ws = append(ws, result.Warning{Code: verdict.Treatment, Level: verdict.Stop, Variant: side.variant,
				Seen:   fmt.Sprintf("%s ran with %s %s = %s (asked %s)", side.variant, r.Where, r.Setting, orNothing(side.observed), side.asked),
				Effect: "the variant was not applied, so nothing was compared", Action: "make the setting reach the system, then run again"})
		}
		if r.Confound {
			ws = append(ws, result.Warning{Code: verdict.Confound, Level: verdict.Limit,
				Seen:   fmt.Sprintf("%s %s differs (A %s, B %s) and was not asked for", r.Where, r.Setting, orNothing(r.AObserved), orNothing(r.BObserved)),
				Effect: "a difference found may be this one's"})
		}
	}
	switch {
	case p.A == p.B || !both:
	case !asked:
		ws = append(ws, result.Warning{Code: verdict.Unproven, Level: verdict.Limit,
			Seen:   fmt.Sprintf("neither %s nor %s asks for a setting", p.A, p.B),
			Effect: "nothing shows that they differ", Action: "let each variant set something, and verify it"})
	case !differ:
		ws = append(ws, result.Warning{Code: verdict.Treatment, Level: verdict.Stop,
			Seen:   fmt.Sprintf("nothing observed differs between %s and %s", p.A, p.B),
			Effect: "two identical systems were compared", Action: "let each variant set something, and verify it"})
	}
	return ws
}
