package abtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// settlingWindow is the longest window, in seconds, whose medians show a run settling.
const settlingWindow = 10

// windowOf is the length of the windows for a warm-up, in seconds: the longest that
// divides it, so that no window holds both warm-up and measurement.
func windowOf(warm int) int {
	for w := settlingWindow; w > 1; w-- {
		if warm%w == 0 && warm >= 2*w {
			return w
		}
	}
	return 1
}

// warmupWarnings test whether the warm-up was long enough, over all runs together. At the
// first look of a full session they stop it; later, or in a quick one, they limit it.
func (s *Session) warmupWarnings(st Standing) []result.Warning {
	a, b := st.arms()
	trials := append(append([]*facts.Trial{}, a...), b...)
	if len(trials) < 2*stats.MinPairs {
		return nil
	}
	warm, total := int(s.plan.WarmupNS/1e9), int((s.plan.WarmupNS+s.plan.MeasureNS)/1e9)
	window := windowOf(warm)
	op := s.mainOperation()
	medians := mediansOf(op, trials, total/window, window)
	level := verdict.Limit
	if k, _ := s.look(); k == 0 && !s.plan.Quick {
		level = verdict.Stop
	}
	var ws []result.Warning
	warn := func(seen, effect string) {
		ws = append(ws, result.Warning{Code: verdict.WarmUp, Level: level, Metric: op, Seen: seen, Effect: effect, Action: "use a longer --warmup"})
	}
	measured := make([][]float64, len(medians))
	for i, m := range medians {
		measured[i] = m[warm/window:]
	}
	curve, err := stats.PooledSettling(medians)
	if err != nil {
		return nil // a run without values has its own warnings
	}
	settled := curve.Window * window
	switch matters := reaches(curve.Curve[warm/window:], s.medianNameAt(measured)); {
	case !matters:
	case !curve.Settled:
		warn(op+" had not settled by the middle of the run", "the measured windows hold warm-up")
	case settled > warm:
		warn(fmt.Sprintf("%s settles %d s after the start, the warm-up is %d s", op, settled, warm), "the measured windows hold warm-up")
	}
	if trend, err := stats.LeftOverTrend(measured); err == nil && trend.Flagged(s.medianNameAt(measured)) {
		warn(fmt.Sprintf("the first third of the windows differs from the last by %+.1f %%", 100*math.Expm1(trend.Mean)), "the measured windows are not steady")
	}
	return ws
}

// reaches reports whether the curve departs anywhere by as much as a difference that has a
// name: what is left of the warm-up matters by the same margin as anything else.
func reaches(curve []float64, nameAt float64) bool {
	return slices.ContainsFunc(curve, func(x float64) bool { return math.Abs(x) >= nameAt })
}

func mediansOf(op string, trials []*facts.Trial, windows, window int) [][]float64 {
	var out [][]float64
	for _, t := range trials {
		if o := t.Operations[op]; o != nil {
			out = append(out, o.Medians(windows, window))
		}
	}
	return out
}

// medianNameAt is the smallest difference of the main operation's median that has a name,
// on the log scale: what drifts by less does not matter.
func (s *Session) medianNameAt(medians [][]float64) float64 {
	m, err := metric(s.scenario, s.mainOperation()+" p50", Subjects(s.scenario))
	if err != nil {
		return 0
	}
	var logs []float64
	for _, run := range medians {
		for _, ns := range run {
			if !math.IsNaN(ns) {
				logs = append(logs, math.Log(ns/1e6))
			}
		}
	}
	mean, _ := verdict.MeanSD(logs)
	return math.Log1p(max(m.NameAt.Rel, m.NameAt.Abs/math.Exp(mean)))
}
