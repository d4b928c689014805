package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// jsonNumber is the grammar of RFC 8259, section 6.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// jsonBody compiles a YAML value to compact JSON text with holes. Keys keep their order
// and numbers their digits.
func (r *reader) jsonBody(n *yaml.Node, s *scope) *Body {
	if n.Kind == yaml.ScalarNode && strings.HasPrefix(strings.TrimSpace(n.Value), "{") {
		r.errorAt(n, "json is a YAML map, not JSON inside a text", "remove the quotes, or write it as body: with a Content-Type header")
		return nil
	}
	return &Body{
		ContentType: "application/json",
		Template:    Template{Parts: merged(r.jsonParts(nil, n, s)), Pos: r.pos(n)},
	}
}

// jsonParts appends the JSON text of a node.
func (r *reader) jsonParts(parts []Part, n *yaml.Node, s *scope) []Part {
	switch n.Kind {
	case yaml.MappingNode:
		open := "{"
		for _, e := range r.entries(n, "json") {
			if strings.Contains(e.key.Value, "${") {
				r.errorAt(e.key, "${...} cannot be used in a JSON key", "")
			}
			parts = appendLiteral(parts, open+jsonString(e.key.Value)+":")
			parts = r.jsonParts(parts, e.value, s)
			open = ","
		}
		if open == "{" {
			return appendLiteral(parts, "{}")
		}
		return appendLiteral(parts, "}")
	case yaml.SequenceNode:
		open := "["
		for _, item := range n.Content {
			parts = r.jsonParts(appendLiteral(parts, open), item, s)
			open = ","
		}
		if open == "[" {
			return appendLiteral(parts, "[]")
		}
		return appendLiteral(parts, "]")
	}
	return r.jsonScalar(parts, n, s)
}

// jsonScalar appends a scalar in its own kind. A text that is one call of a kind with a
// value of its own, as ${int(1,3)}, becomes that value; !!str forces text.
func (r *reader) jsonScalar(parts []Part, n *yaml.Node, s *scope) []Part {
	forced := n.Style&yaml.TaggedStyle != 0
	switch n.Tag {
	case "!!null":
		if !slices.Contains([]string{"", "~", "null", "Null", "NULL"}, n.Value) {
			r.errorAt(n, fmt.Sprintf("%s is not null", n.Value), "")
		}
		return appendLiteral(parts, "null")
	case "!!bool":
		return appendLiteral(parts, strconv.FormatBool(r.boolean(n, "a !!bool")))
	case "!!int", "!!float":
		if !jsonNumber.MatchString(n.Value) {
			r.errorAt(n, fmt.Sprintf("%s is not a JSON number", n.Value), "write plain decimal digits, or quote it to send text")
		}
		return appendLiteral(parts, n.Value)
	}
	holes := r.parts(n, 0, n.Value, s.with(JSONText))
	if len(holes) == 1 && holes[0].Call != nil && !forced && hasOwnKind(holes[0].Call.Name) {
		return append(parts, Part{Call: holes[0].Call, Mode: JSONValue})
	}
	parts = append(appendLiteral(parts, `"`), holes...)
	return appendLiteral(parts, `"`)
}

func appendLiteral(parts []Part, text string) []Part { return append(parts, Part{Text: text}) }

// hasOwnKind says whether a call's value is written as JSON of its own kind.
func hasOwnKind(call string) bool { return call == "int" || call == "seq" || call == "row" }

// jsonString returns a text as a JSON string literal, with < > & as they are.
func jsonString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string into a buffer cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// jsonEscape returns what stands between the quotes of jsonString.
func jsonEscape(text string) string {
	quoted := jsonString(text)
	return quoted[1 : len(quoted)-1]
}
