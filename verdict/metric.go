package verdict

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/perfctl/perfctl/stats"
)

// A Kind says how a metric is computed from a trial.
type Kind int

// Quantiles are of an operation's response times or of a completion; Completed is the
// share of sampled arrivals seen done, declared business errors apart; Errors the share
// of all arrivals that failed, timed out or were not sent; Misses that of all polls that
// found nothing; CPU is CPU time of the system under test per completed operation; Memory
// the sum of its processes' highest working sets.
const (
	OperationQuantile Kind = iota
	CompletionQuantile
	Completed
	Misses
	Errors
	CPU
	Memory
)

// A Metric is one measure of a trial that can be compared.
type Metric struct {
	Kind    Kind
	Subject string // operation or completion, empty for whole-run metrics
	Stat    string
	Q       float64
	Unit    string
	stats.Metric
}

// Name is how the metric is written in scenarios, plans and reports.
func (m Metric) Name() string { return strings.TrimSpace(m.Subject + " " + m.Stat) }

// Subjects says which names are operations and which are completions.
type Subjects struct {
	Operations  []string
	Completions []string
}

// ParseMetric reads "create_order p95", "order_to_confirmed completed" or "misses",
// "errors", "cpu" or "memory".
func ParseMetric(text string, s Subjects) (Metric, error) {
	f := strings.Fields(text)
	switch {
	case len(f) == 1:
		return wholeRun(f[0])
	case len(f) != 2:
		return Metric{}, fmt.Errorf("metric %q: write NAME STAT, such as \"create_order p95\", or errors, cpu or memory", text)
	}
	completion := slices.Contains(s.Completions, f[0])
	if !completion && !slices.Contains(s.Operations, f[0]) {
		return Metric{}, fmt.Errorf("metric %q: no operation or completion named %q; known: %s",
			text, f[0], strings.Join(append(append([]string{}, s.Operations...), s.Completions...), ", "))
	}
	if f[1] == "completed" && completion {
		return Metric{Kind: Completed, Subject: f[0], Stat: "completed", Unit: "%",
			Metric: stats.Metric{Scale: stats.Difference, Direction: stats.HigherIsBetter,
				NameAt: stats.Margin{Abs: .005}, RuleOut: stats.Margin{Abs: .01}}}, nil
	}
	if f[1] == "misses" && completion {
		return Metric{Kind: Misses, Subject: f[0], Stat: "misses", Unit: "%", Metric: stats.Metric{Scale: stats.Difference,
			NameAt: stats.Margin{Abs: .005}, RuleOut: stats.Margin{Abs: .01}}}, nil
	}
	q, err := ParseQuantile(f[1])
	if err != nil {
		return Metric{}, fmt.Errorf("metric %q: %w", text, err)
	}
	m := Metric{Kind: OperationQuantile, Subject: f[0], Stat: f[1], Q: q, Unit: "ms", Metric: quantileMargins(q)}
	if completion {
		m.Kind = CompletionQuantile
	}
	return m.WithMargins(m.NameAt, m.RuleOut), nil
}

// Margins of a completion are at least these, in ms: it is seen by polling.
const (
	completionNameAt  = 10
	completionRuleOut = 20
)

// WithMargins is the metric with other margins.
func (m Metric) WithMargins(nameAt, ruleOut stats.Margin) Metric {
	m.NameAt, m.RuleOut = nameAt, ruleOut
	if m.Kind == CompletionQuantile {
		m.NameAt.Abs, m.RuleOut.Abs = max(m.NameAt.Abs, completionNameAt), max(m.RuleOut.Abs, completionRuleOut)
	}
	return m
}

func wholeRun(name string) (Metric, error) {
	switch name {
	case "errors", "system_errors":
		return Metric{Kind: Errors, Stat: "errors", Unit: "%", Metric: stats.Metric{Scale: stats.Difference,
			NameAt: stats.Margin{Abs: .001}, RuleOut: stats.Margin{Abs: .002}}}, nil
	case "cpu":
		return Metric{Kind: CPU, Stat: "cpu", Unit: "ms/op", Metric: stats.Metric{
			NameAt: stats.Margin{Rel: .05, Abs: .1}, RuleOut: stats.Margin{Rel: .10, Abs: .2}}}, nil
	case "memory":
		return Metric{Kind: Memory, Stat: "memory", Unit: "MiB", Metric: stats.Metric{
			NameAt: stats.Margin{Rel: .05, Abs: 16}, RuleOut: stats.Margin{Rel: .10, Abs: 32}}}, nil
	}
	return Metric{}, fmt.Errorf("metric %q: write NAME STAT (\"create_order p95\"), errors, cpu or memory", name)
}

// quantileMargins are the pre-declared margins: up to the median as p50, up to p95
// as p95, beyond as p99. Absolute parts are in ms.
func quantileMargins(q float64) stats.Metric {
	switch {
	case q <= .5:
		return stats.Metric{NameAt: stats.Margin{Rel: .03, Abs: .5}, RuleOut: stats.Margin{Rel: .05, Abs: 1}}
	case q <= .95:
		return stats.Metric{NameAt: stats.Margin{Rel: .05, Abs: 1}, RuleOut: stats.Margin{Rel: .10, Abs: 2}}
	}
	return stats.Metric{NameAt: stats.Margin{Rel: .10, Abs: 2}, RuleOut: stats.Margin{Rel: .20, Abs: 4}}
}

// ParseQuantile reads "p95" or "p99.9" as .95 or .999.
func ParseQuantile(s string) (float64, error) {
	if !quantileForm.MatchString(s) {
		return 0, fmt.Errorf("statistic %q: write p50, p95 or p99.9", s)
	}
	v, err := strconv.ParseFloat(s[1:], 64)
	if q := math.Round(v*1e6) / 1e8; err == nil && q > 0 && q < 1 {
		return q, nil
	}
	return 0, fmt.Errorf("statistic %q: a percentile lies between 0 and 100", s)
}

var quantileForm = regexp.MustCompile(`^p[0-9]{1,3}(\.[0-9]{1,6})?$`)
