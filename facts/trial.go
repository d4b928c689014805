package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/rundir"
)

// A Trial is one trial's record with its histograms reduced.
type Trial struct {
	*rundir.TrialRecord
	Operations  map[string]*Operation // operations and NAME.poll
	Completions map[string]*Completion
	Lateness    Distribution
	Seconds     int64  // of the measured window that were booked
	Cut         bool   // a file ended in the middle of a line
	Damage      string // how the files of a complete trial contradict each other
	seconds     map[int64]bool
	from, to    int64 // the measured window in seconds of the schedule
}

// longestSchedule bounds the seconds of a schedule, so that a damaged number cannot ask
// for all memory: 31 days.
const longestSchedule = 31 * 24 * 3600

// Load reads one trial of a run directory.
func Load(dir *rundir.Dir, name string) (*Trial, error) {
	rec, err := dir.Trial(name)
	if err != nil {
		return nil, err
	}
	t := &Trial{TrialRecord: rec, Operations: map[string]*Operation{}, Completions: map[string]*Completion{}, seconds: map[int64]bool{}}
	t.plan()
	if err := t.ledger(); err != nil {
		return nil, err
	}
	for _, l := range rec.Completions {
		if c := t.Completions[l.Completion]; c != nil && l.Measured {
			c.Book(l)
		}
	}
	cut, err := rundir.ReadHistograms(rec.Path, t.histogram)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	t.Cut = cut || len(rec.CutFiles) > 0
	if t.State == rundir.Complete {
		t.Damage = t.contradiction()
	}
	return t, nil
}

func (t *Trial) plan() {
	for _, p := range t.TrialRecord.Operations {
		t.operation(p.Name).Timeout = time.Duration(p.TimeoutNS)
	}
	for _, p := range t.TrialRecord.Trial.Completions {
		t.Completions[p.Name] = NewCompletion(p)
	}
}

func (t *Trial) operation(name string) *Operation {
	if o := t.Operations[name]; o != nil {
		return o
	}
	o := &Operation{Name: name, Outcomes: map[string]int64{}}
	t.Operations[name] = o
	return o
}

// ledger books the measured seconds. The ledger says which seconds are measured: the
// record of a trial that was killed in a warm-up "until steady" still has the planned one.
func (t *Trial) ledger() error {
	t.from = t.WarmupEndNS / int64(time.Second)
	for i, l := range t.Ledger {
		if l.Second < 0 || l.Second > longestSchedule {
			return fmt.Errorf("%s/ledger.ndjson:%d: second %d, want 0 to %d", t.Path, i+1, l.Second, longestSchedule)
		}
		if l.Measured && t.Seconds == 0 && t.State == rundir.Running {
			t.from = l.Second
		}
		t.seconds[l.Second] = l.Measured
		if l.Measured {
			t.Seconds++
		}
	}
	t.to = t.from + t.MeasureNS/int64(time.Second)
	for _, l := range t.Ledger {
		if l.Measured {
			t.measured(l)
		}
	}
	return nil
}

func (t *Trial) measured(l rundir.LedgerLine) {
	for name, n := range l.Scheduled {
		if c := t.Completions[name]; c != nil {
			c.scheduled += n // the rest of it is in its own records
			continue
		}
		t.operation(name).Scheduled += n
	}
	for name, outcomes := range l.Outcomes {
		if t.Completions[name] == nil {
			t.operation(name).book(l.Second-t.from, outcomes)
		}
	}
}

// histogram adds one interval. Seconds without a line in the ledger are left out: the
// writer was killed between the two, and their failures are not known.
func (t *Trial) histogram(second int64, tag rundir.Tag, h *hdr.PackedHistogram) error {
	measured, booked := t.seconds[second]
	switch {
	case !booked || t.Completions[tag.Operation] != nil:
		return nil
	case tag.Kind != rundir.Lateness:
		return t.operation(tag.Operation).add(second, t.from, measured, tag, h)
	case measured:
		return t.Lateness.Add(h)
	}
	return nil
}

// contradiction says what the files of a complete trial disagree on, or nothing.
func (t *Trial) contradiction() string {
	for _, p := range t.TrialRecord.Operations {
		o := t.Operations[p.Name]
		var outcomes int64
		for _, n := range o.Outcomes {
			outcomes += n
		}
		switch {
		case outcomes != o.Scheduled:
			return fmt.Sprintf("%s: %d arrivals in the ledger, %d outcomes", p.Name, o.Scheduled, outcomes)
		case o.Outcomes["ok"] != o.Response.N():
			return fmt.Sprintf("%s: %d ok in the ledger, %d in the histograms", p.Name, o.Outcomes["ok"], o.Response.N())
		}
	}
	for _, p := range t.TrialRecord.Trial.Completions {
		if c := t.Completions[p.Name]; c.Sampled != c.scheduled {
			return fmt.Sprintf("%s: %d sampled in the ledger, %d records", p.Name, c.scheduled, c.Sampled)
		}
	}
	for _, l := range t.Ledger {
		if l.Measured != (l.Second >= t.from && l.Second < t.to) {
			return fmt.Sprintf("second %d is booked as measured: %v, the window is %d to %d", l.Second, l.Measured, t.from, t.to)
		}
	}
	return ""
}
