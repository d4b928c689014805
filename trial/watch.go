package trial

import (
	"context"
	"errors"
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
}

// watch starts samplers and scrapers, and takes the counters of machine and generator
// at both ends of the measured window.
func (t *one) watch(ctx context.Context, wg *sync.WaitGroup, runner *load.Runner, instance *tier.Instance, start time.Time) *seen {
	s := &seen{}
	if targets := instance.Processes(); len(targets) > 0 {
		sampler, err := observe.NewSampler(targets, start, func(l rundir.ResourceLine) { _ = t.w.Resource(l) }, t.event)
		if err != nil {
			s.problems = append(s.problems, "processes were not sampled: "+err.Error())
		} else {
			s.sampler = sampler
			wg.Go(func() { sampler.Run(ctx, t.Scenario.Observe.Resources) })
		}
	}
	if endpoints := t.metrics(instance); len(endpoints) > 0 {
		s.scraper = observe.NewScraper(endpoints, scrapeTimeout, start, t.event)
		wg.Go(func() { s.scraper.Run(ctx, t.Scenario.Observe.Scrape) })
	}
	wg.Go(func() { s.window(ctx, t, runner, start) })
	wg.Go(func() { t.live(ctx, runner) })
	return s
}

// window waits for the measured window by its clock and samples exactly at its ends. In a run
// whose warm-up may end early it asks the runner.
func (s *seen) window(ctx context.Context, t *one, runner *load.Runner, start time.Time) {
	began := start.Add(time.Duration(t.Plan.WarmupNS))
	if !sleepUntil(ctx, began) {
		return
	}
	for t.Steady != nil && !runner.Live().Measuring {
		if !sleepUntil(ctx, time.Now().Add(20*time.Millisecond)) {
			return
		}
		began = time.Now()
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
	if ended {
		t.phase("drain")
		if s.scraper != nil {
			s.scraper.End(ctx)
		}
	}
}

func (s *seen) sample() []rundir.ResourceLine {
	if s.sampler == nil {
		return nil
	}
	return s.sampler.SampleNow()
}

// close writes what was scraped and moves the rest into the trial's record.
func (s *seen) close(t *one) error {
	t.record.Generator, t.record.HostUse = s.self, s.host
	t.record.Notes = append(t.record.Notes, s.problems...)
	if s.scraper == nil {
		return nil
	}
	var errs []error
	for _, c := range s.scraper.Counts() {
		if c.Failed > 0 || c.BadLines > 0 {
			t.event(rundir.EventLine{Time: t.Now(), Kind: "warning", Name: c.Service, Text: "scrapes: " + c.Worst})
		}
	}
	errs = append(errs, t.scrape(s.scraper))
	s.scraper.Close()
	return errors.Join(errs...)
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
