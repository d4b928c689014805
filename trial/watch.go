package trial

import (
	"context"
	"sync"
	"time"

	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/observe"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/tier"
)

// A seen holds what is watched beside the load.
type seen struct {
	sampler  *observe.Sampler
	scraper  *observe.Scraper
	self     rundir.Self
	host     rundir.HostUse
	problems []string

	window, watchers     sync.WaitGroup
	stopWindow, stopRest context.CancelFunc
}

// watch starts samplers and scrapers, and takes the counters of machine and generator
// at both ends of the measured window.
func (t *one) watch(ctx context.Context, runner *load.Runner, instance *tier.Instance, start time.Time) *seen {
	s := &seen{}
	ctx, s.stopRest = context.WithCancel(ctx)
	if targets := instance.Processes(); len(targets) > 0 {
		sampler, err := observe.NewSampler(targets, start, func(l rundir.ResourceLine) { _ = t.w.Resource(l) }, t.event)
		if err != nil {
			s.problems = append(s.problems, "processes were not sampled: "+err.Error())
		} else {
			s.sampler = sampler
			s.watchers.Go(func() { sampler.Run(ctx, t.Scenario.Observe.Resources) })
		}
	}
	if endpoints := t.metrics(instance); len(endpoints) > 0 {
		s.scraper = observe.NewScraper(endpoints, scrapeTimeout, start, t.event)
		s.watchers.Go(func() { s.scraper.Run(ctx, t.Scenario.Observe.Scrape) })
	}
	s.watchers.Go(func() { t.live(ctx, runner) })
	window, stop := context.WithCancel(ctx)
	s.stopWindow = stop
	s.window.Go(func() { s.measured(window, t, runner, start) })
	return s
}

// end ends the watching. The load may be over a moment before the clock of the window:
// after a whole run the counters of its end are still taken.
func (s *seen) end(whole bool) {
	if !whole {
		s.stopWindow()
	}
	s.window.Wait()
	s.stopWindow()
	s.stopRest()
	s.watchers.Wait()
}

// measured waits for the measured window by its clock and samples exactly at its ends.
func (s *seen) measured(ctx context.Context, t *one, runner *load.Runner, start time.Time) {
	began, ok := t.windowStart(ctx, runner, start)
	if !ok {
		return
	}
	t.phase("measure")
	from := s.sample()
	window := observe.OpenWindow()
	if s.scraper != nil {
		s.scraper.Begin(ctx)
	}
	ended := sleepUntil(ctx, began.Add(time.Duration(t.Plan.MeasureNS)))
	var under time.Duration
	used, complete := observe.CPUBetween(from, s.sample())
	for _, u := range used {
		under += u
	}
	s.self, s.host = window.Close(under, complete && len(from) > 0)
	if !ended {
		return
	}
	t.phase("drain")
	if s.scraper != nil {
		s.scraper.End(ctx)
	}
}

// windowStart waits for the start of the measured window. In a run whose warm-up may end
// early it asks the runner; the window begins at a whole second of the schedule.
func (t *one) windowStart(ctx context.Context, runner *load.Runner, start time.Time) (began time.Time, ok bool) {
	began = start.Add(time.Duration(t.Plan.WarmupNS))
	if !sleepUntil(ctx, began) {
		return began, false
	}
	if t.Steady == nil {
		return began, true
	}
	latest := t.Scenario.Warmup.Max + time.Duration(t.Plan.MeasureNS)
	for {
		live := runner.Live()
		if live.Measuring {
			return start.Add(live.At.Truncate(time.Second)), true
		}
		if live.At > latest || !sleepUntil(ctx, time.Now().Add(askEvery)) {
			return began, false
		}
	}
}

func (s *seen) sample() []rundir.ResourceLine {
	if s.sampler == nil {
		return nil
	}
	return s.sampler.SampleNow()
}

// write writes what was scraped and moves the rest into the trial's record.
func (s *seen) write(t *one) error {
	t.record.Generator, t.record.HostUse = s.self, s.host
	t.record.Notes = append(t.record.Notes, s.problems...)
	if s.scraper == nil {
		return nil
	}
	defer s.scraper.Close()
	for _, c := range s.scraper.Counts() {
		if c.Failed > 0 || c.BadLines > 0 {
			t.event(rundir.EventLine{Time: t.Now(), Kind: "warning", Name: c.Service, Text: "scrapes: " + c.Worst})
		}
	}
	return t.scrape(s.scraper)
}

// live tells the watcher where the run stands.
func (t *one) live(ctx context.Context, runner *load.Runner) {
	if t.Watch.Live == nil {
		return
	}
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.Watch.Live(t.name, runner.Live())
		}
	}
}

func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
