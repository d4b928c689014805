package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// reader turns the nodes of one file into its scenario and collects what is wrong.
type reader struct {
	src      source
	env      func(string) (string, bool)
	open     func(string) ([]byte, error)
	out      *Scenario
	stored   bool                    // read back from a run directory: see ParseStored
	data     []dataset               // what pick and next may name
	covered  []span                  // replaced text, about which enough was said
	misspelt map[*yaml.Node][]string // keys that a mapping has under a wrong name
	problems Problems
}

type span struct {
	at    Pos
	width int
}

// report adds an error unless it is about text that was replaced.
func (r *reader) report(at Pos, width int, message, hint string) {
	r.add(Error, at, width, message, hint)
}

func (r *reader) add(severity Severity, at Pos, width int, message, hint string) {
	at = r.src.clamp(at)
	r.problems = append(r.problems, Problem{
		File: r.src.file, Pos: at, Width: max(1, width), Severity: severity,
		Message: message, Hint: hint, Line: r.src.line(at.Line),
	})
}

// errorAt reports a mistake in a whole node.
func (r *reader) errorAt(n *yaml.Node, message, hint string) {
	at, width := r.src.span(n)
	r.errorOver(at, width, message, hint)
}

// errorIn reports a mistake in the bytes [start, end) of the value of a scalar.
func (r *reader) errorIn(n *yaml.Node, start, end int, message, hint string) {
	at, width := r.src.within(n, start, end)
	r.errorOver(at, width, message, hint)
}

// warnAt reports something of a node that is doubtful and not wrong.
func (r *reader) warnAt(n *yaml.Node, message, hint string) {
	at, width := r.src.span(n)
	r.add(Warning, at, width, message, hint)
}

func (r *reader) errorOver(at Pos, width int, message, hint string) {
	for _, c := range r.covered {
		if c.at.Line == at.Line && at.Column < c.at.Column+c.width && c.at.Column < at.Column+width {
			return
		}
	}
	r.report(at, width, message, hint)
}

// entry is one key of a mapping.
type entry struct{ key, value *yaml.Node }

// entries returns the keys of a mapping in file order; each key once.
func (r *reader) entries(n *yaml.Node, what string) []entry {
	if n.Kind != yaml.MappingNode {
		r.errorAt(n, what+" must be a map", "write key: value lines, indented below it")
		return nil
	}
	var list []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		known := slices.ContainsFunc(list, func(e entry) bool { return e.key.Value == key.Value })
		if key.Kind == yaml.ScalarNode && key.Tag != "!!merge" && !known {
			list = append(list, entry{key, n.Content[i+1]})
		}
	}
	return list
}

// fields are the values of a mapping by key.
type fields map[string]*yaml.Node

// fields returns the values of a mapping whose keys are all among the known ones; others
// are errors. Kind is the row of the table of later keys, where the name for messages.
func (r *reader) fields(n *yaml.Node, kind, where string, known ...string) fields {
	in := " in " + where
	if where == "" {
		in, where = "", "a scenario"
	}
	got := fields{}
	for _, e := range r.entries(n, where) {
		key := e.key.Value
		if slices.Contains(known, key) {
			got[key] = e.value
			continue
		}
		if hint, found := laterKey(kind, key); found {
			r.errorAt(e.key, fmt.Sprintf("%q%s is not supported by this version", key, in), hint)
			continue
		}
		hint := "known: " + strings.Join(known, ", ")
		if meant := Nearest(key, known); meant != "" {
			hint = didYouMean(key, known)
			r.misspelt[n] = append(r.misspelt[n], meant)
		}
		r.errorAt(e.key, fmt.Sprintf("unknown key %q%s", key, in), hint)
	}
	return got
}

// require reports that a key is missing from a mapping, unless it is there misspelt.
func (r *reader) require(n *yaml.Node, where, key, example string) {
	if slices.Contains(r.misspelt[n], key) {
		return
	}
	at, width := r.src.span(n)
	r.errorOver(at, width, fmt.Sprintf("%s has no %s", where, key), "add "+example)
}

// items returns the items of a list.
func (r *reader) items(n *yaml.Node, what, example string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.errorAt(n, what+" must be a list", "write "+example)
		return nil
	}
	return n.Content
}

// text returns the value of a scalar as written, without surrounding blanks.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.errorAt(n, what+" must be one value", "")
		return "", false
	case n.Tag == "!!null" || strings.TrimSpace(n.Value) == "":
		r.errorAt(n, what+" is empty", "give it a value or remove it")
		return "", false
	}
	return strings.TrimSpace(n.Value), true
}

// boolean returns true or false.
func (r *reader) boolean(n *yaml.Node, what string) bool {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" && (strings.EqualFold(n.Value, "true") || strings.EqualFold(n.Value, "false")) {
		return strings.EqualFold(n.Value, "true")
	}
	r.errorAt(n, what+" must be true or false", "")
	return false
}

// integer returns a whole number in [low, high], or low after reporting that it is not.
func (r *reader) integer(n *yaml.Node, what string, low, high int64) int64 {
	text, ok := r.text(n, what)
	if !ok {
		return low
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < low || v > high {
		r.errorAt(n, fmt.Sprintf("%s must be a whole number from %d to %d", what, low, high), "")
		return low
	}
	return v
}

// oneOf returns a word that is among the known ones, or nothing.
func (r *reader) oneOf(n *yaml.Node, what string, known ...string) string {
	word, ok := r.text(n, what)
	if !ok {
		return ""
	}
	if !slices.Contains(known, word) {
		r.errorAt(n, fmt.Sprintf("%s cannot be %q", what, word), knownWords("known", word, known))
		return ""
	}
	return word
}

// name checks the key that names a part of the scenario. Names become file names, tags of
// histograms and words of thresholds, so they are plain.
func (r *reader) name(n *yaml.Node, what string) string {
	if !isName(n.Value) {
		r.errorAt(n, fmt.Sprintf("%q cannot name %s", n.Value, what), "a name starts with a letter and has letters, digits, _ and - only, at most 64")
	}
	return n.Value
}

func isName(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_-", c)) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func (r *reader) pos(n *yaml.Node) Pos { return r.src.clamp(Pos{n.Line, n.Column}) }
