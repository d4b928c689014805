package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/perfctl/perfctl/result"
)

// files are the page's own parts: its markup, style and script.
//
//go:embed page.html.tmpl page.css page.js
var files embed.FS

// HTML writes the report as one file that needs nothing else: no font, no image and no script
// from anywhere. Its content security policy allows only the script inside it, by its hash, and
// without a script every table and chart is complete.
func HTML(w io.Writer, r *result.Result) error {
	t, err := template.New("page.html.tmpl").Funcs(template.FuncMap{"mark": markOf, "slug": slug, "glue": glue}).ParseFS(files, "page.html.tmpl")
	if err != nil {
		return err
	}
	style, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	script, err := files.ReadFile("page.js")
	if err != nil {
		return err
	}
	var out strings.Builder
	if err := t.Execute(&out, newPage(r, string(style), string(script))); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	_, err = io.WriteString(w, visible(out.String()))
	return err
}

// visible takes out what could reorder or hide text on the page: control characters and
// bidirectional overrides, which come from user text only.
func visible(html string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || !unicode.IsControl(c) && !unicode.Is(unicode.Bidi_Control, c) {
			return c
		}
		return '·'
	}, html)
}

// glue keeps a number and its unit on one line.
func glue(s string) string {
	parts := words(s)
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, " ", "\u00a0")
	}
	return strings.Join(parts, " ")
}

// page is what the markup is filled with.
type page struct {
	R        *result.Result
	Title    string
	Status   mark
	Details  []string
	Style    template.CSS
	Script   template.JS
	Policy   string
	Arms     []armKey
	Checks   checks
	Warnings table
	Sections []section
}

// armKey tells how an arm is drawn.
type armKey struct {
	Title, Class, Shape string
	Trials              int
}

// checks is the validity strip: what needs attention stands open, what passed is folded.
type checks struct{ Open, Passed []result.Check }

// A section is one part of the report below the verdict.
type section struct {
	ID, Title string
	Intro     []string
	Table     table
	Figures   []figure
	List      []string
	Folded    string // the list is folded under this line
}

func newPage(r *result.Result, style, script string) page {
	sum := sha256.Sum256([]byte(script))
	p := page{R: r, Status: markOf(r.Verdict.Status), Details: details(r),
		Title: r.Run.Scenario + ": " + markOf(r.Verdict.Status).Word,
		Style: template.CSS(style), Script: template.JS(script),
		Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		Warnings: warningsTable(r).trimmed()}
	for _, a := range r.Arms {
		title := armTitle(a)
		if len(r.Arms) == 1 && a.Variant != "" {
			title = a.Variant
		}
		key := armKey{Title: title, Class: letter(a.Label), Shape: "●", Trials: a.Trials}
		if a.Label == "B" {
			key.Shape = "▲"
		}
		p.Arms = append(p.Arms, key)
	}
	for _, c := range r.Validity {
		if c.Status == result.Pass {
			p.Checks.Passed = append(p.Checks.Passed, c)
			continue
		}
		p.Checks.Open = append(p.Checks.Open, c)
	}
	for _, s := range sections(r) {
		s.Table = s.Table.trimmed()
		if len(r.Arms) < 2 && s.ID != "generator" {
			s.Table = s.Table.without("arm")
		}
		if !s.Table.Empty() || len(s.Figures) > 0 || len(s.List) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

// sections are the parts in the order in which a reader needs them.
func sections(r *result.Result) []section {
	thresholds := section{ID: "thresholds", Title: "Thresholds", Table: thresholdsTable(r)}
	operations := section{ID: "operations", Title: "Operations", Table: operationsTable(r)}
	curves := section{ID: "spectrum", Title: "Response time by percentile", Figures: spectraFigures(r)}
	order := section{ID: "order", Title: "Every trial", Figures: runFigures(r)}
	time := section{ID: "time", Title: "Over the window", Figures: timelineFigures(r)}
	completions := section{ID: "completions", Title: "Completions: accepted is not done", Table: completionsTable(r)}
	var out []section
	if r.Kind == result.KindRun {
		out = []section{thresholds, operations, completions, curves, order, time}
	} else {
		changed := section{ID: "changed", Title: "What changed", Table: changesTable(r), List: sentences(r), Folded: "in words"}
		if slices.ContainsFunc(r.Metrics, func(m result.Metric) bool { return len(m.CI95) == 2 }) {
			changed.Intro = []string{"B against A, with the 95 % interval of the pairs. Inner shade: too small to name. Outer shade: what can be ruled out."}
		}
		if !measured(r.Metrics) {
			changed.Table, changed.List, changed.Folded = table{}, append([]string{noMetric}, reasons(r.Metrics)...), ""
		}
		out = []section{{ID: "different", Title: "Was B really different?", Table: treatmentTable(r)}, changed,
			curves, order, time, operations, completions, thresholds}
	}
	return append(out,
		section{ID: "slowest", Title: "Slowest requests", Table: slowestTable(r)},
		section{ID: "errors", Title: "Errors", Table: errorsTable(r)},
		section{ID: "resources", Title: "Resources", Table: resourcesTable(r)},
		section{ID: "generator", Title: "The generator", Table: generatorTable(r)},
		section{ID: "trials", Title: "Trials", Table: trialsTable(r)},
		section{ID: "looks", Title: "Interim looks", Table: looksTable(r)},
		section{ID: "differs", Title: "Environment facts that differ", Table: differencesTable(r)},
		section{ID: "environment", Title: "Environment", Table: environmentTable(r)},
		section{ID: "method", Title: "Method", List: r.Method},
		section{ID: "files", Title: "Files", Table: filesTable(r)})
}

// slug writes a status as the name of a CSS class.
func slug(status string) string { return markOf(status).Class }
