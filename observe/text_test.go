package observe

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseText(t *testing.T) {
	got := parseText(`# HELP http_total Requests \\ by \n status.
# TYPE http_total counter
http_total{code="200",path="/a b"} 10
http_total{ code = "500" , } 1.5e3 1395066363000
  # a remark
# TYPE lag_seconds histogram
lag_seconds_sum 0.25
lag_seconds_bucket{le="1.0"} 3.5
lag_seconds_bucket{le="+Inf"} 4
lag_seconds_count 4
lag_seconds_count 5
lag_seconds 6

quoted{v="a\\b\"c\nd"} NaN
negative -Inf` + "\r\n" + `last{} +Inf`)
	want := exposition{
		samples: []sample{
			{"http_total", []label{{"code", "200"}, {"path", "/a b"}}, 10},
			{"http_total", []label{{"code", "500"}}, 1500},
			{"lag_seconds_sum", nil, 0.25},
			{"lag_seconds_bucket", []label{{"le", "1.0"}}, 3.5},
			{"lag_seconds_bucket", []label{{"le", "+Inf"}}, 4},
			{"lag_seconds_count", nil, 4},
			{"lag_seconds_count", nil, 5},
			{"lag_seconds", nil, 6},
			{"quoted", []label{{"v", "a\\b\"c\nd"}}, math.NaN()},
			{"negative", nil, math.Inf(-1)},
			{"last", nil, math.Inf(1)},
		},
		kinds: map[string]string{"http_total": "counter", "lag_seconds": "histogram"},
		help:  map[string]string{"http_total": "Requests \\ by \n status."},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(exposition{}, sample{}, label{}), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

// TestParseTextForgives reads what other readers of Prometheus text take too.
func TestParseTextForgives(t *testing.T) {
	got := parseText("# HELP a C:\\temp \\n \\\\ \"q\"\n#TYPE a Gauge\na{v=\"x\xff\xfey\"} 1\t \na{\"w\"=\"\"} 2\n# HELP\n# HELP b\n# TYPE b\n# EOF\n#")
	want := exposition{
		samples: []sample{{"a", []label{{"v", "x\uFFFDy"}}, 1}, {"a", []label{{"w", ""}}, 2}},
		kinds:   map[string]string{"a": "gauge"},
		help:    map[string]string{"a": "C:\\temp \n \\ \"q\""},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(exposition{}, sample{}, label{})); diff != "" {
		t.Error(diff)
	}
}

// TestManyBadLinesLoseOnlyThemselves: exemplars, say, under the classic content type.
func TestManyBadLinesLoseOnlyThemselves(t *testing.T) {
	e := parseText("first 1\n" + strings.Repeat("a 1 # {trace=\"x\"} 1\n", 1000) + "last 2\n")
	if len(e.samples) != 2 || e.bad != 1000 {
		t.Errorf("%d samples and %d bad lines, want 2 and 1000", len(e.samples), e.bad)
	}
}

// TestWorstIsShort: a whole page may be one bad line.
func TestWorstIsShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, line := range []string{long, "-" + long, "a " + long, "a{b=\"" + long, "# TYPE a " + long} {
		if e := parseText(line); e.bad != 1 || len(e.worst) > 250 {
			t.Errorf("%.20s...: %d bad lines, the worst told in %d bytes", line, e.bad, len(e.worst))
		}
	}
}

// TestBadLineLosesOneLine puts each bad line between two good ones.
func TestBadLineLosesOneLine(t *testing.T) {
	for _, c := range []struct{ line, why string }{
		{`9lives 1`, "does not begin with a metric name"},
		{`{"quoted.name"} 1`, "does not begin with a metric name"},
		{`a`, `a: expected float as value, got ""`},
		{`a{} `, `a: expected float as value, got ""`},
		{`a-b 1`, "does not begin with a metric name"},
		{`a-1 5`, "does not begin with a metric name"},
		{`a.5 3`, "does not begin with a metric name"},
		{`"a" 1`, "does not begin with a metric name"},
		{`a 1 2 3`, "spurious string after timestamp"},
		{`a one`, `expected float as value, got "one"`},
		{`a 0x10`, "expected float as value"},
		{`a 0x1p4`, "expected float as value"},
		{`a 1_0`, "expected float as value"},
		{`a 1 2.5`, `expected integer as timestamp, got "2.5"`},
		{`a 1 # {trace="x"} 1`, `a: expected integer as timestamp, got "#"`},
		{`a{b} 1`, "expected '=' after label name"},
		{`a{b=c} 1`, "at start of label value, found 'c'"},
		{`a{b="c} 1`, "contains unescaped new-line"},
		{`a{b="c\`, "invalid escape sequence"},
		{`a{b="\t"} 1`, `invalid escape sequence '\t'`},
		{`a{b="1" c="2"} 1`, `unexpected end of label value "1"`},
		{`a{b="1",b="2"} 1`, "duplicate label names"},
		{`a{"b c"="1"} 1`, `invalid label name "b c"`},
		{`a{__name__="b"} 1`, `label name "__name__" is reserved`},
		{`a{b:c="1"} 1`, "expected '=' after label name, found ':'"},
		{`a{,} 1`, "invalid label name"},
		{`# TYPE first sometimes`, `unknown metric type "sometimes"`},
		{`# TYPE ok gauge`, "a second type for ok"},
		{`# TYPE 1x gauge`, `"1x" is no metric name`},
		{`# HELP 1x y`, `"1x" is no metric name`},
	} {
		t.Run(c.line, func(t *testing.T) {
			e := parseText("# TYPE ok counter\nfirst 1\n" + c.line + "\nlast 2\n")
			if e.bad != 1 || !strings.HasPrefix(e.worst, "line 3: ") || !strings.Contains(e.worst, c.why) {
				t.Errorf("%d bad lines, %q; want 1, line 3: %q", e.bad, e.worst, c.why)
			}
			if len(e.samples) != 2 || e.samples[0].name != "first" || e.samples[1].name != "last" {
				t.Errorf("samples %v, want those around it", e.samples)
			}
		})
	}
}

func TestFamily(t *testing.T) {
	e := exposition{kinds: map[string]string{"h": "histogram", "s": "summary", "c": "counter", "s_count": "gauge"}}
	for name, want := range map[string]string{
		"h_bucket": "h", "h_sum": "h", "h_count": "h", "h_total": "h_total",
		"s": "s", "s_sum": "s", "s_bucket": "s_bucket", "s_count": "s_count", "c_sum": "c_sum", "none": "none",
	} {
		if got := e.family(name); got != want {
			t.Errorf("%s is of family %s, want %s", name, got, want)
		}
	}
}

// FuzzParseText: what one scrape is understood to say survives being written and read
// again; lines are read or counted, never both.
func FuzzParseText(f *testing.F) {
	f.Add("# TYPE a_total counter\na_total{x=\"y\"} 1\n")
	f.Add("a{b=\"\\\\\\n\\\"\"} NaN 5\n# HELP a x\\y\n\n b 2")
	f.Add("a{\xff=\"\"} 1\na{b=\"\xff\"} 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "zzz_last") {
			t.Skip("the label added below")
		}
		first := parseText(text)
		if lines := strings.Count(text, "\n") + 1; len(first.samples)+first.bad > lines {
			t.Errorf("%d samples and %d bad lines of %d", len(first.samples), first.bad, lines)
		}
		var b []byte
		for _, s := range first.samples {
			// A line always ends in a timestamp of seconds; cut it off.
			line := string((&series{name: s.name, labels: append(s.labels, label{"zzz_last", ""})}).line(nil, point{0, s.value}))
			b = append(b, strings.TrimSuffix(line, " 0.000\n")+"\n"...)
		}
		second := parseText(string(b))
		for i := range second.samples {
			second.samples[i].labels = second.samples[i].labels[:len(second.samples[i].labels)-1]
		}
		same := cmp.Diff(first.samples, second.samples, cmp.AllowUnexported(sample{}, label{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
		if same != "" || second.bad != 0 {
			t.Errorf("%d bad lines (%s); %s", second.bad, second.worst, same)
		}
	})
}
