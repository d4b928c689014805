package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

const exitNoAnswer = 3

// Judge puts two sides next to each other. The verdict is always unclear or not
// comparable; see the package's doc.
func Judge(a, b *Side) (*result.Result, error) {
	r := &result.Result{Schema: result.Schema, Kind: result.KindCompare, Run: verdict.RunOf(b.Manifest, b.Scenario), Files: []result.File{}}
	r.Run.ID = a.Manifest.ID + " against " + b.Manifest.ID
	r.Run.Scope = fmt.Sprintf("A %s, %d runs; B %s, %d runs; made one after the other", a.label(), len(a.Trials), b.label(), len(b.Trials))
	r.Run.Repeat = fmt.Sprintf("perfctl compare %s %s", a.Manifest.ID, b.Manifest.ID)
	r.Warnings, r.Difference = unlike(a, b)
	if err := metrics(r, a, b); err != nil {
		return nil, err
	}
	for i, s := range []*Side{a, b} {
		label := []string{"A", "B"}[i]
		r.Arms = append(r.Arms, verdict.Arm(label, s.label(), s.Variant, s.Trials))
		r.Arms[i].Generator.Cap = s.Manifest.Plan.MaxInFlight
		r.Thresholds = append(r.Thresholds, verdict.Thresholds(label, s.Scenario.Thresholds, s.Trials)...)
		r.Warnings = append(r.Warnings, verdict.ArmWarnings(label, s.Variant, s.Trials)...)
		for _, op := range s.Scenario.Operations {
			r.Spectra = append(r.Spectra, verdict.Spectrum(label, op.Name, s.Trials))
		}
		r.Timelines = append(r.Timelines, verdict.Timeline(label, s.Scenario.Operations[0].Name, s.Trials))
		r.Trials = append(r.Trials, trials(label, s)...)
	}
	r.Warnings = append(r.Warnings, notes(a, b)...)
	r.Warnings = verdict.Sorted(verdict.Merge(r.Warnings))
	r.Settings = verdict.Environment(b.Manifest, nil)
	r.Method = []string{"Two run directories side by side: the same rule for quantiles as everywhere, geometric means over runs, no interval and no verdict.",
		"Runs that were not interleaved carry the drift of machine and system as a difference between A and B; use perfctl abtest for a verdict."}
	r.Validity = []result.Check{{Name: "same test", Status: result.Pass, Text: "load, mix, timeouts, data and path are equal"}}
	r.Verdict = answer(r, a, b)
	return r, nil
}

func metrics(r *result.Result, a, b *Side) error {
	subjects := a.subjects()
	var names []string
	for _, op := range subjects.Operations {
		names = append(names, op+" p50", op+" p95", op+" p99")
	}
	for _, c := range subjects.Completions {
		names = append(names, c+" p50", c+" p95", c+" completed")
	}
	for _, name := range append(names, "errors", "cpu", "memory") {
		m, err := verdict.ParseMetric(name, subjects)
		if err != nil {
			return err
		}
		r.Metrics = append(r.Metrics, row(m, a, b))
	}
	return nil
}

// row is one metric without a verdict.
func row(m verdict.Metric, a, b *Side) result.Metric {
	out := result.Metric{Name: m.Name(), Operation: m.Subject, Stat: m.Stat, Unit: m.Unit, Better: "lower",
		Shown: true, Verdict: result.Unclear}
	if m.Direction == stats.HigherIsBetter {
		out.Better = "higher"
	}
	out.A, out.B = value(m, a.Trials), value(m, b.Trials)
	if x, y := out.A.Mean, out.B.Mean; x != nil && y != nil {
		d := *y - *x
		out.Change = &d
		if m.Scale == stats.LogRatio && *x > 0 {
			p := 100 * (*y / *x - 1)
			out.ChangePct = &p
		}
	}
	out.Sentence = fmt.Sprintf("%s: A %s, B %s.", m.Name(), out.A.Text, out.B.Text)
	return out
}

