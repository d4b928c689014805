package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A hole is an unquoted ${...} inside a { } map or [ ] list, where YAML reads its "{" as
// the start of another map. It is the likeliest mistake of a correct thought, so it has
// its own message instead of the parser's.
type hole struct {
	start, end int  // bytes of the text
	scalar     int  // where the unquoted text that it is part of starts
	inList     bool // directly in [ ], not in { }
}

// quoteHoles reports the unquoted holes of a text that is not YAML, and returns the text
// with each replaced by quoted text of the same width, so that the other mistakes
// can be found in the same go. What is said about the replacement itself is dropped.
func (r *reader) quoteHoles(text []byte) ([]byte, []hole) {
	f := flowScanner{text: string(text)}
	f.scan()
	var quoted []byte
	done := 0
	for i, h := range f.holes {
		width := utf8.RuneCount(text[h.start:h.end])
		quoted = append(quoted, text[done:h.start]...)
		quoted = append(quoted, `"`+strings.Repeat("x", width-2)+`"`...)
		done = h.end
		line := 1 + strings.Count(f.text[:h.start], "\n")
		begin := 1 + strings.LastIndexByte(f.text[:h.start], '\n')
		at := Pos{line, 1 + utf8.RuneCountInString(f.text[begin:h.start])}
		r.covered = append(r.covered, span{at, width})
		if i > 0 && f.holes[i-1].scalar == h.scalar {
			continue // of the same text, which is to be quoted once
		}
		message, hint := "quote ${...} inside { }", `in a YAML flow map "{" starts a new map; write `
		if h.inList {
			message, hint = "quote ${...} inside [ ]", `in a YAML flow list "{" starts a map; write `
		}
		r.report(at, width, message, hint+f.corrected(h))
	}
	return append(quoted, text[done:]...), f.holes
}

// corrected returns the text around a hole in quotes, with its key.
func (f *flowScanner) corrected(h hole) string {
	end := h.end
	for end < len(f.text) && !strings.ContainsRune(",]}\n\r", rune(f.text[end])) {
		if strings.HasPrefix(f.text[end:], "${") {
			end += max(1, strings.IndexByte(f.text[end:], '}'))
		}
		end++
	}
	before := f.text[1+strings.LastIndexAny(f.text[:h.scalar], "{[,\n") : h.scalar]
	return fmt.Sprintf(`%s"%s"`, strings.TrimLeft(before, " "), strings.TrimRight(f.text[h.scalar:min(end, len(f.text))], " "))
}

// flowScanner walks over YAML text and knows just enough of it to tell where flow
// maps and lists are: quotes, comments and block scalars.
type flowScanner struct {
	text   string
	at     int
	opened []byte // the { and [ around the current place
	scalar int    // where the last value or key started
	holes  []hole
}

func (f *flowScanner) scan() {
	fresh := true // at a place where a value or key may start
	for f.at < len(f.text) {
		c := f.text[f.at]
		rest := f.text[f.at:]
		if fresh {
			f.scalar = f.at
		}
		switch {
		case c == '#' && f.blankBefore():
			f.skipLine()
			continue
		case fresh && (c == '"' || c == '\''):
			f.skipQuoted(c)
			fresh = false
			continue
		case len(f.opened) > 0 && strings.HasPrefix(rest, "${"):
			if end := strings.IndexAny(rest, "}\n"); end > 0 && rest[end] == '}' {
				f.holes = append(f.holes, hole{f.at, f.at + end + 1, f.scalar, f.opened[len(f.opened)-1] == '['})
				f.at += end + 1
				fresh = false
				continue
			}
		case (c == '{' || c == '[') && (fresh || len(f.opened) > 0):
			f.opened = append(f.opened, c)
			f.at++
			fresh = true
			continue
		case (c == '}' || c == ']') && len(f.opened) > 0:
			f.opened = f.opened[:len(f.opened)-1]
		case fresh && len(f.opened) == 0 && (c == '|' || c == '>'):
			f.skipBlock()
			continue
		}
		fresh = f.freshAfter(c, fresh)
		f.at++
	}
}

// freshAfter says whether a value may start after the character c.
func (f *flowScanner) freshAfter(c byte, fresh bool) bool {
	next := byte('\n')
	if f.at+1 < len(f.text) {
		next = f.text[f.at+1]
	}
	spaced := next == ' ' || next == '\n' || next == '\t' || next == '\r'
	switch c {
	case ' ', '\t', '\r':
		return fresh
	case '\n':
		return true
	case ',':
		return len(f.opened) > 0
	case ':':
		return spaced
	case '-', '?':
		return fresh && spaced
	}
	return false
}

func (f *flowScanner) blankBefore() bool {
	return f.at == 0 || unicode.IsSpace(rune(f.text[f.at-1]))
}

func (f *flowScanner) skipLine() {
	if end := strings.IndexByte(f.text[f.at:], '\n'); end >= 0 {
		f.at += end
		return
	}
	f.at = len(f.text)
}

func (f *flowScanner) skipQuoted(quote byte) {
	for f.at++; f.at < len(f.text); f.at++ {
		switch {
		case f.text[f.at] == '\\' && quote == '"':
			f.at++
		case f.text[f.at] == quote:
			f.at++
			return
		}
	}
	f.at = min(f.at, len(f.text))
}

// skipBlock skips the lines of a block scalar: those indented deeper than its own line.
func (f *flowScanner) skipBlock() {
	start := 1 + strings.LastIndexByte(f.text[:f.at], '\n')
	depth := len(indentOf(f.text[start:f.at]))
	f.skipLine()
	for f.at < len(f.text) {
		line, _, _ := strings.Cut(f.text[f.at+1:], "\n")
		if strings.TrimSpace(line) != "" && len(indentOf(line)) <= depth {
			return
		}
		f.at = min(f.at+1+len(line), len(f.text))
	}
}
