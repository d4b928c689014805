package report

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/perfctl/perfctl/result"
)

// JUnit writes one test case for each deciding metric and each threshold. Worse and a failed
// threshold are failures. What could not be answered is an error, so that nobody reads it as a
// pass or as a regression; where the user accepts an unclear answer (exit 0), it is skipped.
// A verdict that was withheld, or a document without any case, is a case of its own.
func JUnit(w io.Writer, r *result.Result) error {
	suite := junitSuite{Name: clean(r.Run.Scenario), Time: decimals(r.Run.Seconds, 3)}
	if !r.Run.Started.IsZero() {
		suite.Timestamp = r.Run.Started.UTC().Format("2006-01-02T15:04:05")
	}
	for _, m := range r.Metrics {
		if m.Primary {
			suite.add(metricCase(r, m))
		}
	}
	for _, t := range r.Thresholds {
		suite.add(thresholdCase(r, t))
	}
	if !r.Verdict.Valid || len(suite.Cases) == 0 {
		suite.add(verdictCase(r))
	}
	data, err := xml.MarshalIndent(junitSuites{Name: "perfctl", Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	return err
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func metricCase(r *result.Result, m result.Metric) junitCase {
	out := strings.TrimSpace(m.Sentence + " " + m.Why)
	status := m.Verdict
	if !m.Shown || status == "" {
		status = "not judged"
	}
	return outcome(r, junitCase{Class: clean(r.Run.Scenario), Name: clean(m.Name), Out: clean(out)}, status, out)
}

func thresholdCase(r *result.Result, t result.Threshold) junitCase {
	name := t.Text
	if len(r.Arms) > 1 {
		name += " (" + t.Label + ")"
	}
	out := "value " + orMissing(t.Value) + ", n " + count(t.N)
	return outcome(r, junitCase{Class: clean(r.Run.Scenario), Name: clean(name), Out: clean(out)}, t.Status, out)
}

func verdictCase(r *result.Result) junitCase {
	status := r.Verdict.Status
	if !r.Verdict.Valid && status != result.Worse && status != result.Fail {
		status = orMissing(status)
		return junitCase{Class: clean(r.Run.Scenario), Name: "verdict", Error: &junitMessage{clean(status), clean(r.Verdict.Sentence)}}
	}
	return outcome(r, junitCase{Class: clean(r.Run.Scenario), Name: "verdict", Out: clean(r.Verdict.Sentence)}, status, r.Verdict.Sentence)
}

// outcome puts a status where a reader of JUnit files looks for it.
func outcome(r *result.Result, c junitCase, status, message string) junitCase {
	m := &junitMessage{clean(status), clean(message)}
	switch status {
	case result.Better, result.Same, result.Pass:
	case result.Worse, result.Fail:
		c.Failure = m
	case result.Unclear:
		if r.Verdict.Exit == 0 {
			c.Skipped = m
			break
		}
		c.Error = m
	default:
		c.Error = m
	}
	return c
}
