package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/perfctl/perfctl/result"
)

// markdownLimit keeps a report below what the comment fields of code hosts take (65,536).
const markdownLimit = 60_000

// Markdown writes the report as a comment for a code host. Its first line names the scenario,
// so that a bot finds and replaces its own comment. Parts that do not fit are left out from
// the end, and the report says so.
func Markdown(w io.Writer, r *result.Result) error {
	m := &markdown{oneArm: len(r.Arms) < 2}
	m.verdict(r)
	m.validity(r)
	m.table("Was B really different?", treatmentTable(r))
	if r.Kind == result.KindRun {
		m.table("Thresholds", thresholdsTable(r))
		m.table("Operations", operationsTable(r))
	} else {
		m.changes(r)
	}
	m.warnings(r)
	if r.Kind != result.KindRun {
		m.table("Thresholds", thresholdsTable(r))
		m.folded("Operations", operationsTable(r))
	}
	m.folded("Completions", completionsTable(r))
	m.folded("Slowest requests", slowestTable(r))
	m.folded("Errors", errorsTable(r))
	m.folded("Resources", resourcesTable(r))
	m.folded("Generator", generatorTable(r))
	m.folded("Trials", trialsTable(r))
	m.folded("Looks", looksTable(r))
	m.folded("Environment facts that differ", differencesTable(r))
	m.folded("Environment", environmentTable(r))
	m.method(r)
	_, err := io.WriteString(w, m.fit(repeatLine(r)))
	return err
}

// markdown collects the parts of a report, each whole in itself.
type markdown struct {
	parts  []string
	oneArm bool // no column has to name the arm
}

func (m *markdown) add(format string, args ...any) {
	m.parts = append(m.parts, fmt.Sprintf(format, args...))
}

// fit joins the parts that fit before the tail.
func (m *markdown) fit(tail string) string {
	const note = "\n_The rest does not fit into a comment; the HTML report has all of it._\n"
	room := markdownLimit - utf8.RuneCountInString(note) - utf8.RuneCountInString(tail)
	var b strings.Builder
	left := false
	for _, p := range m.parts {
		n := utf8.RuneCountInString(p)
		if n > room {
			left = true
			continue
		}
		room -= n
		b.WriteString(p)
	}
	if left {
		b.WriteString(note)
	}
	b.WriteString(tail)
	return b.String()
}

func (m *markdown) verdict(r *result.Result) {
	v := markOf(r.Verdict.Status)
	m.add("<!-- perfctl:%s -->\n**%s %s** **%s**\n\n", comment(r.Run.Scenario), v.Glyph, strings.ToUpper(v.Word), escape(r.Verdict.Sentence))
	if r.Run.Scope != "" {
		m.add("%s\n\n", escape(r.Run.Scope))
	}
	if r.Verdict.Tally != "" {
		m.add("%s\n\n", escape(r.Verdict.Tally))
	}
	for _, d := range details(r) {
		m.add("- %s\n", escape(d))
	}
	if len(details(r)) > 0 {
		m.add("\n")
	}
}

func (m *markdown) validity(r *result.Result) {
	if len(r.Validity) == 0 {
		return
	}
	var cells []string
	for _, c := range r.Validity {
		k := markOf(c.Status)
		cells = append(cells, fmt.Sprintf("%s %s %s: %s", k.Glyph, k.Word, escape(c.Name), escape(c.Text)))
	}
	m.add("Validity: %s\n\n", strings.Join(cells, " · "))
}

func (m *markdown) changes(r *result.Result) {
	if measured(r.Metrics) {
		m.table("What changed", changesTable(r))
	} else {
		m.add("### What changed\n\n%s\n\n", noMetric)
	}
	var b strings.Builder
	for _, why := range reasons(r.Metrics) {
		b.WriteString("- " + escape(why) + "\n")
	}
	if b.Len() > 0 {
		m.add("%s\n", b.String())
	}
}

func (m *markdown) warnings(r *result.Result) {
	t := warningsTable(r)
	if t.Empty() {
		return
	}
	var b strings.Builder
	b.WriteString("### Warnings\n\n")
	for _, row := range t.Rows {
		c := row.Cells
		fmt.Fprintf(&b, "- **%s** (%s)", escape(c[0].Text), c[0].Note)
		if c[1].Text != missing {
			fmt.Fprintf(&b, " %s", escape(c[1].Text))
		}
		fmt.Fprintf(&b, ": %s", escape(c[2].Text))
		for _, more := range c[3:] {
			if more.Text != missing {
				fmt.Fprintf(&b, " — %s", escape(more.Text))
			}
		}
		b.WriteString("\n")
	}
	m.add("%s\n", b.String())
}

func (m *markdown) table(title string, t table) {
	if !t.Empty() {
		m.add("### %s\n\n%s\n", title, m.rows(t))
	}
}

func (m *markdown) folded(title string, t table) {
	if !t.Empty() {
		m.add("<details><summary>%s</summary>\n\n%s\n</details>\n\n", title, m.rows(t))
	}
}

func (m *markdown) method(r *result.Result) {
	if len(r.Method) == 0 {
		return
	}
	var b strings.Builder
	for _, l := range r.Method {
		b.WriteString("- " + escape(l) + "\n")
	}
	m.add("<details><summary>Method</summary>\n\n%s\n</details>\n\n", b.String())
}

func repeatLine(r *result.Result) string {
	if r.Run.Repeat == "" {
		return ""
	}
	return "Repeat: " + code(r.Run.Repeat) + "\n"
}

func (m *markdown) rows(t table) string {
	t = t.brief()
	if m.oneArm {
		t = t.without("arm")
	}
	var b strings.Builder
	var names, rule []string
	for _, c := range t.Columns {
		names = append(names, escape(c.Name))
		if c.Number {
			rule = append(rule, "---:")
			continue
		}
		rule = append(rule, "---")
	}
	b.WriteString("| " + strings.Join(names, " | ") + " |\n|" + strings.Join(rule, "|") + "|\n")
	for _, r := range t.Rows {
		var out []string
		for _, c := range r.Cells {
			out = append(out, escape(c.Text))
		}
		b.WriteString("| " + strings.Join(out, " | ") + " |\n")
	}
	return b.String()
}

// escape makes user text plain in Markdown: no markup, no table border, no HTML, no mention,
// no line break.
func escape(s string) string {
	var b strings.Builder
	for _, c := range clean(s) {
		switch c {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '@':
			b.WriteString("&#64;")
		case '\\', '|', '`', '*', '_', '[', ']', '#', '~':
			b.WriteRune('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// code writes s as code; a run of backquotes inside asks for a longer fence.
func code(s string) string {
	s = clean(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if fence == "`" {
		return "`" + s + "`"
	}
	return fence + " " + s + " " + fence
}

// comment makes s harmless inside an HTML comment.
func comment(s string) string {
	return strings.NewReplacer("--", "- -", ">", "").Replace(clean(s))
}
