package scenario

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// source is the text of one file with its lines, to find places in it.
type source struct {
	file  string
	text  string
	lines []string // without line ends
}

func newSource(file, text string) source {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return source{file: file, text: text, lines: lines}
}

// line returns line number n, counted from 1; empty outside the file.
func (s source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// clamp moves a place into the file.
func (s source) clamp(p Pos) Pos {
	p.Line = min(max(p.Line, 1), len(s.lines))
	p.Column = min(max(p.Column, 1), utf8.RuneCountInString(s.line(p.Line))+1)
	return p
}

// from returns the raw text of a line from a column on.
func (s source) from(p Pos) string {
	line := []rune(s.line(p.Line))
	return string(line[min(max(p.Column-1, 0), len(line)):])
}

// span returns the place and width of a node. A mapping or list has the width of its
// first character.
func (s source) span(n *yaml.Node) (Pos, int) {
	at := s.clamp(Pos{n.Line, n.Column})
	raw := s.from(at)
	if n.Kind == yaml.ScalarNode && strings.ContainsAny(raw[:min(1, len(raw))], "!&") && n.Value != "" {
		if i := strings.Index(raw, n.Value); i >= 0 { // a tag or an anchor stands before the value
			return at, utf8.RuneCountInString(raw[:i+len(n.Value)])
		}
	}
	switch {
	case n.Kind != yaml.ScalarNode, n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return at, 1
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return at, quotedWidth(raw, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return at, quotedWidth(raw, '\'')
	case strings.HasPrefix(raw, n.Value):
		return at, max(1, utf8.RuneCountInString(n.Value))
	}
	return at, max(1, utf8.RuneCountInString(strings.TrimRight(raw, " \t")))
}

// quotedWidth returns the characters of a quoted scalar at the start of raw with its quotes.
func quotedWidth(raw string, quote rune) int {
	count, escaped := 0, false
	for i, c := range raw {
		count++
		switch {
		case i == 0 && c != quote:
			return max(1, utf8.RuneCountInString(strings.TrimRight(raw, " \t")))
		case escaped:
			escaped = false
		case c == '\\' && quote == '"':
			escaped = true
		case i > 0 && c == quote:
			return count
		}
	}
	return max(1, count)
}

// within returns the place and width of the bytes [start, end) of a scalar's value. The
// value may differ from the raw text by quotes, escapes and folding, so the same
// occurrence of the same characters is looked for; without it, the whole scalar is meant.
func (s source) within(n *yaml.Node, start, end int) (Pos, int) {
	part := n.Value[start:end]
	if part == "" || strings.Contains(part, "\n") {
		return s.span(n)
	}
	skip := strings.Count(n.Value[:start], part)
	at := s.clamp(Pos{n.Line, n.Column})
	raw := s.from(at)
	for {
		i := strings.Index(raw, part)
		switch {
		case i >= 0 && skip == 0:
			at.Column += utf8.RuneCountInString(raw[:i])
			return at, utf8.RuneCountInString(part)
		case i >= 0:
			skip--
			at.Column += utf8.RuneCountInString(raw[:i+len(part)])
			raw = raw[i+len(part):]
		case at.Line >= min(len(s.lines), n.Line+strings.Count(n.Value, "\n")+1):
			return s.span(n)
		default:
			at = Pos{at.Line + 1, 1}
			raw = s.from(at)
		}
	}
}
