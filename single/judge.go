package single

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// Judge reads a run directory of one trial and judges it. It is a pure function of the files.
func Judge(dir *rundir.Dir) (*result.Result, error) {
	m, err := dir.Manifest()
	if err != nil {
		return nil, err
	}
	sc, err := verdict.StoredScenario(m)
	if err != nil {
		return nil, err
	}
	trials, err := facts.LoadAll(dir)
	if err != nil {
		return nil, err
	}
	return judge(m, sc, trials), nil
}

func judge(m rundir.Manifest, sc *scenario.Scenario, trials []*facts.Trial) *result.Result {
	r := &result.Result{Schema: result.Schema, Kind: result.KindRun, Run: verdict.RunOf(m, sc), Files: verdict.Files(),
		Metrics: []result.Metric{}, Trials: []result.Trial{}, Warnings: []result.Warning{}}
	r.Run.Scope = fmt.Sprintf("1 run, %s after %s warm-up, %s %s", verdict.Duration(m.Plan.MeasureNS), verdict.Duration(m.Plan.WarmupNS), m.Plan.Rate, m.Plan.Arrivals)
	r.Method = []string{
		"Response time counts from the scheduled start (no coordinated omission). Quantiles rank over all scheduled arrivals; those that timed out, failed or were never sent lie beyond every measured value.",
		"One run says whether the thresholds held. It says nothing about differences between two runs: use perfctl abtest.",
		"Method " + Method + ", docs/METHOD.md.",
	}
	var last *facts.Trial
	valid := true
	for _, t := range trials {
		last = t
		v := verdict.Check(t)
		valid = valid && v.Valid
		r.Warnings = append(r.Warnings, v.Warnings...)
		r.Trials = append(r.Trials, verdict.TrialRow(t, v))
	}
	variant := ""
	if len(m.Plan.Slots) > 0 {
		variant = m.Plan.Slots[0].Variant
	}
	arm := verdict.Arm("A", cmp.Or(variant, m.ScenarioName), variant, trials)
	arm.Generator.Cap = m.Plan.MaxInFlight
	if !valid {
		arm.Trials = 0 // shown, but it does not count
	}
	r.Arms = []result.Arm{arm}
	r.Warnings = verdict.Sorted(verdict.Merge(append(append(r.Warnings, verdict.ArmWarnings("A", variant, trials)...), partial(m)...)))
	r.Thresholds = verdict.Thresholds("A", sc.Thresholds, trials)
	main := slices.MaxFunc(sc.Operations, func(a, b scenario.Operation) int { return int(a.Weight - b.Weight) })
	r.Timelines = []result.Timeline{verdict.Timeline("A", main.Name, trials)}
	for _, op := range sc.Operations {
		s := verdict.Spectrum("A", op.Name, trials)
		s.LimitMS = verdict.ThresholdOn(sc.Thresholds, op.Name)
		r.Spectra = append(r.Spectra, s)
	}
	r.Settings = verdict.Environment(m, last)
	r.Validity = strip(r, valid, trials)
	r.Verdict = answer(r, valid, trials)
	return r
}

func partial(m rundir.Manifest) []result.Warning {
	if m.State != rundir.Interrupted && m.State != rundir.Running {
		return nil
	}
	return []result.Warning{{Code: verdict.Interrupted, Level: verdict.Limit, Seen: "the run was cut short",
		Effect: "judged from what was measured"}}
}

func strip(r *result.Result, valid bool, trials []*facts.Trial) []result.Check {
	g := r.Arms[0].Generator
	checks := []result.Check{
		{Name: "load delivered", Status: result.Pass, Text: fmt.Sprintf("sent %.2f %% of %d", g.SentPct, g.Scheduled)},
		{Name: "generator and host", Status: result.Pass, Text: fmt.Sprintf("lateness p99 %.2f ms, own CPU %.0f %%", g.LateP99MS, g.CPUPct)},
	}
	if g.SentPct < 100*verdict.LeastSent {
		checks[0].Status = result.Fail
	}
	if !valid {
		checks[1].Status = "warn"
		checks[1].Text = r.Trials[0].Why
	}
	if len(trials) == 0 {
		checks[0].Status, checks[1].Status = result.Unclear, result.Unclear
	}
	return checks
}

// answer: thresholds decide. One that failed is an answer; without one, a threshold with
// too few samples leaves the question open. A run that is the generator's own fault has
// no answer at all.
func answer(r *result.Result, valid bool, trials []*facts.Trial) result.Verdict {
	v := result.Verdict{Status: result.Pass, Valid: valid}
	var failed, open []string
	for _, t := range r.Thresholds {
		v.Detail = append(v.Detail, fmt.Sprintf("%s: %s (%s, n=%d).", t.Text, t.Status, t.Value, t.N))
		switch t.Status {
		case result.Fail:
			failed = append(failed, fmt.Sprintf("%s (%s)", t.Text, t.Value))
		case verdict.NoData:
			open = append(open, fmt.Sprintf("%s (%s)", t.Text, t.Value))
		}
	}
	switch {
	case len(trials) == 0 || r.Arms[0].Generator.Scheduled == 0:
		v.Status, v.Exit, v.Valid, v.Sentence = result.Unclear, 3, false, "Nothing was measured."
	case !valid:
		v.Status, v.Exit, v.Sentence = result.Unclear, 3, clip("No answer: "+r.Trials[0].Why+".")
	case len(failed) > 0:
		v.Status, v.Exit, v.Sentence = result.Fail, 1, clip("Fails "+strings.Join(failed, "; ")+".")
	case len(open) > 0:
		v.Status, v.Exit, v.Sentence = result.Unclear, 3, clip("Too few samples for "+strings.Join(open, "; ")+".")
	case len(r.Thresholds) == 0:
		v.Sentence = clip(fmt.Sprintf("Measured %d arrivals; the scenario has no thresholds to hold them against.", r.Arms[0].Generator.Scheduled))
	default:
		v.Sentence = clip(fmt.Sprintf("Holds all %d thresholds at %s.", len(r.Thresholds), r.Run.Scope))
	}
	if r.Run.Interrupted {
		v.Exit = 130
	}
	return v
}

func clip(s string) string {
	if r := []rune(s); len(r) > 140 {
		return string(r[:139]) + "…"
	}
	return s
}
