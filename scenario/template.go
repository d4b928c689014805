package scenario

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
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
		parts = appendText(parts, t)
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
				return parts
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
	return parts
}

// appendText adds literal text, to the part before if that is literal too.
func appendText(parts []Part, text string) []Part {
	if text == "" {
		return parts
	}
	if last := len(parts) - 1; last >= 0 && parts[last].Call == nil {
		parts[last].Text += text
		return parts
	}
	return append(parts, Part{Text: text})
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

// known checks the arguments of a call whose name and shape are right.
func (r *reader) known(call *Call, field, args string, s *scope, fail func(string, string) (*Call, string)) (*Call, string) {
	switch call.Name {
	case "env":
		value, set := r.env(field)
		if !set {
			return fail(fmt.Sprintf("the environment variable %s is not set", field), fmt.Sprintf("export %s=... and run again", field))
		}
		if isSecretName(field) {
			r.secret(value)
		}
		return nil, value
	case "addr", "port":
		if r.service(field) == nil {
			return fail(fmt.Sprintf("unknown service %q", field), knownWords("services", field, r.serviceNames()))
		}
		call.Args = []Arg{{Text: field}}
	case "row":
		if s.row == nil {
			return fail("there is no row here", "only a seed with the name of a feeder reads its rows: seed row i is made from feeder row i")
		}
		if !r.stored && !slices.Contains(s.row.fields, field) {
			return fail(fmt.Sprintf("not every row of feeder %s has a field %q", s.row.name, field), knownWords("fields", field, s.row.fields))
		}
		call.Args = []Arg{{Text: field}}
	case "pick", "next":
		return r.take(call, strings.TrimSpace(args), s, fail)
	case "int":
		list, ok := numbers(args, 2)
		if !ok || list[0].Min != list[0].Max || list[1].Min != list[1].Max || !countable(list[0].Min, list[1].Min) {
			return fail(fmt.Sprintf("int(%s) needs the least and the greatest number", args), "write ${int(1,9999)}")
		}
		call.Args = list
	case "text":
		list, ok := numbers(args, 1)
		if !ok || list[0].Min < 0 || list[0].Min > list[0].Max || list[0].Max > maxText {
			return fail(fmt.Sprintf("text(%s) needs a number of characters or a range up to %d", args, maxText), "write ${text(200)} or ${text(0..2000)}")
		}
		call.Args = list
	}
	return call, ""
}

const maxText = 1 << 20

// take checks a pick or next.
func (r *reader) take(call *Call, name string, s *scope, fail func(string, string) (*Call, string)) (*Call, string) {
	if strings.ContainsAny(name, ",=") {
		return fail(fmt.Sprintf("%s takes the name of a feeder only", call.Name), "skewed choice is not supported by this version")
	}
	i := slices.IndexFunc(r.data, func(d dataset) bool { return d.name == name })
	if i < 0 {
		var names, kinds []string
		for _, d := range r.data {
			names = append(names, d.name)
			kinds = append(kinds, fmt.Sprintf("%s (%s)", d.name, d.kind))
		}
		hint := knownWords("known", name, kinds)
		if best := Nearest(name, names); best != "" {
			hint = "known: " + strings.Join(kinds, ", ") + fmt.Sprintf(". Did you mean %q?", best)
		}
		return fail(fmt.Sprintf("no feeder or seed named %q", name), hint)
	}
	if why := r.data[i].empty; why != "" {
		return fail(why, "")
	}
	call.Args = []Arg{{Text: name}}
	return call, ""
}

// countable says whether low..high has at least one number and fewer than 2^63.
func countable(low, high int64) bool {
	return low <= high && (low > 0 || high < math.MaxInt64+low)
}

// numbers reads whole numbers and ranges "0..2000".
func numbers(args string, count int) ([]Arg, bool) {
	var list []Arg
	for _, text := range strings.Split(args, ",") {
		text = strings.TrimSpace(text)
		low, high, isRange := strings.Cut(text, "..")
		if !isRange {
			high = low
		}
		least, err := strconv.ParseInt(low, 10, 64)
		if err != nil {
			return nil, false
		}
		most, err := strconv.ParseInt(high, 10, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, Arg{Text: text, Min: least, Max: most, IsNumber: true})
	}
	return list, len(list) == count
}
