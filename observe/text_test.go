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
lag_seconds_bucket{le="+Inf"} 4
lag_seconds_sum 0.25
lag_seconds_count 4

quoted{v="a\\b\"c\nd"} NaN
negative -Inf` + "\r\n" + `last{} +Inf`)
	want := exposition{
		samples: []sample{
			{"http_total", []label{{"code", "200"}, {"path", "/a b"}}, 10},
			{"http_total", []label{{"code", "500"}}, 1500},
			{"lag_seconds_bucket", []label{{"le", "+Inf"}}, 4},
			{"lag_seconds_sum", nil, 0.25},
			{"lag_seconds_count", nil, 4},
			{"quoted", []label{{"v", "a\\b\"c\nd"}}, math.NaN()},
			{"negative", nil, math.Inf(-1)},
			{"last", nil, math.Inf(1)},
		},
		kinds: map[string]string{"http_total": "counter", "lag_seconds": "histogram"},
		help:  map[string]string{"http_total": `Requests \\ by \n status.`},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(exposition{}, sample{}, label{}), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

// TestBadLineLosesOneLine puts each bad line between two good ones.
func TestBadLineLosesOneLine(t *testing.T) {
	for _, c := range []struct{ line, why string }{
		{`9lives 1`, "does not begin with a metric name"},
		{`{"quoted.name"} 1`, "does not begin with a metric name"},
		{`a`, "no value after the name"},
		{`a{} `, "want a value"},
		{`a-b 1`, "no value after the name"},
		{`a 1 2 3`, "want a value and at most a timestamp"},
		{`a one`, `"one" is no number`},
		{`a 0x10`, "no decimal number"},
		{`a 1_0`, "no decimal number"},
		{`a 1 2.5`, "no number of milliseconds"},
		{`a 1 # {trace="x"} 1`, "want a value"},
		{`a{b} 1`, "no = after label b"},
		{`a{b=c} 1`, "label b: the value is not quoted"},
		{`a{b="c} 1`, "does not end"},
		{`a{b="c\`, "does not end"},
		{`a{b="\t"} 1`, `unknown escape \t`},
		{`a{b="1" c="2"} 1`, "no comma or }"},
		{`a{b="1",b="2"} 1`, "label b twice"},
		{`a{b:c="1"} 1`, "no = after label b"},
		{`a{,} 1`, "does not begin with a label name"},
		{`# TYPE first sometimes`, `"sometimes" is no metric type`},
		{`# TYPE ok gauge`, "a second type for ok"},
		{`# TYPE 1x gauge`, `"1x" is no metric name`},
		{`# HELP`, `"" is no metric name`},
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
