package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

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
