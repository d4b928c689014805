package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/stats"
)

// A Kind says how a metric is computed from a trial.
type Kind int

// Quantiles are of an operation's response times or of a completion; Completed is the share of
// sampled arrivals not seen done; Errors the share of all arrivals that failed; CPU is
// CPU time of the system under test per completed operation; Memory the highest sum
// of its working sets.
const (
	OperationQuantile Kind = iota
	CompletionQuantile
	Completed
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

// ParseMetric reads "create_order p95", "order_to_confirmed completed", "errors",
// "cpu" or "memory".
func ParseMetric(text string, s Subjects) (Metric, error) {
	f := strings.Fields(text)
	switch {
	case len(f) == 1:
		return wholeRun(f[0])
	case len(f) != 2:
		return Metric{}, fmt.Errorf("metric %q: write NAME STAT, such as \"%s p95\"", text, firstOr(s.Operations, "create_order"))
	}
	completion := contains(s.Completions, f[0])
	if !completion && !contains(s.Operations, f[0]) {
		return Metric{}, fmt.Errorf("metric %q: no operation or completion named %q; known: %s",
			text, f[0], strings.Join(append(append([]string{}, s.Operations...), s.Completions...), ", "))
	}
	if f[1] == "completed" && completion {
		return Metric{Kind: Completed, Subject: f[0], Stat: "completed", Unit: "%",
			Metric: stats.Metric{Scale: stats.Difference, Direction: stats.HigherIsBetter,
				NameAt: stats.Margin{Abs: .005}, RuleOut: stats.Margin{Abs: .01}}}, nil
	}
	q, err := ParseQuantile(f[1])
	if err != nil {
		return Metric{}, fmt.Errorf("metric %q: %w", text, err)
	}
	m := Metric{Kind: OperationQuantile, Subject: f[0], Stat: f[1], Q: q, Unit: "ms", Metric: quantileMargins(q)}
	if completion {
		m.Kind = CompletionQuantile
		m.NameAt.Abs, m.RuleOut.Abs = max(m.NameAt.Abs, 10), max(m.RuleOut.Abs, 20)
	}
	return m, nil
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
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "p"), 64)
	if err != nil || !strings.HasPrefix(s, "p") || v <= 0 || v >= 100 {
		return 0, fmt.Errorf("statistic %q: write p50, p95 or p99.9", s)
	}
	return math.Round(v*1e6) / 1e8, nil
}

// A Measure is a metric's value in one trial. Value is +Inf when the quantile fell
// beyond every measured value and NaN when there is none; Missing then says why.
type Measure struct {
	Value    float64 // in the metric's unit; a share for rates
	Count    stats.Count
	Quantile facts.Quantile
	N        int64
	Text     string
	Missing  string
	Width    float64 // resolution in the unit: how closely the value is known
}

// Measure computes the metric of one trial.
func (m Metric) Measure(t *facts.Trial) Measure {
	switch m.Kind {
	case OperationQuantile:
		o := t.Operations[m.Subject]
		if o == nil {
			return missing("never sent")
		}
		return quantile(o.Ranked().Quantile(m.Q), 0)
	case CompletionQuantile:
		c := t.Completions[m.Subject]
		if c == nil {
			return missing("never sampled")
		}
		return quantile(c.Ranked().Quantile(m.Q), c.WidthAt(m.Q)/1e6)
	case Completed:
		c := t.Completions[m.Subject]
		if c == nil || c.Sampled == 0 {
			return missing("never sampled")
		}
		return rate(c.Succeeded.N(), c.Sampled)
	case Errors:
		return errorRate(t)
	case CPU:
		return cpu(t)
	}
	return memory(t)
}

func missing(why string) Measure { return Measure{Value: math.NaN(), Text: "-", Missing: why} }

func quantile(q facts.Quantile, width float64) Measure {
	m := Measure{Value: q.NS / 1e6, Quantile: q, N: q.N, Text: q.Text(), Width: width}
	switch {
	case q.N == 0:
		return missing("no arrivals")
	case !q.Shown():
		m.Value, m.Missing = math.NaN(), fmt.Sprintf("only %.0f samples beyond it in a run, %d are needed to show it", stats.Beyond(q.Q, q.N), stats.MinShown)
	case !q.Judged():
		m.Missing = fmt.Sprintf("only %.0f samples beyond it in a run, %d are needed to judge it", stats.Beyond(q.Q, q.N), stats.MinJudged)
	}
	return m
}

func rate(events, n int64) Measure {
	share := float64(events) / float64(n)
	return Measure{Value: share, Count: stats.Count{Events: events, Trials: n}, N: n, Text: Percent(share)}
}

func errorRate(t *facts.Trial) Measure {
	var bad, n int64
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			bad, n = bad+o.Bad(), n+o.Scheduled
		}
	}
	if n == 0 {
		return missing("no arrivals")
	}
	return rate(bad, n)
}

func cpu(t *facts.Trial) Measure {
	var used float64
	us := t.Usages()
	for _, u := range us {
		used += u.CPU.Seconds() * 1e3
	}
	var done int64
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			done += o.Outcomes["ok"] + o.Outcomes["functional"]
		}
	}
	if len(us) == 0 || done == 0 {
		return missing("no process was sampled")
	}
	v := used / float64(done)
	return Measure{Value: v, N: done, Text: facts.Significant(v)}
}

func memory(t *facts.Trial) Measure {
	var sum int64
	us := t.Usages()
	for _, u := range us {
		sum += u.MemMax
	}
	if len(us) == 0 || sum == 0 {
		return missing("no process was sampled")
	}
	v := float64(sum) / (1 << 20)
	return Measure{Value: v, N: int64(us[0].Samples), Text: facts.Significant(v)}
}

// Percent prints a share with two decimals.
func Percent(share float64) string { return fmt.Sprintf("%.2f %%", share*100) }

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func firstOr(list []string, s string) string {
	if len(list) > 0 {
		return list[0]
	}
	return s
}
