package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/perfctl/perfctl/result"
)

// TerminalOptions says what the terminal can show.
type TerminalOptions struct {
	Width  int    // cells in a line; 80 when 0, at least 40
	Colour bool   // ANSI colours, beside glyph and word
	ASCII  bool   // no character beyond ASCII
	Dir    string // the run directory as the user can reach it, put before file names
}

// Terminal writes the final summary: the verdict, the one table, and what a reader must know
// before believing it.
func Terminal(w io.Writer, r *result.Result, o TerminalOptions) error {
	if o.Width == 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	s := &screen{TerminalOptions: o}
	s.verdict(r)
	if r.Kind == result.KindRun {
		s.operations(r)
	} else {
		s.changes(r)
	}
	s.completions(r)
	s.thresholds(r)
	s.facts(r)
	s.notes(r)
	s.ways(r)
	_, err := io.WriteString(w, s.out.String())
	return err
}

// screen collects the lines of a summary.
type screen struct {
	TerminalOptions
	out strings.Builder
}

// show prepares a text of the document for this terminal.
func (s *screen) show(text string) string {
	text = clean(text)
	if s.ASCII {
		return toASCII(text)
	}
	return text
}

func (s *screen) dots() string { return s.show("…") }

func (s *screen) line(text string) { s.out.WriteString(strings.TrimRight(text, " ") + "\n") }

