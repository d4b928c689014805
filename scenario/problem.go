package scenario

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Severity says whether a scenario with the problem can be used.
type Severity uint8

// A scenario with an Error cannot be used; a Warning is shown and it goes on.
const (
	Error Severity = iota
	Warning
)

// String returns the word that is printed.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// A Problem is one mistake in a scenario file and its place.
type Problem struct {
	File     string
	Pos      Pos
	Width    int // characters under the caret, at least 1
	Severity Severity
	Message  string
	Hint     string // what to do; may have several lines, may be empty
	Line     string // the source line, for showing
}

// Problems are all mistakes of one file, in the order of the file.
type Problems []Problem

// Failed reports whether one of the problems is an error.
func (p Problems) Failed() bool {
	return slices.ContainsFunc(p, func(q Problem) bool { return q.Severity == Error })
}

// Error returns the problems as they are printed, without colour.
func (p Problems) Error() string {
	var b strings.Builder
	_ = p.Write(&b, false) // a strings.Builder never fails
	return strings.TrimSuffix(b.String(), "\n")
}

// Write prints the problems the way a compiler does, separated by empty lines.
func (p Problems) Write(w io.Writer, colour bool) error {
	for i, problem := range p {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, problem.render(colour)); err != nil {
			return err
		}
	}
	return nil
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	plain  = "\x1b[0m"
)

// render returns the problem as lines, each ended by a newline.
func (p Problem) render(colour bool) string {
	paint := func(code, text string) string {
		if !colour {
			return text
		}
		return code + text + plain
	}
	tone := red
	if p.Severity == Warning {
		tone = yellow
	}
	var b strings.Builder
	where := fmt.Sprintf("%s:%d:%d:", p.File, p.Pos.Line, p.Pos.Column)
	fmt.Fprintf(&b, "%s %s %s\n", paint(bold, where), paint(tone, p.Severity.String()+":"), visible(p.Message))

	line := []rune(p.Line)
	before := min(p.Pos.Column-1, len(line))
	under := min(before+p.Width, len(line))
	indent := strings.Repeat(" ", width(line[:before])+p.Pos.Column-1-before)
	carets := strings.Repeat("^", max(1, width(line[before:under])))
	fmt.Fprintf(&b, "%5d | %s\n", p.Pos.Line, visible(p.Line))
	fmt.Fprintf(&b, "      | %s%s\n", indent, paint(tone, carets))
	if p.Hint == "" {
		return b.String()
	}
	for i, hint := range strings.Split(p.Hint, "\n") {
		mark := "="
		if i > 0 {
			mark = " "
		}
		fmt.Fprintf(&b, "      %s %s\n", mark, visible(hint))
	}
	return b.String()
}

const tabWidth = 4

// width returns the columns that visible characters take, with tabs written out.
func width(line []rune) int {
	tabs := 0
	for _, c := range line {
		if c == '\t' {
			tabs++
		}
	}
	return len(line) + tabs*(tabWidth-1)
}

// visible writes tabs as spaces and replaces control characters, so that a file
// cannot send escape sequences to the terminal.
func visible(line string) string {
	line = strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabWidth))
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return unicode.ReplacementChar
		}
		return c
	}, line)
}

// sorted returns the problems in the order of the file, without repetitions.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(p)
}
