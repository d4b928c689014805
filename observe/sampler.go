package observe

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/perfctl/perfctl/rundir"
)

// A Target is one program to sample: its first process, and with it all descendants.
type Target struct {
	Name string
	PID  int
}

// A Sampler reads the resources of programs. Its methods may be called at the same time.
type Sampler struct {
	proc    procfs
	now     func() time.Time
	start   time.Time
	line    func(rundir.ResourceLine)
	event   func(rundir.EventLine)
	mu      sync.Mutex
	targets []watched
}

type watched struct {
	Target
	start  uint64
	ended  bool
	warned bool
}

// NewSampler prepares to sample targets, all of which must be alive. Offsets count from
// start, the first scheduled arrival. It fails where processes cannot be read: then there
// are no resource numbers at all, and the error is the fact to record.
func NewSampler(targets []Target, start time.Time, line func(rundir.ResourceLine), event func(rundir.EventLine)) (*Sampler, error) {
	s := &Sampler{
		proc:  procfs{root: "/proc", clock: processClock},
		now:   time.Now,
		start: start,
		line:  line,
		event: event,
	}
	return s, s.watch(targets)
}

func (s *Sampler) watch(targets []Target) error {
	if err := s.proc.supported(); err != nil {
		return err
	}
	for _, t := range targets {
		st, err := s.proc.stat(t.PID)
		if err != nil {
			return fmt.Errorf("sample %s, pid %d: %w", t.Name, t.PID, err)
		}
		s.targets = append(s.targets, watched{Target: t, start: st.start})
	}
	return nil
}

// Run samples now and then every interval until ctx ends. Intervals count from the first
// sample, so a slow one does not move those after it.
func (s *Sampler) Run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		s.SampleNow()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// SampleNow samples every target once, gives the lines to the sampler's function and
// returns them. A target that has ended has no line; its end is one event.
func (s *Sampler) SampleNow() []rundir.ResourceLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]rundir.ResourceLine, 0, len(s.targets))
	for i := range s.targets {
		t := &s.targets[i]
		if t.ended {
			continue
		}
		at := s.now()
		line, err := s.proc.program(t.PID, t.start)
		if err != nil {
			s.report(t, at, err)
			continue
		}
		line.Name = t.Name
		line.OffsetNS = int64(at.Sub(s.start))
		s.line(line)
		lines = append(lines, line)
	}
	return lines
}

func (s *Sampler) report(t *watched, at time.Time, err error) {
	e := rundir.EventLine{Time: at, OffsetNS: int64(at.Sub(s.start)), Name: t.Name}
	if errors.Is(err, errGone) {
		t.ended = true
		e.Kind, e.Text = "exit", fmt.Sprintf("pid %d has ended; there are no resources of it from here on", t.PID)
		s.event(e)
		return
	}
	if t.warned {
		return
	}
	t.warned = true
	e.Kind, e.Text = "warning", fmt.Sprintf("pid %d: a sample of its resources is missing: %v", t.PID, err)
	s.event(e)
}

// CPUBetween returns the CPU time each program used between two samples. It is complete
// when every program of the first sample is, as the same process, in the second, and no
// sum fell.
func CPUBetween(from, to []rundir.ResourceLine) (used map[string]time.Duration, complete bool) {
	used = make(map[string]time.Duration, len(from))
	complete = true
	for _, a := range from {
		found := false
		for _, b := range to {
			if a.Name == b.Name && a.PID == b.PID && a.CPUNS <= b.CPUNS {
				used[a.Name] += time.Duration(b.CPUNS - a.CPUNS)
				found = true
			}
		}
		complete = complete && found
	}
	return used, complete
}
