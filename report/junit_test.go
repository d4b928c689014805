package report_test

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
)

// outcomes reads a JUnit file as a build server does: case by case, what happened.
func outcomes(t *testing.T, r *result.Result) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := report.JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	out, counts := map[string]string{}, map[string]int{}
	for _, c := range doc.Suites[0].Cases {
		out[c.Name] = "passed"
		switch {
		case c.Failure != nil:
			out[c.Name] = "failed"
		case c.Error != nil:
			out[c.Name] = "error"
		case c.Skipped != nil:
			out[c.Name] = "skipped"
		}
		counts[out[c.Name]]++
	}
	s := doc.Suites[0]
	if s.Tests != len(s.Cases) || s.Failures != counts["failed"] || s.Errors != counts["error"] || s.Skipped != counts["skipped"] {
		t.Errorf("the suite counts %d/%d/%d/%d, its cases say %v", s.Tests, s.Failures, s.Errors, s.Skipped, counts)
	}
	return out
}

func TestJUnitSaysWhatABuildHasToKnow(t *testing.T) {
	accepted := func() *result.Result { r := unclear(); r.Verdict.Exit = 0; return r }
	worse := func() *result.Result {
		r := better()
		r.Metrics[0].Verdict, r.Verdict.Status, r.Verdict.Exit = result.Worse, result.Worse, 1
		r.Metrics[1].Shown = false
		return r
	}
	for _, c := range []struct {
		name  string
		build func() *result.Result
		want  map[string]string
	}{
		{"unclear is an error, not a pass", unclear, map[string]string{"create_order p95": "error", "reserve_stock p95": "passed", "create_customer p95": "error"}},
		{"unclear is skipped where it is accepted", accepted, map[string]string{"create_order p95": "skipped", "reserve_stock p95": "passed", "create_customer p95": "skipped"}},
		{"worse fails, not judged is an error", worse, map[string]string{"create_order p95": "failed", "reserve_stock p95": "error", "create_customer p95": "passed",
			"error rate": "passed", "create_order p95 < 600ms (A)": "passed", "create_order p95 < 600ms (B)": "passed"}},
		{"a withheld verdict is a case", treatment, map[string]string{"create_order p95": "error", "reserve_stock p95": "error", "verdict": "error"}},
		{"thresholds of a run", failingRun, map[string]string{"create_order p95 < 25ms": "failed", "system_errors < 1%": "passed", "order_to_confirmed p99.99 < 1s": "error"}},
		{"nothing measured is not a pass", interrupted, map[string]string{"verdict": "error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, outcomes(t, c.build())); diff != "" {
				t.Error(diff)
			}
		})
	}
}
