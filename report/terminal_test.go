package report_test

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
)

func render(t *testing.T, r *result.Result, o report.TerminalOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Terminal(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// No line is longer than the terminal, but for the two that are there to be copied.
func TestTerminalLinesFit(t *testing.T) {
	for _, f := range fixtures {
		for _, width := range []int{0, 40, 60, 80, 100, 140} {
			limit := width
			if width == 0 {
				limit = 80
			}
			for _, line := range strings.Split(render(t, f.build(), report.TerminalOptions{Width: width}), "\n") {
				if strings.HasPrefix(line, " report ") || strings.HasPrefix(line, " repeat ") {
					continue
				}
				if n := len([]rune(line)); n > limit {
					t.Errorf("%s at %d: %d cells: %q", f.name, width, n, line)
				}
			}
		}
	}
}

// Whatever the width, every metric keeps its reading and every threshold its result.
func TestTerminalNeverDropsTheReading(t *testing.T) {
	for _, width := range []int{60, 80, 100, 140} {
		r := better()
		text := render(t, r, report.TerminalOptions{Width: width})
		for word, want := range map[string]int{"✓ better": 2, "~ same": 2, "? unclear": 1, "✗ worse": 1, "✓ pass": 2} {
			if got := strings.Count(text, word); got != want {
				t.Errorf("width %d: %q appears %d times, want %d:\n%s", width, word, got, want, text)
			}
		}
	}
}

func TestTerminalColourChangesNothingElse(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, f := range fixtures {
		plain := render(t, f.build(), report.TerminalOptions{Width: 80})
		coloured := render(t, f.build(), report.TerminalOptions{Width: 80, Colour: true})
		if plain == coloured {
			t.Errorf("%s: no colour", f.name)
		}
		if diff := cmp.Diff(plain, escape.ReplaceAllString(coloured, "")); diff != "" {
			t.Errorf("%s (-plain +coloured):\n%s", f.name, diff)
		}
	}
}

func TestTerminalASCIIAndControlCharacters(t *testing.T) {
	for _, f := range fixtures {
		for _, c := range render(t, f.build(), report.TerminalOptions{Width: 80, ASCII: true}) {
			if c > unicode.MaxASCII {
				t.Errorf("%s: %q is not ASCII", f.name, c)
			}
		}
		for _, c := range render(t, f.build(), report.TerminalOptions{Width: 80}) {
			if c != '\n' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
				t.Errorf("%s: control character %q reaches the terminal", f.name, c)
			}
		}
	}
}

// A wide script takes two cells a character, and a table stays aligned and inside the line.
func TestTerminalCountsCellsNotBytes(t *testing.T) {
	r := better()
	for i := range r.Metrics {
		r.Metrics[i].Operation = "注文を作成する"
	}
	text := render(t, r, report.TerminalOptions{Width: 100})
	var columns []int
	for _, line := range strings.Split(text, "\n") {
		at := strings.Index(line, "[")
		if at < 0 || !strings.ContainsAny(line, "✓✗~?") {
			continue
		}
		n := 0
		for _, c := range line[:strings.IndexAny(line, "✓✗~?")] {
			n++
			if unicode.In(c, unicode.Han, unicode.Hiragana) {
				n++
			}
		}
		columns = append(columns, n)
	}
	if len(columns) != 6 {
		t.Fatalf("%d rows with a reading, want 6:\n%s", len(columns), text)
	}
	for _, n := range columns {
		if n != columns[0] {
			t.Errorf("readings begin at different cells %v:\n%s", columns, text)
		}
	}
}

func TestTerminalSaysWhyANumberIsMissing(t *testing.T) {
	text := render(t, unclear(), report.TerminalOptions{Width: 100})
	for _, want := range []string{"· not judged", "create_customer p99.9: - (n=8100): 8 samples beyond it a run, 20 needed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	text = render(t, censored(), report.TerminalOptions{Width: 100})
	if got := strings.Count(text, "> 10 s"); got < 6 || strings.Contains(text, "> 10 s ms") {
		t.Errorf("the timeout is printed %d times, or as a number:\n%s", got, text)
	}
}

func TestSmallNumbersNeverRoundToACleanSheet(t *testing.T) {
	r := failingRun()
	o := &r.Arms[0].Operations[0]
	o.OK = o.Scheduled - 1
	text := render(t, r, report.TerminalOptions{Width: 100})
	if !strings.Contains(text, "99.99") {
		t.Errorf("one failure of 32,400 was rounded to 100 %%:\n%s", text)
	}
}

func TestTerminalWithoutNumbersDoesNotInventThem(t *testing.T) {
	r := unclear()
	r.Metrics[0].ChangePct, r.Metrics[0].CI95 = nil, []float64{math.NaN(), 1}
	r.Metrics[0].Change = nil
	r.Metrics[0].CI95Unit = nil
	text := render(t, r, report.TerminalOptions{Width: 100})
	if strings.Contains(text, "NaN") {
		t.Error(text)
	}
}

// A table of nothing but dashes says less than one line; a bound is not nothing.
func TestATableWithoutANumberIsOneLine(t *testing.T) {
	const line = "No metric has a number on either side."
	r := unclear()
	r.Metrics = []result.Metric{{Name: "create_order p95", A: result.Value{Text: "-"}, B: result.Value{}}}
	if text := render(t, r, report.TerminalOptions{}); !strings.Contains(text, line) || strings.Contains(text, "reading") {
		t.Error(text)
	}
	if text := page(t, r); !strings.Contains(text, line) || strings.Contains(text, ">reading<") {
		t.Error("the page still has the table")
	}
	r.Metrics = []result.Metric{{Name: "x", B: result.Value{Text: "> 10 s"}}}
	if text := render(t, r, report.TerminalOptions{}); strings.Contains(text, line) {
		t.Error("a bound is hidden")
	}
}

func TestThresholdsStandByTextNotByArm(t *testing.T) {
	r := better()
	r.Thresholds = []result.Threshold{{Text: "x p95 < 1s", Label: "A", Value: "771 ms"}, {Text: "y p95 < 1s", Label: "A", Value: "772 ms"},
		{Text: "x p95 < 1s", Label: "B", Value: "773 ms"}, {Text: "y p95 < 1s", Label: "B", Value: "774 ms"}}
	text := render(t, r, report.TerminalOptions{Width: 100})
	at := []int{strings.Index(text, "771 ms"), strings.Index(text, "773 ms"), strings.Index(text, "772 ms"), strings.Index(text, "774 ms")}
	for i := 1; i < len(at); i++ {
		if at[i] < at[i-1] {
			t.Errorf("order %v:\n%s", at, text)
		}
	}
}

func TestDetailThatRepeatsAThresholdIsSaidOnce(t *testing.T) {
	text := render(t, failingRun(), report.TerminalOptions{Width: 100})
	if strings.Contains(text, "create_order p95 < 25ms: fail") || !strings.Contains(text, "A run says nothing about differences") {
		t.Error(text)
	}
}

func TestOneReasonIsSaidOnce(t *testing.T) {
	r := unclear()
	for i := range r.Metrics {
		r.Metrics[i].Why = "no complete pair of trials"
	}
	text := render(t, r, report.TerminalOptions{Width: 100})
	if strings.Count(text, "no complete pair") != 1 || !strings.Contains(text, "· all metrics: no complete pair of trials") {
		t.Error(text)
	}
	r.Metrics[0].Why, r.Metrics[1].Why = "", "another reason."
	text = render(t, r, report.TerminalOptions{Width: 200})
	for _, want := range []string{"· create_order p95: another reason\n", "· create_order p99, reserve_stock p95, create_customer p95, "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestWarningsStandGravestFirstAndOnce(t *testing.T) {
	r := unclear()
	few := result.Warning{Code: "FEWSAMPLES", Level: "limit", Seen: "9 samples beyond p99", Effect: "not judged"}
	one, two := few, few
	one.Metric, two.Metric = "a p99", "b p99"
	r.Warnings = []result.Warning{{Code: "DIRTY", Level: "note", Seen: "x"}, one, {Code: "TREATMENT", Level: "stop", Seen: "y"}, two}
	text := render(t, r, report.TerminalOptions{Width: 100})
	want := " notes     TREATMENT: y\n           FEWSAMPLES a p99; b p99: 9 samples beyond p99\n           DIRTY: x\n"
	if !strings.Contains(text, want) {
		t.Errorf("want\n%s in\n%s", want, text)
	}
}
