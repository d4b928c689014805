package stats

import (
	"fmt"
	"slices"
)

// MaxPrimaries is the largest number of primary metrics of a session: each one
// more makes every difference harder to find.
const MaxPrimaries = 8

// A Session is the procedure fixed before the first run: when to judge, and by
// which primary metrics.
type Session struct {
	looks     Looks
	primaries []Metric
}

// NewSession checks the metrics and returns the procedure.
func NewSession(looks Looks, primaries []Metric) (Session, error) {
	if looks.Len() == 0 {
		return Session{}, fmt.Errorf("session: no looks: want at least one")
	}
	if n := len(primaries); n < 1 || n > MaxPrimaries {
		return Session{}, fmt.Errorf("session: %d primary metrics: want 1 to %d, choose the ones that decide", n, MaxPrimaries)
	}
	if err := validateAll(primaries); err != nil {
		return Session{}, fmt.Errorf("session: primary %w", err)
	}
	return Session{looks: looks, primaries: slices.Clone(primaries)}, nil
}

// Looks returns the schedule of judgements.
func (s Session) Looks() Looks { return s.looks }

// A Judgement holds the decisions of one look, in the order of the primaries.
type Judgement struct {
	Decisions []Decision
	Done      bool // every primary is settled, or this was the last look
}

// Judge decides the primary metrics at look k, counted from 0. It remembers
// nothing of earlier looks: verdicts are made anew from all pairs so far.
func (s Session) Judge(k int, evidence []Evidence) (Judgement, error) {
	if err := s.looks.check(k, s.primaries, evidence); err != nil {
		return Judgement{}, err
	}
	p := claims(evidence)
	rejected, level := s.looks.Holm(k, p)
	j := Judgement{Decisions: make([]Decision, len(evidence)), Done: true}
	for i, e := range evidence {
		d := s.primaries[i].judge(e, test{p[i], level[i], rejected[i]}, s.looks, k)
		j.Decisions[i] = d
		j.Done = j.Done && d.Settled()
	}
	j.Done = j.Done || k == s.looks.Len()-1
	return j, nil
}

// JudgeSecondary decides the secondary metrics at look k: p values corrected for
// the looks, then for their number by Benjamini and Hochberg at 5 %. They never
// decide when a session ends.
func (s Session) JudgeSecondary(k int, metrics []Metric, evidence []Evidence) ([]Decision, error) {
	if err := validateAll(metrics); err != nil {
		return nil, fmt.Errorf("session: secondary %w", err)
	}
	if err := s.looks.check(k, metrics, evidence); err != nil {
		return nil, err
	}
	p := claims(evidence)
	for i := range p {
		p[i] = s.looks.Secondary(k, p[i])
	}
	decisions := make([]Decision, len(evidence))
	for i, adjusted := range BenjaminiHochberg(p) {
		decisions[i] = metrics[i].judge(evidence[i], test{adjusted, alpha, adjusted <= alpha}, s.looks, k)
	}
	return decisions, nil
}

func (l Looks) check(k int, metrics []Metric, evidence []Evidence) error {
	if k < 0 || k >= l.Len() {
		return fmt.Errorf("look %d: the session has looks 0 to %d", k, l.Len()-1)
	}
	if len(evidence) != len(metrics) {
		return fmt.Errorf("look %d: evidence on %d metrics: want all %d, vetoed ones too", k, len(evidence), len(metrics))
	}
	for i, e := range evidence {
		switch {
		case e.Vetoed:
		case e.Scale != metrics[i].Scale:
			return fmt.Errorf("look %d: metric %d: evidence and margins are on different scales", k, i)
		case e.N > l.Pairs(k):
			return fmt.Errorf("look %d: metric %d: %d pairs: this look judges the first %d", k, i, e.N, l.Pairs(k))
		}
	}
	return nil
}

func claims(evidence []Evidence) []float64 {
	p := make([]float64, len(evidence))
	for i, e := range evidence {
		p[i] = e.claimP()
	}
	return p
}

func validateAll(metrics []Metric) error {
	for i, m := range metrics {
		if err := m.Validate(); err != nil {
			return fmt.Errorf("metric %d: %w", i, err)
		}
	}
	return nil
}