// value is the geometric mean over runs, for rates the plain one.
func value(m verdict.Metric, trials []*facts.Trial) result.Value {
	v := result.Value{Text: "-", Runs: []*float64{}}
	var all []float64
	for _, t := range trials {
		x := m.Measure(t)
		v.N += x.N
		if x.Missing != "" || math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			v.Runs, v.Text = append(v.Runs, nil), x.Text
			continue
		}
		y := x.Value
		if m.Scale == stats.Difference {
			y *= 100
		}
		v.Runs = append(v.Runs, &y)
		all = append(all, y)
	}
	if len(all) == 0 || len(all) < len(trials) {
		return v
	}
	mean, _ := verdict.MeanSD(all)
	if m.Scale == stats.LogRatio {
		logs := make([]float64, len(all))
		for i, y := range all {
			logs[i] = math.Log(y)
		}
		l, sd := verdict.MeanSD(logs)
		mean = math.Exp(l)
		if len(all) > 1 {
			cv := 100 * sd
			v.CVPct = &cv
		}
	}
	v.Mean, v.Text = &mean, facts.Significant(mean)
	return v
}

func trials(label string, s *Side) []result.Trial {
	var out []result.Trial
	for i, t := range s.Trials {
		out = append(out, result.Trial{Name: t.Name, Slot: i + 1, Pair: i + 1, Label: label, Variant: t.Slot.Variant, Start: t.Start, Valid: true,
			Values: map[string]float64{}, LateP99: float64(t.TrialRecord.Lateness.P99) / 1e6, SentPct: 100})
	}
	return out
}

func notes(a, b *Side) []result.Warning {
	ws := []result.Warning{{Code: verdict.Order, Level: verdict.Limit, Seen: "all runs of one side were made before those of the other",
		Effect: "drift of machine and system is part of every difference", Action: "run perfctl abtest, which interleaves"}}
	if len(a.Trials) < stats.MinPairs || len(b.Trials) < stats.MinPairs {
		ws = append(ws, result.Warning{Code: verdict.FewRuns, Level: verdict.Limit, Seen: fmt.Sprintf("%d and %d runs", len(a.Trials), len(b.Trials)),
			Effect: "the run-to-run spread is not known"})
	}
	if n := a.Invalid + b.Invalid; n > 0 {
		ws = append(ws, result.Warning{Code: verdict.InvalidRuns, Level: verdict.Note, Seen: fmt.Sprintf("%d runs did not count", n), Effect: "left out"})
	}
	return ws
}

func answer(r *result.Result, a, b *Side) result.Verdict {
	v := result.Verdict{Status: result.Unclear, Exit: exitNoAnswer, Valid: true}
	for _, w := range r.Warnings {
		if w.Code == verdict.Unequal {
			v.Status, v.Valid = result.NotComparable, false
			r.Validity[0].Status, r.Validity[0].Text = result.Fail, w.Seen
			v.Sentence = clip("Not comparable: " + w.Seen + ".")
			return v
		}
	}
	if len(a.Trials) == 0 || len(b.Trials) == 0 {
		v.Valid, v.Sentence = false, "Nothing to compare: one side has no run that counts."
		r.Validity[0].Status, r.Validity[0].Text = result.Unclear, "one side has no run that counts"
		return v
	}
	v.Sentence = "Can't tell from runs that were not interleaved; the differences are listed, use perfctl abtest for a verdict."
	for i := range r.Metrics {
		if m := r.Metrics[i]; m.ChangePct != nil && m.Stat == "p95" {
			v.Sentence = clip(fmt.Sprintf("Can't tell from runs that were not interleaved: %s %+.1f %% (no interval); use perfctl abtest for a verdict.", m.Name, *m.ChangePct))
			break
		}
	}
	return v
}

func clip(s string) string {
	if r := []rune(s); len(r) > 140 {
		return string(r[:139]) + "…"
	}
	return s
}

func sortedKeys(a, b map[string]string) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
