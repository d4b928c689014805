package abtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// Judge reads an A-B run directory and judges it. It is a pure function of the files.
func Judge(dir *rundir.Dir) (*result.Result, error) {
	m, err := dir.Manifest()
	if err != nil {
		return nil, err
	}
	sc, err := verdict.StoredScenario(m)
	if err != nil {
		return nil, err
	}
	s, err := NewSession(sc, m.Plan)
	if err != nil {
		return nil, err
	}
	trials, err := facts.LoadAll(dir)
	if err != nil {
		return nil, err
	}
	for _, t := range trials {
		s.Add(t)
	}
	return s.Result(m)
}

// Result judges the session as it stands and fills in every row of the document.
func (s *Session) Result(m rundir.Manifest) (*result.Result, error) {
	k, reached := s.look()
	if !reached {
		k = -1
	}
	st, err := s.Stand(k)
	if err != nil {
		return nil, err
	}
	r := &result.Result{Schema: result.Schema, Kind: result.KindABTest, Run: verdict.RunOf(m, s.scenario), Files: verdict.Files(),
		Settings: verdict.Environment(m, s.lastTrial()), Method: method(s.plan, s.procedure.Looks())}
	r.Run.Scope = s.scope(st)
	a, b := st.arms()
	for i, arm := range [][]*facts.Trial{a, b} {
		label, v := "A", Variant(s.scenario, s.plan.A)
		if i == 1 {
			label, v = "B", Variant(s.scenario, s.plan.B)
		}
		r.Arms = append(r.Arms, verdict.Arm(label, v.Name, v.Title, arm))
		r.Arms[i].Generator.Cap = m.Plan.MaxInFlight
		r.Thresholds = append(r.Thresholds, verdict.Thresholds(label, s.scenario.Thresholds, arm)...)
		r.Timelines = append(r.Timelines, verdict.Timeline(label, s.mainOperation(), arm))
	}
	for _, op := range s.scenario.Operations {
		for i, arm := range [][]*facts.Trial{a, b} {
			sp := verdict.Spectrum([]string{"A", "B"}[i], op.Name, arm)
			sp.LimitMS = verdict.ThresholdOn(s.scenario.Thresholds, op.Name)
			r.Spectra = append(r.Spectra, sp)
		}
	}
	s.metrics(r, st)
	r.Treatment, r.Difference = s.treatment()
	r.Warnings = s.warnings(m, st, r)
	r.Trials = s.trialRows()
	for i := 0; i <= k; i++ {
		at, err := s.Stand(i)
		if err != nil {
			return nil, err
		}
		r.Looks = append(r.Looks, lookRow(at, s.procedure.Looks()))
	}
	r.Validity = s.strip(st, r)
	r.Verdict = s.verdict(st, r)
	return r, nil
}

func (st *Standing) arms() (a, b []*facts.Trial) {
	for _, p := range st.Pairs {
		a, b = append(a, p.a), append(b, p.b)
	}
	return a, b
}

func (s *Session) metrics(r *result.Result, st Standing) {
	for i, adjusted := range adjustedP(st.Primary) {
		row := st.Primary[i].row(s.plan.B, st.Look)
		if row.PHolm != nil {
			row.PHolm = &adjusted
		}
		r.Metrics = append(r.Metrics, row)
	}
	for i := range st.Secondary {
		r.Metrics = append(r.Metrics, st.Secondary[i].row(s.plan.B, st.Look))
	}
}

// overall is the error that is spent over a session.
const overall = .05

// adjustedP are the p values of the primary metrics corrected for their number (Holm) and
// for the looks: at most .05 just where "no difference" is rejected at this look.
func adjustedP(fs []finding) []float64 {
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(fs[x].decision.P, fs[y].decision.P) })
	out := make([]float64, len(fs))
	running := 0.0
	for _, i := range order {
		d := fs[i].decision
		running = max(running, min(1, d.P*overall/d.Level))
		out[i] = running
	}
	return out
}

// mainOperation is the one with the largest share.
func (s *Session) mainOperation() string {
	op := slices.MaxFunc(s.scenario.Operations, func(a, b scenario.Operation) int { return int(a.Weight - b.Weight) })
	return op.Name
}

func (s *Session) lastTrial() *facts.Trial {
	if len(s.trials) == 0 {
		return nil
	}
	return s.trials[len(s.trials)-1].Trial
}

func (s *Session) scope(st Standing) string {
	p := s.plan
	return fmt.Sprintf("%d+%d runs in random ABBA/BAAB blocks, %v each after %v warm-up, %s %s",
		len(st.Pairs), len(st.Pairs), verdict.Duration(p.MeasureNS), verdict.Duration(p.WarmupNS), p.Rate, p.Arrivals)
}

// trialRows are all trials, also those that do not count.
func (s *Session) trialRows() []result.Trial {
	out := []result.Trial{}
	all := append(slices.Clone(s.primary), s.secondary...)
	for _, t := range s.trials {
		row := verdict.TrialRow(t.Trial, t.Validity)
		if t.Slot.Pair == 0 {
			row.Label, row.Valid, row.Why = "burn-in", false, "the burn-in is never used"
		}
		for _, m := range all {
			if v := m.Measure(t.Trial); v.Missing == "" && number(v.Value) != nil {
				if m.Scale == stats.Difference {
					v.Value *= 100
				}
				row.Values[m.Name()] = v.Value
			}
		}
		out = append(out, row)
	}
	return out
}

func method(p rundir.Plan, looks stats.Looks) []string {
	at := make([]string, looks.Len())
	for k := range at {
		at[k] = fmt.Sprint(looks.Pairs(k))
	}
	lines := []string{
		"A run is the unit of evidence. Pairs of runs, one of each variant, in random ABBA/BAAB blocks of two pairs; both runs of a pair send the same requests.",
		"For each metric: log ratio of the two runs' values (difference for rates), paired t, judged after " + strings.Join(at, ", ") + " pairs with spent levels (5 % over the session), Holm over the primary metrics, Benjamini-Hochberg over the others.",
		"The change shown is the ratio of the geometric means of per-run quantiles, with the repeated 95 % interval, which is valid at every look.",
		"Better or worse: beyond chance at that level and larger than the \"name at\" margin. Same: the whole interval inside the \"rule out\" margin. Otherwise unclear.",
		"Response time counts from the scheduled start (no coordinated omission). Quantiles rank over all scheduled arrivals; those that timed out, failed or were never sent lie beyond every measured value.",
		"Method " + p.Method + ", docs/METHOD.md.",
	}
	return lines
}
