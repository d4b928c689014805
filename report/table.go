package report

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// A table is rows of text under named columns, before it takes the form of a medium.
type table struct {
	Columns []column
	Rows    []row
	Caption string
}

// A column names what its cells hold. Detail columns appear in HTML only, so that a table
// in Markdown stays within eight.
type column struct {
	Name   string
	Number bool
	Detail bool
	Drawn  template.HTML // instead of the name, in HTML
}

// A row is one line of cells; Class colours it and Sub is a line of text under it.
type row struct {
	Cells []cell
	Class string
}

// A cell is a text, with a drawing instead of it in HTML.
type cell struct {
	Text  string
	Class string
	Note  string // a second, smaller line
	Drawn template.HTML
}

// wideFrom is the length from which a text wraps inside its cell.
const wideFrom = 26

// Classes are the CSS classes of the cell in its column.
func (c cell) Classes(in column) string {
	var out []string
	if in.Number {
		out = append(out, "n")
	}
	if utf8.RuneCountInString(c.Text) > wideFrom {
		out = append(out, "w")
	}
	if c.Class != "" {
		out = append(out, c.Class)
	}
	return strings.Join(out, " ")
}

func text(s string) cell { return cell{Text: orMissing(s)} }

func orMissing(s string) string {
	if s == "" {
		return missing
	}
	return s
}

func texts(values ...string) []cell {
	out := make([]cell, len(values))
	for i, v := range values {
		out[i] = text(v)
	}
	return out
}

func status(m mark) cell { return cell{Text: m.String(), Class: m.Class} }

// Empty reports whether there is nothing to show.
func (t table) Empty() bool { return len(t.Rows) == 0 }

// brief returns the table without its detail columns.
func (t table) brief() table {
	return t.only(func(i int) bool { return !t.Columns[i].Detail })
}

// trimmed returns the table without the detail columns in which no row says anything.
func (t table) trimmed() table {
	return t.only(func(i int) bool {
		if !t.Columns[i].Detail {
			return true
		}
		for _, r := range t.Rows {
			if r.Cells[i].Drawn != "" || r.Cells[i].Text != missing {
				return true
			}
		}
		return false
	})
}

// without returns the table without the columns of a name.
func (t table) without(name string) table {
	return t.only(func(i int) bool { return t.Columns[i].Name != name })
}

// everyNth returns every n-th row, and says so; the last row stays.
func (t table) everyNth(n int) table {
	if n <= 1 {
		return t
	}
	out := table{Columns: t.Columns, Caption: fmt.Sprintf("One of %d points; result.json has all of them.", n)}
	for i, r := range t.Rows {
		if i%n == 0 || i == len(t.Rows)-1 {
			out.Rows = append(out.Rows, r)
		}
	}
	return out
}

func (t table) only(keep func(column int) bool) table {
	out := table{Caption: t.Caption}
	for i, c := range t.Columns {
		if keep(i) {
			out.Columns = append(out.Columns, c)
		}
	}
	for _, r := range t.Rows {
		kept := row{Class: r.Class}
		for i := range t.Columns {
			if keep(i) {
				kept.Cells = append(kept.Cells, r.Cells[i])
			}
		}
		out.Rows = append(out.Rows, kept)
	}
	return out
}
