package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath"
	"gopkg.in/yaml.v3"
)

const maxWeight = 1_000_000_000

// operations reads the mix.
func (r *reader) operations(n *yaml.Node) {
	if n == nil {
		return
	}
	list := r.entries(n, "operations")
	if n.Kind == yaml.MappingNode && len(list) == 0 {
		r.errorAt(n, "operations is empty", "write NAME: { post: SERVICE:/path }")
	}
	var sum int64
	for _, e := range list {
		o := r.operation(e)
		sum += o.Weight
		r.out.Operations = append(r.out.Operations, o)
	}
	if len(list) > 0 && sum == 0 {
		r.errorAt(n, "the weights of all operations sum to zero", "give at least one operation a weight above 0")
	}
}

func (r *reader) operation(e entry) Operation {
	where := "operations." + e.key.Value
	keys := append([]string{"weight", "expect", "functional", "save", "completion"}, requestKeys()...)
	f := r.fields(e.value, "operation", where, keys...)
	o := Operation{Name: r.reportName(e.key, "an operation"), Weight: 1, Pos: r.pos(e.key)}
	if f["weight"] != nil {
		before := len(r.problems)
		if w := r.integer(f["weight"], "weight", 0, maxWeight); len(r.problems) == before {
			o.Weight = w
		}
	}
	s := arrivalScope(where)
	if e.value.Kind == yaml.MappingNode {
		o.Request = r.request(e.value, f, s)
	}
	if f["expect"] != nil {
		o.Expect = r.statuses(f["expect"], "expect")
	}
	if f["functional"] != nil {
		o.Functional = r.functional(f["functional"], o.Expect)
	}
	saved, before := map[string]bool{}, len(r.problems)
	if f["save"] != nil {
		o.Save = r.save(f["save"], saved)
	}
	if f["completion"] != nil {
		o.Completion = r.completion(f["completion"], o.Name, saved)
	}
	if len(r.problems) == before { // else a misspelt poll may already say it
		r.warnUnused(f["save"], saved)
	}
	return o
}

// reportName checks the name of an operation or completion, which is a word of
// thresholds and reports.
func (r *reader) reportName(n *yaml.Node, what string) string {
	name := r.name(n, what)
	switch {
	case slices.Contains(wholeRunStats(), name) || slices.Contains(resources(), name):
		r.errorAt(n, fmt.Sprintf("the name %q has a meaning of its own in thresholds", name), "choose another")
	case r.taken(name):
		r.errorAt(n, fmt.Sprintf("the name %q is taken by another operation or completion", name), "choose another")
	}
	return name
}

// functional reads declared business errors: status -> code, codes, or nothing.
func (r *reader) functional(n *yaml.Node, expect []int) []Functional {
	var list []Functional
	for _, e := range r.entries(n, "functional") {
		status, ok := r.status(e.key, "functional")
		if !ok {
			continue
		}
		codes := []*yaml.Node{e.value}
		if e.value.Kind == yaml.SequenceNode {
			codes = e.value.Content
			if len(codes) == 0 {
				r.errorAt(e.value, "the list of codes is empty", "write "+e.key.Value+": CODE, or leave the value out for every "+e.key.Value)
			}
		}
		for _, code := range codes {
			d := Functional{Status: status}
			if code.Kind != yaml.ScalarNode || code.Tag != "!!null" {
				d.Code, _ = r.text(code, "a code")
			}
			success := slices.Contains(expect, status) || expect == nil && status/100 == 2
			switch {
			case success:
				r.errorAt(e.key, fmt.Sprintf("%d is both expected and a business error", status), "remove it from expect or from functional")
			case slices.Contains(list, d):
				r.errorAt(code, fmt.Sprintf("%s is here twice", d.Code), "")
			}
			list = append(list, d)
		}
	}
	return list
}

// save reads NAME: JSONPATH, and notes the names as not used yet.
func (r *reader) save(n *yaml.Node, saved map[string]bool) []Save {
	var list []Save
	for _, e := range r.entries(n, "save") {
		name := e.key.Value
		switch {
		case !isEnvName(name):
			r.errorAt(e.key, fmt.Sprintf("%q cannot name a saved value", name), "letters, digits and _ only, no digit first")
			continue
		case isHoleName(name):
			r.errorAt(e.key, fmt.Sprintf("${%s} has a meaning of its own", name), "save under another name")
			continue
		}
		saved[name] = false
		list = append(list, Save{Name: name, Path: r.jsonPath(e.value, "save")})
	}
	return list
}

// warnUnused warns of saved values that nothing reads.
func (r *reader) warnUnused(n *yaml.Node, saved map[string]bool) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for _, e := range r.entries(n, "save") {
		if used, known := saved[e.key.Value]; known && !used {
			r.warnAt(e.key, fmt.Sprintf("%q is saved and never used", e.key.Value), "only the poll of a completion can use it: poll: GET SERVICE:/path/${"+e.key.Value+"}")
		}
	}
}

var jsonPathPlace = regexp.MustCompile(`^jsonpath: (.*?)(?: at position (\d+))?$`)

// jsonPath reads an RFC 9535 query.
func (r *reader) jsonPath(n *yaml.Node, what string) string {
	text, ok := r.text(n, what)
	if ok {
		r.checkJSONPath(n, strings.Index(n.Value, text), text)
	}
	return text
}

// checkJSONPath reports a query that does not parse, at the character where it fails.
func (r *reader) checkJSONPath(n *yaml.Node, off int, path string) {
	_, err := jsonpath.Parse(path)
	if err == nil {
		return
	}
	words := jsonPathPlace.FindStringSubmatch(err.Error())
	if words == nil {
		words = []string{"", err.Error(), ""}
	}
	const hint = "a JSONPath starts with $: $.customerId, $.items[0].id"
	if i, err := strconv.Atoi(words[2]); err == nil && i >= 1 && i <= len(path) {
		r.errorIn(n, off+i-1, off+len(path), "JSONPath: "+words[1], hint)
		return
	}
	r.errorIn(n, off, off+len(path), "JSONPath: "+words[1], hint)
}
