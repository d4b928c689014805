package report

import (
	"strings"
	"unicode"
)

// Text for a terminal: cleaned, measured in cells, wrapped and padded.

// clean makes user text harmless on a terminal: control characters, which could move the
// cursor or change colours, become a middle dot; line breaks and tabs become spaces.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t' || c == '\r':
			return ' '
		case unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == unicode.ReplacementChar:
			return '·'
		}
		return c
	}, s)
}

// toASCII writes the glyphs of this package in ASCII, and ? for what has no such form.
func toASCII(s string) string {
	s = strings.NewReplacer("✓", "+", "✗", "x", "±", "+-", "–", "-", "—", "-", "−", "-", "…", "...", "→", "->",
		"·", ".", "×", "x", "≥", ">=", "≤", "<=", "≈", "~", "µ", "u", "\u00a0", " ", "\u2009", " ").Replace(s)
	return strings.Map(func(c rune) rune {
		if c > unicode.MaxASCII {
			return '?'
		}
		return c
	}, s)
}

// cells is the width of s on a terminal: none for combining marks, two for wide scripts.
func cells(s string) int {
	n := 0
	for _, c := range s {
		n += runeCells(c)
	}
	return n
}

func runeCells(c rune) int {
	switch {
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case c >= 0x1100 && c <= 0x115f, c >= 0x2e80 && c <= 0xa4cf, c >= 0xac00 && c <= 0xd7a3,
		c >= 0xf900 && c <= 0xfaff, c >= 0xfe30 && c <= 0xfe6f, c >= 0xff00 && c <= 0xff60,
		c >= 0xffe0 && c <= 0xffe6, c >= 0x1f300 && c <= 0x1faff, c >= 0x20000 && c <= 0x3fffd:
		return 2
	}
	return 1
}

// pad fills s with spaces to n cells, on the left of numbers.
func pad(s string, n int, left bool) string {
	fill := strings.Repeat(" ", max(0, n-cells(s)))
	if left {
		return fill + s
	}
	return s + fill
}

// shorten cuts s to n cells and keeps its beginning and its end, where names differ.
func shorten(s string, n int, dots string) string {
	if cells(s) <= n {
		return s
	}
	room := n - cells(dots)
	if room < 2 {
		return cut(s, n)
	}
	head := cut(s, room-room/3)
	tail := []rune(s)
	start := len(tail)
	for used := 0; start > 0 && used+runeCells(tail[start-1]) <= room/3; start-- {
		used += runeCells(tail[start-1])
	}
	return head + dots + string(tail[start:])
}

func cut(s string, n int) string {
	used := 0
	for i, c := range s {
		if used += runeCells(c); used > n {
			return s[:i]
		}
	}
	return s
}

// wrap breaks s at spaces into lines of at most n cells. A number stays with its unit; a word
// longer than a line is broken.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range words(s) {
		if line != "" && cells(line)+1+cells(word) <= n {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for cells(word) > n {
			head := cut(word, n)
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// words splits s at spaces, but not between a number and its unit.
func words(s string) []string {
	var out []string
	for _, w := range strings.Fields(s) {
		last := len(out) - 1
		if last >= 0 && endsInDigit(out[last]) && isUnit(w) {
			out[last] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

func isUnit(s string) bool {
	switch strings.TrimRight(s, ".,;:)") {
	case "s", "ms", "min", "h", "%", "MiB", "pp", "/s":
		return true
	}
	return false
}
