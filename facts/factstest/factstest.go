// Package factstest makes trials with known answers, for the tests of what reads them.
//
// A [Trial] is written as a run directory's files by Write, exactly as a load run would,
// or turned into facts in memory, which is fast enough for thousands of sessions.
package factstest

import (
	"errors"
	"maps"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/rundir"
)

// An Operation is what becomes of one operation's arrivals in the measured window.
type Operation struct {
	Name   string
	OK     []float64        // response times, ms
	Others map[string]int64 // by outcome: timeout, system, client, unsent, functional
}

// A Trial is one trial to make. The record's window, counts, operations and outcomes are
// filled in where they are zero.
type Trial struct {
	Record      rundir.Trial
	Operations  []Operation
	Completions []rundir.CompletionLine
	Resources   []rundir.ResourceLine
	WarmupMS    float64 // response time of every arrival of the warm-up; 0 sends none
}

// Timeout is that of every operation that has no plan of its own.
const Timeout = 10 * time.Second

func (t Trial) record() rundir.Trial {
	r := t.Record
	r.Version = rundir.Version
	if r.State == "" {
		r.State = rundir.Complete
	}
	if r.MeasureNS == 0 {
		r.MeasureNS = int64(10 * time.Second)
	}
	if r.Start.IsZero() {
		r.Start = time.Unix(1_800_000_000+int64(r.Slot.Index)*1000, 0).UTC()
	}
	var scheduled, unsent int64
	for _, o := range t.Operations {
		scheduled += o.scheduled()
		unsent += o.Others["unsent"]
	}
	if len(r.Operations) == 0 {
		for _, o := range t.Operations {
			r.Operations = append(r.Operations, rundir.OperationPlan{Name: o.Name, Share: 1 / float64(len(t.Operations)), TimeoutNS: int64(Timeout)})
		}
	}
	if r.Scheduled == 0 {
		r.Scheduled, r.Sent, r.Unsent, r.Planned = scheduled, scheduled-unsent, unsent, scheduled
	}
	return r
}

func (o Operation) scheduled() int64 {
	n := int64(len(o.OK))
	for _, c := range o.Others {
		n += c
	}
	return n
}

func (o Operation) outcomes() map[string]int64 {
	out := maps.Clone(o.Others)
	if out == nil {
		out = map[string]int64{}
	}
	out["ok"] = int64(len(o.OK))
	return out
}

// Facts reduces the trial in memory. Seconds and lateness stay empty.
func (t Trial) Facts() *facts.Trial {
	r := t.record()
	f := &facts.Trial{TrialRecord: &rundir.TrialRecord{Trial: r, Resources: t.Resources, Completions: t.Completions},
		Operations: map[string]*facts.Operation{}, Completions: map[string]*facts.Completion{}, Seconds: r.MeasureNS / 1e9}
	for _, o := range t.Operations {
		f.Operations[o.Name] = &facts.Operation{Name: o.Name, Scheduled: o.scheduled(), Outcomes: o.outcomes()}
		for _, ms := range o.OK {
			f.Operations[o.Name].Response.AddValue(int64(ms * 1e6))
		}
	}
	for _, p := range r.Operations {
		if o := f.Operations[p.Name]; o != nil {
			o.Timeout = time.Duration(p.TimeoutNS)
		}
	}
	for _, p := range r.Completions {
		f.Completions[p.Name] = facts.NewCompletion(p)
	}
	for _, l := range t.Completions {
		if l.Measured {
			f.Completions[l.Completion].Book(l)
		}
	}
	return f
}

// Write writes the trial's files.
func (t Trial) Write(dir *rundir.Dir) error {
	r := t.record()
	w, err := dir.NewTrial(r.Name)
	if err != nil {
		return err
	}
	return errors.Join(t.write(w, r), w.Close())
}

func (t Trial) write(w *rundir.TrialWriter, r rundir.Trial) error {
	if err := w.Begin(r.Start); err != nil {
		return err
	}
	var errs []error
	warm, measure := r.WarmupEndNS/1e9, r.MeasureNS/1e9
	for s := range warm + measure {
		errs = append(errs, t.second(w, s, s-warm, measure))
	}
	for _, l := range t.Completions {
		errs = append(errs, w.Completion(l))
	}
	for _, l := range t.Resources {
		errs = append(errs, w.Resource(l))
	}
	return errors.Join(append(errs, w.Trial(r))...)
}

// second writes the share of all arrivals that belongs to a second: the i-th falls into
// second i mod the window.
func (t Trial) second(w *rundir.TrialWriter, at, i, measure int64) error {
	l := rundir.LedgerLine{Second: at, Measured: i >= 0, Scheduled: map[string]int64{}, Outcomes: map[string]map[string]int64{}}
	var errs []error
	for _, o := range t.Operations {
		h := hdr.New(1000, int64(10*time.Minute), 3)
		counts := map[string]int64{}
		if i < 0 {
			if t.WarmupMS > 0 {
				counts["ok"], counts["system"] = 1, 1
				errs = append(errs, h.RecordValue(int64(t.WarmupMS*1e6)))
			}
		} else {
			for k := i; k < int64(len(o.OK)); k += measure {
				counts["ok"]++
				errs = append(errs, h.RecordValue(int64(o.OK[k]*1e6)))
			}
			for outcome, n := range o.Others {
				if c := (n - i + measure - 1) / measure; c > 0 {
					counts[outcome] = c
				}
			}
		}
		for _, n := range counts {
			l.Scheduled[o.Name] += n
		}
		l.Outcomes[o.Name] = counts
		errs = append(errs, w.Histogram(at, rundir.Tag{Operation: o.Name, Outcome: "ok", Kind: rundir.Response}, h),
			w.Histogram(at, rundir.Tag{Operation: o.Name, Outcome: "ok", Kind: rundir.Service}, h))
	}
	for _, c := range t.Completions {
		if c.Measured && i == 0 {
			l.Scheduled[c.Completion]++
		}
	}
	return errors.Join(append(errs, w.Ledger(l))...)
}
