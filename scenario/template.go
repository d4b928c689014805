package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Literal returns the text of a template without holes.
func (t Template) Literal() (text string, ok bool) {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Call != nil {
			return "", false
		}
		b.WriteString(p.Text)
	}
	return b.String(), true
}

// A scope says which holes a template may have and how they are written.
type scope struct {
	when  when
	mode  Mode
	owner string          // whose template, for messages: "operations.create_order"
	saved map[string]bool // names saved by the operation, and whether they were used
	row   *dataset        // whose fields ${row.FIELD} names; nil where there is no row
}

// when is the time at which holes are evaluated.
type when uint8

const (
	atParse   when = iota // ${env.NAME} only
	atLaunch              // programs
	atArrival             // requests
)

// with returns the scope for another way of writing.
func (s *scope) with(mode Mode) *scope {
	other := *s
	other.mode = mode
	return &other
}

// arrivalScope returns the scope of one request.
func arrivalScope(owner string) *scope { return &scope{when: atArrival, owner: owner} }

// holeForms says how each call is written and when it is evaluated.
var holeForms = []struct {
	name, form string
	shape      byte // what follows the name: nothing, a dot or arguments
	when       when
}{
	{"seq", "${seq}", 0, atArrival},
	{"run", "${run}", 0, atArrival},
	{"uuid", "${uuid}", 0, atArrival},
	{"int", "${int(1,9999)}", '(', atArrival},
	{"text", "${text(0..2000)}", '(', atArrival},
	{"pick", "${pick(FEEDER)}", '(', atArrival},
	{"next", "${next(FEEDER)}", '(', atArrival},
	{"row", "${row.FIELD}", '.', atArrival},
	{"env", "${env.NAME}", '.', atParse},
	{"perfctl", "${perfctl}", 0, atLaunch},
	{"addr", "${addr.SERVICE}", '.', atLaunch},
	{"port", "${port.SERVICE}", '.', atLaunch},
}

// isHoleName says whether a name is a call, so that nothing can be saved under it.
func isHoleName(name string) bool {
	for _, f := range holeForms {
		if f.name == name {
			return true
		}
	}
	return false
}

// template reads the text at the byte offset off of a scalar's value.
func (r *reader) template(n *yaml.Node, off int, text string, s *scope) Template {
	return Template{Parts: r.parts(n, off, text, s), Pos: r.pos(n)}
}

// parts splits text into literal text and calls. Literal text of JSON strings is escaped.
func (r *reader) parts(n *yaml.Node, off int, text string, s *scope) []Part {
	var parts []Part
	literal := func(t string) {
		if s.mode == JSONText || s.mode == JSONValue {
			t = jsonEscape(t)
		}
		parts = append(parts, Part{Text: t})
	}
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '$')
		if next < 0 {
			literal(text[at:])
			break
		}
		literal(text[at : at+next])
		at += next
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "$${"):
			literal("${")
			at += 3
		case strings.HasPrefix(rest, "${"):
			size := strings.IndexByte(rest, '}') + 1
			if size == 0 {
				r.errorIn(n, off+at, off+at+2, "${ is never closed", "close it with }, or write $${ for the characters themselves")
				return merged(parts)
			}
			call, value := r.hole(n, off+at, rest[:size], s)
			if call != nil {
				parts = append(parts, Part{Call: call, Mode: s.mode})
			} else {
				literal(value)
			}
			at += size
		default:
			literal("$")
			at++
		}
	}
	return merged(parts)
}

// merged joins neighbouring literal texts and drops empty ones.
func merged(parts []Part) []Part {
	var list []Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			list = append(list, Part{Text: text.String()})
			text.Reset()
		}
	}
	for _, p := range parts {
		if p.Call == nil {
			text.WriteString(p.Text)
			continue
		}
		flush()
		list = append(list, p)
	}
	flush()
	return list
}

var holeShape = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_-]*)(?:\.([^().\s]+)|\(([^()]*)\))?\s*$`)

// hole checks one ${...}. It returns a call, or the text that stands for it already.
func (r *reader) hole(n *yaml.Node, off int, raw string, s *scope) (*Call, string) {
	fail := func(message, hint string) (*Call, string) {
		r.errorIn(n, off, off+len(raw), message, hint)
		return nil, ""
	}
	m := holeShape.FindStringSubmatch(raw[2 : len(raw)-1])
	if m == nil {
		return fail(raw+" is not an expression", "known: "+strings.Join(s.forms(), " "))
	}
	name, field, args := m[1], m[2], m[3]
	var shape byte
	switch {
	case field != "":
		shape = '.'
	case strings.Contains(raw, "("):
		shape = '('
	}
	at, _ := r.src.within(n, off, off+len(raw))
	call := &Call{Name: name, Pos: at}
	for _, f := range holeForms {
		if f.name != name {
			continue
		}
		if f.when != atParse && f.when != s.when {
			return fail(fmt.Sprintf("%s cannot be used here", raw), "here: "+strings.Join(s.forms(), " "))
		}
		if f.shape != shape {
			return fail(fmt.Sprintf("%s is not how %s is written", raw, name), "write "+f.form)
		}
		return r.known(call, field, args, s, fail)
	}
	if _, saved := s.saved[name]; saved && shape == 0 {
		s.saved[name] = true
		call.Name, call.Args = "saved", []Arg{{Text: name}}
		return call, ""
	}
	return fail(r.unknownHole(name, s))
}

// has says whether a call can be used in the scope.
func (s *scope) has(name string, at when) bool {
	return at == atParse || at == s.when && (name != "row" || s.row != nil)
}

// forms returns how the calls of a scope are written.
func (s *scope) forms() []string {
	var forms []string
	for _, f := range holeForms {
		if s.has(f.name, f.when) {
			forms = append(forms, f.form)
		}
	}
	for name := range s.saved {
		forms = append(forms, "${"+name+"}")
	}
	slices.Sort(forms)
	return forms
}

// unknownHole says that a name is no call and nothing saved.
func (r *reader) unknownHole(name string, s *scope) (message, hint string) {
	var known []string
	for _, f := range holeForms {
		if s.has(f.name, f.when) {
			known = append(known, f.name)
		}
	}
	known = append(known, slices.Sorted(maps.Keys(s.saved))...)
	if s.saved == nil {
		return fmt.Sprintf("unknown ${%s}", name), knownWords("known", name, known)
	}
	return fmt.Sprintf("${%s} is not saved by %s", name, s.owner),
		fmt.Sprintf("save: { %s: $.%s } keeps it from the reply\n%s", name, name, knownWords("known", name, known))
}
