package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
)

func page(t *testing.T, r *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLMatchesGoldenFiles(t *testing.T) {
	golden(t, "better.html", report.HTML, better())
	golden(t, "run.html", report.HTML, failingRun())
}

func TestHTMLStaysWithinItsBudget(t *testing.T) {
	for _, f := range fixtures {
		if n := len(page(t, f.build())); n > 150_000 {
			t.Errorf("%s: %d bytes, budget 150,000", f.name, n)
		}
	}
}

// An hour of one-second steps is joined, not drawn step by step.
func TestHTMLOfALongRunStaysWithinItsBudget(t *testing.T) {
	r := failingRun()
	line := &r.Timelines[0]
	for len(line.Scheduled) < 3600 {
		line.Scheduled = append(line.Scheduled, 900)
		line.Achieved = append(line.Achieved, 900)
		line.Failed = append(line.Failed, 0)
		line.P95MS = append(line.P95MS, ptr(29))
	}
	line.P95MS[1800] = ptr(777)
	text := page(t, r)
	if len(text) > 150_000 {
		t.Errorf("%d bytes", len(text))
	}
	if !strings.Contains(text, "<td class=\"n\">777</td>") {
		t.Error("the one bad second has disappeared")
	}
}

// The hard ceiling holds for a long session of many operations too.
func TestHTMLOfManyOperationsStaysBelowTheCeiling(t *testing.T) {
	r := better()
	w, pairs := newWorld(9), r.Trials[1:]
	for i := range 12 {
		for _, label := range []string{"A", "B"} {
			s := w.spectrum(strings.Repeat("x", i+1), label, 15, 1)
			s.Points = append(s.Points, w.spectrum("", label, 15, 1).Points...)
			r.Spectra = append(r.Spectra, s)
		}
		r.Trials = append(r.Trials, pairs...)
	}
	if n := len(page(t, r)); n > 500_000 {
		t.Errorf("%d bytes, ceiling 500,000", n)
	}
}

func TestHTMLNeedsNothingFromOutside(t *testing.T) {
	for _, f := range fixtures {
		text := page(t, f.build())
		if m := regexp.MustCompile(`(?i)(https?:)?//[a-z]`).FindString(text); m != "" {
			t.Errorf("%s: external address %q", f.name, m)
		}
		if m := regexp.MustCompile(`(?i)<(link|img|iframe|object|embed|base|form)\b`).FindString(text); m != "" {
			t.Errorf("%s: element %q", f.name, m)
		}
	}
}

func TestPolicyAllowsTheScriptInThePageOnly(t *testing.T) {
	text := page(t, better())
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(text, -1)
	if len(scripts) != 1 {
		t.Fatalf("%d scripts", len(scripts))
	}
	if n := len(scripts[0][1]); n > 14_000 {
		t.Errorf("the script has %d bytes", n)
	}
	sum := sha256.Sum256([]byte(scripts[0][1]))
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	want := "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("policy %q, want %q", policy, want)
	}
}

// What a user typed is text, in every form.
func TestNamesAreEscapedEverywhere(t *testing.T) {
	text := page(t, hostile())
	for _, bad := range []string{"<img", "onerror=alert(1)>", "</script><"} {
		if strings.Contains(text, bad) {
			t.Errorf("HTML contains %q", bad)
		}
	}
	if n := strings.Count(text, html.EscapeString("<img src=x onerror=alert(1)>")); n < 30 {
		t.Errorf("the hostile name appears %d times only: something was left out", n)
	}
	for _, c := range text {
		if c != '\n' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
			t.Errorf("control character %q", c)
		}
	}
	var md bytes.Buffer
	if err := report.Markdown(&md, hostile()); err != nil {
		t.Fatal(err)
	}
	body := regexp.MustCompile("`` .* ``|<!-- [^>]* -->").ReplaceAllString(md.String(), "")
	for _, bad := range []string{"<img", "</script>", "[a](", "@all"} {
		if strings.Contains(body, bad) {
			t.Errorf("Markdown contains %q", bad)
		}
	}
}

