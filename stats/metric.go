package stats

import (
	"fmt"
	"math"
)

// Direction says which way a metric improves.
type Direction int

const (
	LowerIsBetter Direction = iota
	HigherIsBetter
)

// A Margin is exceeded by a difference that exceeds both its parts: Rel, a
// fraction of A (.05 is 5 %), and Abs, in the unit of the values. For
// proportions only Abs counts (.001 is 0.1 percentage points).
type Margin struct{ Rel, Abs float64 }

// on returns the margin on the scale of the evidence: ln(1 + max(Rel, Abs/Base))
// for log ratios.
func (m Margin) on(e Evidence) float64 {
	if e.Scale == Difference {
		return m.Abs
	}
	return math.Log1p(max(m.Rel, m.Abs/e.Base))
}

func (m Margin) valid() bool {
	finite := m.Rel >= 0 && m.Abs >= 0 && !math.IsInf(m.Rel, 0) && !math.IsInf(m.Abs, 0)
	return finite && m.Rel+m.Abs > 0
}

// A Metric is what was declared of a measure before the first run.
type Metric struct {
	Direction  Direction
	Scale      Scale
	NameAt     Margin  // the smallest difference worth a name
	RuleOut    Margin  // what "same" must exclude
	Resolution float64 // smallest difference the measurement can see, in the unit of the values
}

// Validate returns what is wrong with the metric, or nil.
func (m Metric) Validate() error {
	switch {
	case !m.NameAt.valid() || !m.RuleOut.valid():
		return fmt.Errorf("margins name at %v, rule out %v: want parts of 0 or more, not both 0", m.NameAt, m.RuleOut)
	case m.Scale == Difference && (m.NameAt.Abs == 0 || m.RuleOut.Abs == 0):
		return fmt.Errorf("margins name at %v, rule out %v: a difference of proportions wants absolute margins", m.NameAt, m.RuleOut)
	case m.RuleOut.Rel < m.NameAt.Rel || m.RuleOut.Abs < m.NameAt.Abs:
		return fmt.Errorf("margin rule out %v is below name at %v: want it at least as wide", m.RuleOut, m.NameAt)
	case !(m.Resolution >= 0):
		return fmt.Errorf("resolution %v: want 0 or more", m.Resolution)
	}
	return nil
}
