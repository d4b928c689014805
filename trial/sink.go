package trial

import (
	"errors"
	"time"

	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/rundir"
)

// A sink writes what a load run hands over.
type sink struct{ w *rundir.TrialWriter }

// Second writes one second of the schedule: its histograms, then its ledger line.
func (s sink) Second(x load.Second) error {
	second := int64(x.Start / time.Second)
	l := rundir.LedgerLine{Second: second, Measured: x.Measured, Scheduled: x.Scheduled, Outcomes: map[string]map[string]int64{},
		Sent: x.Sent, Done: x.Done, InFlight: x.InFlight, Waiting: x.Waiting}
	var errs []error
	for k, series := range x.Series {
		if l.Outcomes[k.Operation] == nil {
			l.Outcomes[k.Operation] = map[string]int64{}
		}
		l.Outcomes[k.Operation][string(k.Outcome)] = series.Count
		tag := rundir.Tag{Operation: k.Operation, Outcome: string(k.Outcome), Kind: rundir.Response}
		errs = append(errs, s.w.Histogram(second, tag, series.Response))
		tag.Kind = rundir.Service
		errs = append(errs, s.w.Histogram(second, tag, series.Service))
	}
	errs = append(errs, s.w.Histogram(second, rundir.LatenessTag, x.Lateness))
	return errors.Join(append(errs, s.w.Ledger(l))...)
}

// Completion writes one followed arrival.
func (s sink) Completion(c load.CompletionRecord) error {
	return s.w.Completion(rundir.CompletionLine{Index: c.Index, Completion: c.Completion, IntendedNS: int64(c.Intended), Measured: c.Measured,
		LowerNS: int64(c.Lower), UpperNS: int64(c.Upper), Outcome: string(c.Outcome), Polls: c.Polls, Misses: c.Misses,
		Disagreements: c.Disagreements, PollErrors: c.PollErrors})
}
