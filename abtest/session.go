package abtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/stats"
	"github.com/perfctl/perfctl/verdict"
)

// A Session is a plan and the trials that were run for it so far.
type Session struct {
	plan      rundir.Plan
	scenario  *scenario.Scenario
	procedure stats.Session
	primary   []verdict.Metric
	secondary []verdict.Metric
	trials    []judged // in the order in which they ran
}

// A judged trial with its validity.
type judged struct {
	*facts.Trial
	verdict.Validity
}

// A pair holds the counting trials of one pair.
type pair struct{ a, b *facts.Trial }

// aFirst is the order in which they ran, which is not the planned one where a trial was
// run again.
func (p pair) aFirst() bool { return p.a.Start.Before(p.b.Start) }

// NewSession prepares the judgement of a plan.
func NewSession(sc *scenario.Scenario, p rundir.Plan) (*Session, error) {
	looks, err := stats.NewLooks(p.Looks...)
	if err != nil {
		return nil, err
	}
	s := &Session{plan: p, scenario: sc}
	if s.primary, s.secondary, err = planned(sc, p); err != nil {
		return nil, err
	}
	bare := make([]stats.Metric, len(s.primary))
	for i, m := range s.primary {
		bare[i] = m.Metric
	}
	for _, m := range slices.Concat(s.primary, s.secondary) {
		if err := m.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
	}
	s.procedure, err = stats.NewSession(looks, bare)
	return s, err
}

// Add records one more trial and returns its validity.
func (s *Session) Add(t *facts.Trial) verdict.Validity {
	v := verdict.Check(t)
	s.trials = append(s.trials, judged{t, v})
	return v
}

// pairs are the complete pairs in the order of the plan. Of several attempts at a slot the
// last valid one counts.
func (s *Session) pairs() []pair {
	byPair := map[int]*pair{}
	for _, t := range s.trials {
		if !t.Valid || t.Slot.Pair == 0 {
			continue
		}
		p := byPair[t.Slot.Pair]
		if p == nil {
			p = &pair{}
			byPair[t.Slot.Pair] = p
		}
		if t.Slot.Label == "A" {
			p.a = t.Trial
		} else {
			p.b = t.Trial
		}
	}
	var out []pair
	for _, p := range byPair {
		if p.a != nil && p.b != nil {
			out = append(out, *p)
		}
	}
	slices.SortFunc(out, func(x, y pair) int { return cmp.Compare(x.a.Slot.Pair, y.a.Slot.Pair) })
	return out
}

// look is the last look that the complete pairs reach, or false before the first.
func (s *Session) look() (k int, ok bool) {
	n := len(s.pairs())
	looks := s.procedure.Looks()
	for k := looks.Len() - 1; k >= 0; k-- {
		if n >= looks.Pairs(k) {
			return k, true
		}
	}
	return 0, false
}

// A Standing is the judgement of all metrics at one look.
type Standing struct {
	Look      int // from 0; -1 before the first
	Pairs     []pair
	Primary   []finding
	Secondary []finding
	Done      bool
}

// A finding is one metric with its evidence and decision.
type finding struct {
	verdict.Metric
	evidence stats.Evidence
	decision stats.Decision
	a, b     []verdict.Measure
	why      string // why it is not judged
	code     string // the warning that says so, or none
	primary  bool
}

// Stand judges the pairs of look k. With k < 0 it describes all complete pairs, fewer
// than the first look needs, and what could be settled stays unclear.
func (s *Session) Stand(k int) (Standing, error) {
	st := Standing{Look: k, Pairs: s.pairs()}
	at := max(k, 0)
	if n := s.procedure.Looks().Pairs(at); len(st.Pairs) > n {
		st.Pairs = st.Pairs[:n]
	}
	for _, m := range s.primary {
		st.Primary = append(st.Primary, find(m, st.Pairs, true))
	}
	for _, m := range s.secondary {
		st.Secondary = append(st.Secondary, find(m, st.Pairs, false))
	}
	procedure, err := stats.NewSession(s.procedure.Looks(), resolved(st.Primary))
	if err != nil {
		return st, err
	}
	j, err := procedure.Judge(at, evidence(st.Primary))
	if err != nil {
		return st, err
	}
	second, err := procedure.JudgeSecondary(at, resolved(st.Secondary), evidence(st.Secondary))
	if err != nil {
		return st, err
	}
	st.Done = j.Done && k >= 0
	decide(st.Primary, j.Decisions, k)
	decide(st.Secondary, second, k)
	return st, nil
}

func decide(fs []finding, ds []stats.Decision, k int) {
	for i, d := range ds {
		if k < 0 && d.Verdict != stats.NotComparable {
			d.Verdict, d.Rejected, d.Measurable = stats.Unclear, false, false
		}
		fs[i].decision = d
	}
}

func resolved(fs []finding) []stats.Metric {
	out := make([]stats.Metric, len(fs))
	for i, f := range fs {
		out[i] = f.Metric.Metric
	}
	return out
}

func evidence(fs []finding) []stats.Evidence {
	out := make([]stats.Evidence, len(fs))
	for i, f := range fs {
		out[i] = f.evidence
	}
	return out
}
