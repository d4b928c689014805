package abtest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// primaries are what the scenario decides on, or by default p95 of each operation and
// completion that will have enough samples beyond it, and the error rate.
func primaries(sc *scenario.Scenario, rate arrival.Rate, window time.Duration) ([]verdict.Metric, error) {
	subjects := Subjects(sc)
	var out []verdict.Metric
	for _, m := range sc.ABTest.Primary {
		parsed, err := metric(sc, (verdict.Metric{Subject: m.Subject, Stat: m.Stat}).Name(), subjects)
		if err != nil {
			return nil, err
		}
		out = append(out, parsed)
	}
	if len(out) == 0 {
		for _, name := range enough(sc, rate, window) {
			m, err := metric(sc, name+" p95", subjects)
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
		m, err := metric(sc, "errors", subjects)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if len(out) > stats.MaxPrimaries {
		return nil, fmt.Errorf("%d metrics would decide; at most %d can: name them in abtest.decide_on", len(out), stats.MaxPrimaries)
	}
	return out, nil
}

// enough names the operations and completions of which a window is expected to hold
// enough samples beyond p95, with two standard deviations to spare.
func enough(sc *scenario.Scenario, rate arrival.Rate, window time.Duration) []string {
	var names []string
	expected := rate.PerSecond() * window.Seconds()
	shares := Shares(sc)
	spare := func(n float64) bool { return n > 0 && .05*(n-2*math.Sqrt(n)) >= stats.MinJudged }
	for i, op := range sc.Operations {
		if spare(expected * shares[i]) {
			names = append(names, op.Name)
		}
		if op.Completion != nil && spare(expected*shares[i]*op.Completion.Sample) {
			names = append(names, op.Completion.Name)
		}
	}
	return names
}

// Shares are the operations' shares of the arrivals.
func Shares(sc *scenario.Scenario) []float64 {
	var sum float64
	for _, op := range sc.Operations {
		sum += float64(op.Weight)
	}
	out := make([]float64, len(sc.Operations))
	for i, op := range sc.Operations {
		out[i] = float64(op.Weight) / sum
	}
	return out
}

// metric parses a metric and applies the scenario's own margins.
func metric(sc *scenario.Scenario, name string, s verdict.Subjects) (verdict.Metric, error) {
	m, err := verdict.ParseMetric(name, s)
	if err != nil {
		return m, err
	}
	nameAt, ruleOut := m.NameAt, m.RuleOut
	if g, ok := sc.ABTest.NameAt[statIn(m)]; ok {
		nameAt = margin(m, g)
	}
	if g, ok := sc.ABTest.RuleOut[statIn(m)]; ok {
		ruleOut = margin(m, g)
	}
	return m.WithMargins(nameAt, ruleOut), nil
}

// statIn is the statistic's name in a scenario.
func statIn(m verdict.Metric) string {
	if m.Kind == verdict.Errors {
		return "system_errors"
	}
	return m.Stat
}

// uselessMargins are an error for each margin that no metric of the session has.
func uselessMargins(sc *scenario.Scenario, metrics []verdict.Metric) error {
	var errs []error
	for _, x := range []struct {
		key     string
		margins map[string]scenario.Margin
	}{{"name_at", sc.ABTest.NameAt}, {"rule_out", sc.ABTest.RuleOut}} {
		for _, stat := range slices.Sorted(maps.Keys(x.margins)) {
			if !slices.ContainsFunc(metrics, func(m verdict.Metric) bool { return statIn(m) == stat }) {
				errs = append(errs, fmt.Errorf("abtest.%s of %s has no effect: no metric of the session has that statistic", x.key, stat))
			}
		}
	}
	return errors.Join(errs...)
}

func margin(m verdict.Metric, g scenario.Margin) stats.Margin {
	if m.Scale == stats.Difference {
		return stats.Margin{Abs: max(g.Percent, g.Absolute) / 100}
	}
	return stats.Margin{Rel: g.Percent / 100, Abs: g.Absolute}
}

// planned are the primary and secondary metrics of a planned session.
func planned(sc *scenario.Scenario, p rundir.Plan) (primary, secondary []verdict.Metric, err error) {
	s := Subjects(sc)
	declared := map[string]bool{}
	for _, name := range p.Primary {
		m, err := metric(sc, name, s)
		if err != nil {
			return nil, nil, fmt.Errorf("primary %w", err)
		}
		primary = append(primary, m)
		declared[m.Name()] = true
	}
	var names []string
	for _, op := range s.Operations {
		names = append(names, op+" p50", op+" p95", op+" p99")
	}
	for _, c := range s.Completions {
		names = append(names, c+" p50", c+" p95", c+" completed", c+" misses")
	}
	for _, name := range append(names, "errors", "cpu", "memory") {
		if declared[name] {
			continue
		}
		m, err := metric(sc, name, s)
		if err != nil {
			return nil, nil, err
		}
		secondary = append(secondary, m)
	}
	return primary, secondary, nil
}