// paint adds the colour of a status class.
func (s *screen) paint(text, class string) string {
	code := map[string]string{"pass": "32", "fail": "1;31", "warn": "33", "unclear": "2", "head": "1"}[class]
	if !s.Colour || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// para writes a label and a text, wrapped under its own beginning.
func (s *screen) para(label, class, text string) {
	room := cells(label)
	first := s.paint(label, class)
	for _, l := range wrap(s.show(text), max(20, s.Width-room)) {
		s.line(first + l)
		first = strings.Repeat(" ", room)
	}
}

func (s *screen) verdict(r *result.Result) {
	m := markOf(r.Verdict.Status)
	label := " " + s.show(strings.ToUpper(m.Word)) + "   "
	s.para(label, m.Class, r.Verdict.Sentence)
	indent := strings.Repeat(" ", min(cells(label), 11))
	for _, under := range append([]string{r.Run.Scope, r.Verdict.Tally}, details(r)...) {
		if under != "" {
			s.para(indent, "", under)
		}
	}
	s.line("")
}

func (s *screen) changes(r *result.Result) {
	if measured(r.Metrics) {
		s.grid(s.changesGrid(r))
	} else {
		s.para(" ", "", noMetric)
	}
	for _, why := range reasons(r.Metrics) {
		s.para(" "+s.show("· "), "", why)
	}
	s.line("")
}

func (s *screen) changesGrid(r *result.Result) grid {
	heads := map[string]string{"A": "A", "B": "B"}
	for _, a := range r.Arms {
		heads[a.Label] = shorten(s.show(armTitle(a)), 14, s.dots())
	}
	g := grid{head: []gridColumn{{}, {}, {name: heads["A"], right: true}, {spare: 1}, {name: heads["B"], right: true}, {spare: 1},
		{name: s.show("B vs A"), right: true}, {name: s.show("[95 % CI]"), right: true}, {name: "reading"}}}
	for _, m := range primariesFirst(r.Metrics) {
		read := reading(m)
		name, stat := m.Operation, m.Stat
		if name == "" {
			name, stat = m.Name, ""
		}
		var cs []gridCell
		for _, t := range []string{name, strings.TrimSpace(stat + " " + m.Unit), side(m, m.A), spread(m.A), side(m, m.B), spread(m.B), change(m), interval(m)} {
			cs = append(cs, gridCell{text: s.show(t)})
		}
		g.rows = append(g.rows, append(cs, gridCell{s.show(read.String()), read.Class}))
	}
	return g
}

// side is one side of a metric; where the reason is printed below, only the sign that there
// is no number.
func side(m result.Metric, v result.Value) string {
	if v.Mean == nil && m.Why != "" && strings.HasPrefix(v.Text, missing) {
		return missing
	}
	return printed(v, "")
}

func (s *screen) grid(g grid) {
	for _, l := range g.lines(s.Width, s.dots(), s.paint) {
		s.line(l)
	}
}

func (s *screen) operations(r *result.Result) {
	g := grid{head: []gridColumn{{name: "operation"}, {name: "/s", right: true}, {name: "ok %", right: true}, {name: "p50", right: true},
		{name: "p90", right: true, spare: 1}, {name: "p95", right: true}, {name: "p99", right: true}, {name: "max", right: true},
		{name: "failed", right: true, spare: 1, late: true}, {name: "n", right: true, spare: 2, late: true}}}
	for _, o := range byName(r) {
		op := o.operation
		var cs []gridCell
		for _, t := range []string{op.Name, three(op.PerSecond), okShare(op), quantile(op.Quantiles, "p50"), quantile(op.Quantiles, "p90"),
			quantile(op.Quantiles, "p95"), quantile(op.Quantiles, "p99"), quantile(op.Quantiles, "max"),
			count(op.Functional + op.System + op.Timeout + op.Client + op.Unsent), count(op.Scheduled)} {
			cs = append(cs, gridCell{text: s.show(t)})
		}
		g.rows = append(g.rows, cs)
	}
	if len(g.rows) == 0 {
		s.para(" ", "", "No operation was measured.")
		s.line("")
		return
	}
	s.grid(g)
	s.para(" ", "unclear", "Response times in ms, from the intended start.")
	s.line("")
}

func (s *screen) completions(r *result.Result) {
	any := false
	for _, a := range r.Arms {
		for _, c := range a.Completions {
			any = true
			text := fmt.Sprintf("%s: %s %% of %s accepted done", c.Name, doneShare(c), count(c.Accepted))
			if c.TimedOut > 0 {
				text += fmt.Sprintf(", %s not within %s", count(c.TimedOut), limit(c.TimeoutMS))
			}
			text += fmt.Sprintf("; p50 %s, p95 %s", timed(c.Quantiles, "p50"), timed(c.Quantiles, "p95"))
			if c.Resolution != "" {
				text += "; " + c.Resolution
			}
			s.para(s.label("completed", s.show(strings.TrimSpace(armPrefix(r, a)))), "", text)
		}
	}
	if any {
		s.line("")
	}
}

// label pads the name of a line so that all lines begin at the same column.
func (s *screen) label(name, arm string) string {
	text := " " + pad(name, 10, false)
	if arm != "" {
		text += shorten(arm, 12, s.dots()) + " "
	}
	return text
}

func (s *screen) thresholds(r *result.Result) {
	if len(r.Thresholds) == 0 {
		return
	}
	g := grid{head: []gridColumn{{name: "threshold"}, {name: "arm"}, {name: "value", right: true}, {name: "n", right: true, spare: 1}, {name: "result"}}}
	if len(r.Arms) < 2 {
		g.head[1].name = ""
	}
	for _, t := range byText(r.Thresholds) {
		m := markOf(t.Status)
		arm := t.Label
		if len(r.Arms) < 2 {
			arm = ""
		}
		g.rows = append(g.rows, []gridCell{{text: s.show(t.Text)}, {text: s.show(arm)}, {text: s.show(orMissing(t.Value))}, {text: count(t.N)}, {s.show(m.String()), m.Class}})
	}
	s.grid(g)
	s.line("")
}

func (s *screen) facts(r *result.Result) {
	if len(r.Arms) == 0 {
		return
	}
	s.para(s.label("errors", ""), "", failures(r))
	s.para(s.label("delivered", ""), "", delivered(r))
	if v := verified(r); v != "" {
		s.para(s.label("verified", ""), "", v)
	}
}

func (s *screen) notes(r *result.Result) {
	name := "notes"
	for _, n := range notices(r) {
		text := n.Code
		if len(n.about) > 0 {
			text += " " + strings.Join(n.about, "; ")
		}
		text += ": " + n.Seen
		if n.Action != "" {
			text = strings.TrimSuffix(text, ".") + "; " + n.Action
		}
		s.para(s.label(name, ""), levelClass(n.Level), text)
		name = ""
	}
}

// ways says where the rest is and how to do it again. Both lines may be longer than the
// terminal, so that they can be copied whole.
func (s *screen) ways(r *result.Result) {
	for _, f := range r.Files {
		if strings.HasSuffix(f.Path, ".html") {
			path := f.Path
			if s.Dir != "" {
				path = strings.TrimSuffix(s.Dir, "/") + "/" + path
			}
			s.line(s.label("report", "") + s.show(path))
		}
	}
	if r.Run.Repeat != "" {
		s.line(s.label("repeat", "") + s.show(r.Run.Repeat))
	}
}
