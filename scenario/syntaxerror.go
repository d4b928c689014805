package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// parseBudget bounds the bytes parsed to find the place of a syntax error.
const parseBudget = 2 << 20

// syntaxError reports text that is not YAML. The parser's own line is that of the
// enclosing construct, often far above the mistake, and it has no column, so the place
// is found by parsing prefixes: the mistake is right after the longest one that parses.
func (r *reader) syntaxError(text []byte, err error) {
	longest := longestPrefix(string(text))
	line := 1 + strings.Count(string(text[:longest]), "\n")
	start := 1 + strings.LastIndexByte(string(text[:longest]), '\n')
	at := Pos{line, 1 + utf8.RuneCount(text[start:longest])}
	rest := r.src.from(at)
	if blank := len(rest) - len(strings.TrimLeft(rest, " ")); blank > 0 && blank < len(rest) {
		at.Column += blank
		rest = rest[blank:]
	}
	if indent := indentOf(r.src.line(line)); strings.Contains(indent, "\t") {
		column := 1 + strings.Index(indent, "\t")
		r.report(Pos{line, column}, len(indent)-column+1, "a tab in the indentation", "YAML is indented with spaces; write two spaces for each level")
		return
	}
	message, hint := syntaxWords(err.Error(), rest)
	r.report(at, 1, message, hint)
}

func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// longestPrefix returns the length of the longest prefix of a text that is not YAML
// that is YAML: first up to a top-level key, then to a line, then to a character. When
// the budget is used up the place is as near as was found.
func longestPrefix(text string) int {
	budget := parseBudget
	parses := func(end int) bool {
		budget -= end
		var n yaml.Node
		return yaml.Unmarshal([]byte(text[:end]), &n) == nil
	}
	longest := func(from int, cuts []int) int {
		for i := len(cuts) - 1; i >= 0 && budget > 0; i-- {
			if cuts[i] > from && parses(cuts[i]) {
				return cuts[i]
			}
		}
		return from
	}
	var sections, lines, runes []int
	for i, c := range text {
		if i > 0 && text[i-1] == '\n' {
			lines = append(lines, i)
			if unicode.IsLetter(c) {
				sections = append(sections, i)
			}
		}
	}
	at := longest(0, sections)
	lines = upTo(lines, at, nextAfter(sections, at, len(text)))
	at = longest(at, lines)
	end := nextAfter(lines, at, len(text))
	for i := range text[at:end] {
		runes = append(runes, at+i)
	}
	return longest(at, runes)
}

// nextAfter returns the first cut beyond at, or end.
func nextAfter(cuts []int, at, end int) int {
	for _, c := range cuts {
		if c > at {
			return c
		}
	}
	return end
}

// upTo returns the cuts in (from, to].
func upTo(cuts []int, from, to int) []int {
	var in []int
	for _, c := range cuts {
		if c > from && c <= to {
			in = append(in, c)
		}
	}
	return in
}

// syntaxWords says in this package's words what the YAML parser found, given the text
// at the mistake.
func syntaxWords(cause, rest string) (message, hint string) {
	first, _ := utf8.DecodeRuneInString(rest)
	table := []struct{ cause, message, hint string }{
		{"expected ',' or '}'", "this { } map is not closed, or a comma is missing in it", `close it with }, or quote text that contains , : { } [ ]`},
		{"expected ',' or ']'", "this [ ] list is not closed, or a comma is missing in it", `close it with ], or quote text that contains , : { } [ ]`},
		{"unexpected end of stream", "this quote is never closed", "close it on the same line"},
		{"mapping values are not allowed", `a second ":" in one line, or a line indented too far`, `quote text that contains ": ", and indent the keys of one map alike`},
		{"cannot start any token", fmt.Sprintf("text cannot start with %q", first), "put it in quotes"},
		{"did not find expected key", "a key was expected here", "indent the keys of one map alike, and quote text that goes on after a closing quote"},
		{"expected '-' indicator", `a list item "- " was expected here`, "indent the items of one list alike"},
		{"could not find expected ':'", `a ":" is missing after this key`, "write key: value"},
		{"block sequence entries are not allowed", "a list item cannot start here", `put "- " on a line of its own`},
		{"control characters", "a control character in the text", `remove it, or write it as "\x1b" in double quotes`},
		{"unknown anchor", "no anchor of this name above", "write &NAME before the value that it stands for"},
		{"unknown escape character", "an unknown escape in double quotes", `write \\ for a backslash, or use single quotes`},
		{"expected node content", "a value is missing here", `quote text that starts with , or contains { } [ ]`},
		{"directive", "YAML directives (%) are not supported", "remove the line"},
		{"incompatible YAML document", "YAML directives (%) are not supported", "remove the line"},
		{"exceeded max depth", "nested too deep", ""},
	}
	for _, t := range table {
		if strings.Contains(cause, t.cause) {
			return t.message, t.hint
		}
	}
	words := strings.TrimPrefix(cause, "yaml: ")
	if strings.HasPrefix(words, "line ") {
		if _, after, found := strings.Cut(words, ": "); found {
			words = after
		}
	}
	return "not YAML: " + words, ""
}
