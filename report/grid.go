package report

import "strings"

// A grid is a table in plain text that gives way step by step when the line is too short:
// first columns that can be spared go, then the name moves to a line of its own, and at last
// the widest cells are shortened. No column that matters ever leaves the line.
type grid struct {
	head []gridColumn
	rows [][]gridCell
}

// A gridColumn with a spare number above 0 can be dropped, the highest first; a late one only
// when moving the name to its own line was not enough.
type gridColumn struct {
	name  string
	right bool
	spare int
	late  bool
}

type gridCell struct{ text, class string }

const gridGap = 2

// layout is what of a grid is shown, and how wide.
type layout struct {
	kept   []int
	own    bool // names stand on lines of their own
	widths []int
}

// lines lays the grid out in width cells. The first column names the row; a name equal to the
// one above it is not repeated. paint colours a cell after it was padded.
func (g grid) lines(width int, dots string, paint func(text, class string) string) []string {
	l := g.fit(width)
	header := make([]gridCell, len(g.head))
	for i, c := range g.head {
		header[i].text = c.name
	}
	out := []string{g.line(header, l, dots, nil)}
	last := ""
	for i, row := range g.rows {
		repeated := i > 0 && row[0].text == last
		last = row[0].text
		if repeated {
			row = append([]gridCell{{}}, row[1:]...)
		}
		if l.own && !repeated {
			out = append(out, " "+shorten(row[0].text, width-1, dots))
		}
		out = append(out, g.line(row, l, dots, paint))
	}
	return out
}

// fit chooses the first layout that is narrow enough.
func (g grid) fit(width int) layout {
	var l layout
	for _, try := range []struct {
		keep func(gridColumn) bool
		own  bool
	}{
		{func(gridColumn) bool { return true }, false},
		{func(c gridColumn) bool { return c.spare == 0 || c.late }, false},
		{func(c gridColumn) bool { return c.spare == 0 || c.late }, true},
		{func(c gridColumn) bool { return c.spare == 0 || c.late && c.spare < 2 }, true},
		{func(c gridColumn) bool { return c.spare == 0 }, true},
	} {
		l = g.layout(try.keep, try.own)
		if l.total() <= width {
			return l
		}
	}
	for l.total() > width {
		widest := 0
		for i, w := range l.widths {
			if w > l.widths[widest] {
				widest = i
			}
		}
		l.widths[widest]--
	}
	return l
}

func (g grid) layout(keep func(gridColumn) bool, own bool) layout {
	l := layout{own: own}
	for i, c := range g.head {
		if !keep(c) || i == 0 && own {
			continue
		}
		n := cells(c.name)
		for _, r := range g.rows {
			n = max(n, cells(r[i].text))
		}
		l.kept = append(l.kept, i)
		l.widths = append(l.widths, n)
	}
	return l
}

// indent is the space before a row; rows under a name on its own line stand deeper.
func (l layout) indent() int {
	if l.own {
		return 2
	}
	return 1
}

func (l layout) total() int {
	n := l.indent() - gridGap
	for _, w := range l.widths {
		n += w + gridGap
	}
	return n
}

func (g grid) line(row []gridCell, l layout, dots string, paint func(text, class string) string) string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", l.indent()))
	for k, i := range l.kept {
		if k > 0 {
			b.WriteString(strings.Repeat(" ", gridGap))
		}
		text := pad(shorten(row[i].text, l.widths[k], dots), l.widths[k], g.head[i].right)
		if k == len(l.kept)-1 {
			text = strings.TrimRight(text, " ")
		}
		if paint != nil && row[i].class != "" {
			text = paint(text, row[i].class)
		}
		b.WriteString(text)
	}
	return strings.TrimRight(b.String(), " ")
}
