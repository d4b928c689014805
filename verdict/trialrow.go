package verdict

import (
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
)

// TrialRow is a trial as a line of the run table, without its metrics.
func TrialRow(t *facts.Trial, v Validity) result.Trial {
	row := result.Trial{Name: t.Name, Slot: t.Slot.Index, Block: t.Slot.Block, Pair: t.Slot.Pair, Label: t.Slot.Label,
		Variant: t.Slot.Variant, Start: t.Start, Valid: v.Valid, Why: v.Why, Values: map[string]float64{},
		SentPct: SentPercent(t), LateP99: float64(t.TrialRecord.Lateness.P99) / 1e6}
	var scheduled int64
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			scheduled += o.Scheduled
		}
	}
	row.OKPct = pct(completed(t), scheduled)
	for _, w := range v.Warnings {
		row.Warnings = append(row.Warnings, w.Code)
	}
	return row
}

// SentPercent is the share of a trial's scheduled arrivals that was sent.
func SentPercent(t *facts.Trial) float64 { return pct(t.Sent, t.Scheduled) }