func TestMarkdownTablesAreWhole(t *testing.T) {
	for _, f := range fixtures {
		var md bytes.Buffer
		if err := report.Markdown(&md, f.build()); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, line := range strings.Split(md.String(), "\n") {
			if !strings.HasPrefix(line, "|") {
				want = 0
				continue
			}
			n := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(line, -1)) - 1
			if want == 0 {
				want = n
			}
			if n != want || n > 8 {
				t.Errorf("%s: %d columns, header has %d: %s", f.name, n, want, line)
			}
		}
		if !strings.HasPrefix(md.String(), "<!-- perfctl:") {
			t.Errorf("%s: first line %q", f.name, strings.SplitN(md.String(), "\n", 2)[0])
		}
	}
}

func TestMarkdownFitsIntoAComment(t *testing.T) {
	r := better()
	for range 3000 {
		r.Trials = append(r.Trials, r.Trials[1])
		r.Arms[0].Errors = append(r.Arms[0].Errors, r.Arms[1].Errors...)
	}
	var md bytes.Buffer
	if err := report.Markdown(&md, r); err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCount(md.Bytes()); n > 60_000 {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{r.Verdict.Tally, "does not fit into a comment", r.Run.Repeat} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// Numbers that are not numbers never reach a reader, whichever field they come from.
func TestNothingPrintsNaN(t *testing.T) {
	shown := regexp.MustCompile(`\b(NaN|[+-]?Inf|-0)\b`)
	for _, f := range fixtures {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, math.MaxFloat64} {
			r := f.build()
			poison(reflect.ValueOf(r).Elem(), v)
			for _, form := range append([]form{{"html", report.HTML}}, textForms...) {
				var b bytes.Buffer
				if err := form.write(&b, r); err != nil {
					t.Fatalf("%s.%s with %v: %v", f.name, form.suffix, v, err)
				}
				text := regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>|base64|-0[.:]`).ReplaceAllString(b.String(), "")
				if m := shown.FindStringIndex(text); m != nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
					t.Fatalf("%s.%s with %v prints %q", f.name, form.suffix, v, text[max(0, m[0]-80):min(len(text), m[1]+20)])
				}
			}
		}
	}
}

// poison sets every floating point number of a document to v.
func poison(at reflect.Value, v float64) {
	switch at.Kind() {
	case reflect.Float64:
		at.SetFloat(v)
	case reflect.Pointer:
		if !at.IsNil() {
			poison(at.Elem(), v)
		}
	case reflect.Slice:
		for i := range at.Len() {
			poison(at.Index(i), v)
		}
	case reflect.Map:
		for _, k := range at.MapKeys() {
			if at.Type().Elem().Kind() == reflect.Float64 {
				at.SetMapIndex(k, reflect.ValueOf(v))
			}
		}
	case reflect.Struct:
		for i := range at.NumField() {
			if at.Field(i).CanSet() {
				poison(at.Field(i), v)
			}
		}
	}
}

func TestAnEmptyDocumentRenders(t *testing.T) {
	for _, kind := range []string{result.KindABTest, result.KindRun, ""} {
		for _, form := range append([]form{{"html", report.HTML}}, textForms...) {
			if err := form.write(&bytes.Buffer{}, &result.Result{Kind: kind}); err != nil {
				t.Errorf("%s: %v", form.suffix, err)
			}
		}
	}
}

func TestSameDocumentSameBytes(t *testing.T) {
	for _, f := range fixtures {
		first := page(t, f.build())
		for range 5 {
			if page(t, f.build()) != first {
				t.Fatalf("%s: HTML differs from one writing to the next", f.name)
			}
		}
	}
}

// Every chart is followed by its numbers, or says which table has them.
func TestEveryChartHasItsNumbers(t *testing.T) {
	text := page(t, better())
	figures := regexp.MustCompile(`(?s)<figure>.*?</figure>`).FindAllString(text, -1)
	if len(figures) != 11 {
		t.Errorf("%d figures, want 3 curves, 3 shifts, 3 run strips and 2 timelines", len(figures))
	}
	for _, f := range figures {
		if !strings.Contains(f, "show numbers") && !strings.Contains(f, "numbers are in the table") {
			t.Errorf("no numbers: %.300s", f)
		}
		if !regexp.MustCompile(`role="img"><title>[^<]+</title><desc>[^<]+</desc>`).MatchString(f) {
			t.Errorf("no name or description: %.300s", f)
		}
	}
}
