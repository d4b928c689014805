package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// completion reads how an accepted request is followed until its work is done.
func (r *reader) completion(n *yaml.Node, operation string, saved map[string]bool) *Completion {
	where := "operations." + operation + ".completion"
	f := r.fields(n, "completion", where, "name", "sample", "poll", "until", "success", "every", "timeout")
	if n.Kind != yaml.MappingNode {
		return nil
	}
	c := &Completion{Name: operation + "_done", Sample: 1, Every: 50 * time.Millisecond, Pos: r.pos(n)}
	if f["name"] != nil {
		if text, ok := r.text(f["name"], "name"); ok {
			c.Name = text
			r.completionName(f["name"], text, operation)
		}
	}
	if f["sample"] != nil {
		c.Sample = r.sample(f["sample"])
	}
	for _, need := range []struct{ key, example string }{
		{"poll", "poll: GET SERVICE:/path/${id}"}, {"until", "until: $.status in [DONE, FAILED]"}, {"timeout", "timeout: 10s"},
	} {
		if f[need.key] == nil {
			r.require(n, where, need.key, need.example)
		}
	}
	if f["poll"] != nil {
		s := arrivalScope("operations." + operation)
		s.saved = saved
		c.Poll = r.poll(f["poll"], s)
	}
	if f["until"] != nil {
		c.Until = r.condition(f["until"])
	}
	c.Success = slices.Clone(c.Until.In)
	if f["success"] != nil {
		c.Success = r.success(f["success"], c.Until.In)
	}
	if f["every"] != nil {
		c.Every = r.duration(f["every"], "every", time.Millisecond)
	}
	if f["timeout"] != nil {
		c.Timeout = r.duration(f["timeout"], "timeout", time.Millisecond)
		if c.Timeout > 0 && c.Timeout < c.Every {
			r.errorAt(f["timeout"], fmt.Sprintf("a timeout of %v ends before the second poll", c.Timeout), fmt.Sprintf("it polls every %v", c.Every))
		}
	}
	return c
}

// completionName checks a completion's name against its own operation too, which is not
// in the list yet.
func (r *reader) completionName(n *yaml.Node, text, operation string) {
	key := *n
	key.Value = text
	r.reportName(&key, "a completion")
	if text == operation {
		r.errorAt(n, fmt.Sprintf("the name %q is taken by its operation", text), "choose another")
	}
}

// sample reads the share of accepted requests that are followed.
func (r *reader) sample(n *yaml.Node) float64 {
	text, ok := r.text(n, "sample")
	if !ok {
		return 1
	}
	v, err := parsePercent(text)
	switch {
	case err != nil:
		r.errorAt(n, "sample "+err.Error(), "write sample: 10%")
	case v == 0:
		r.errorAt(n, "a sample of 0% follows nothing", "remove the completion, or write sample: 10%")
	default:
		return v / 100
	}
	return 1
}

// poll reads "METHOD SERVICE:/path".
func (r *reader) poll(n *yaml.Node, s *scope) Request {
	q := Request{Pos: r.pos(n)}
	text, ok := r.text(n, "poll")
	if !ok {
		return q
	}
	start := strings.Index(n.Value, text)
	method, address, found := strings.Cut(text, " ")
	if !found {
		r.errorAt(n, "poll needs a method and an address", "write poll: GET SERVICE:/path")
		return q
	}
	known := []string{"GET", "POST", "PUT", "HEAD"}
	if !slices.Contains(known, method) {
		r.errorIn(n, start, start+len(method), fmt.Sprintf("unknown method %q", method), knownWords("known", strings.ToUpper(method), known))
	}
	q.Method = method
	trimmed := strings.TrimLeft(address, " ")
	off := start + len(method) + 1 + len(address) - len(trimmed)
	q.Service, q.Path = r.address(n, off, trimmed, s)
	return q
}

// condition reads "JSONPATH in [A, B]" or "JSONPATH == A".
func (r *reader) condition(n *yaml.Node) Condition {
	text, ok := r.text(n, "until")
	if !ok {
		return Condition{}
	}
	var c Condition
	var list string
	if i := strings.LastIndex(text, " in ["); i >= 0 && strings.HasSuffix(text, "]") {
		c.Path, list = text[:i], text[i+len(" in ["):len(text)-1]
	} else if i := strings.LastIndex(text, " == "); i >= 0 {
		c.Path, list = text[:i], text[i+len(" == "):]
		if strings.Contains(list, ",") {
			r.errorAt(n, "== takes one value", "write in [A, B]")
		}
	} else {
		r.errorAt(n, "until is not a condition", "write $.status in [DONE, FAILED] or $.status == DONE")
		return c
	}
	c.Path = strings.TrimSpace(c.Path)
	r.checkJSONPath(n, strings.Index(n.Value, c.Path), c.Path)
	for _, word := range strings.Split(list, ",") {
		word = strings.Trim(strings.TrimSpace(word), `"'`)
		switch {
		case word == "":
			r.errorAt(n, "until has an empty value", "write $.status in [DONE, FAILED]")
		case slices.Contains(c.In, word):
			r.errorAt(n, fmt.Sprintf("until has %s twice", word), "")
		default:
			c.In = append(c.In, word)
		}
	}
	return c
}

// success reads which of the terminal states are good.
func (r *reader) success(n *yaml.Node, states []string) []string {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
		if len(items) == 0 {
			r.errorAt(n, "success is empty: no completion could ever be good", "")
		}
	}
	seen := map[string]bool{}
	var list []string
	for _, item := range items {
		word, ok := r.text(item, "success")
		switch {
		case !ok:
		case seen[word]:
			r.errorAt(item, fmt.Sprintf("success has %s twice", word), "")
		case len(states) > 0 && !slices.Contains(states, word):
			r.errorAt(item, fmt.Sprintf("%s is not one of the states of until", word), knownWords("states", word, states))
		default:
			list = append(list, word)
		}
		seen[word] = true
	}
	return list
}
