package observe

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/perfctl/perfctl/rundir"
)

// maxSamples bounds the memory of one trial's samples to about 64 MiB.
const maxSamples = 4 << 20

// An Endpoint is the Prometheus text of one service.
type Endpoint struct{ Service, URL string }

// A Scraper reads the endpoints of services. Its methods may be called at the same time.
type Scraper struct {
	client    *http.Client
	timeout   time.Duration
	most      int64 // bytes of one answer
	event     func(rundir.EventLine)
	now       func() time.Time
	start     time.Time
	endpoints []*endpoint

	mu    sync.Mutex // guards store, marks and the counts of endpoints
	store *store
	full  bool
	begin map[string]int64 // service -> time of the scrape that opened the window
	end   map[string]int64
}

type endpoint struct {
	Endpoint
	turn  sync.Mutex // one exchange at a time
	last  int64      // time of the last scrape, Unix ms
	count ScrapeCount
}

// A ScrapeCount says how complete the scrapes of one service are.
type ScrapeCount struct {
	Service  string
	Scrapes  int
	Failed   int
	BadLines int    // lines left out because they break the format or repeat a series
	Worst    string // the first failure or bad line
}

// NewScraper prepares to scrape endpoints, each exchange within timeout. Offsets of
// events count from start, the first scheduled arrival.
func NewScraper(endpoints []Endpoint, timeout time.Duration, start time.Time, event func(rundir.EventLine)) *Scraper {
	s := &Scraper{
		client:  newClient(),
		timeout: timeout,
		most:    maxBody,
		event:   event,
		now:     time.Now,
		start:   start,
		store:   newStore(maxSamples),
		begin:   map[string]int64{},
		end:     map[string]int64{},
	}
	for _, e := range endpoints {
		s.endpoints = append(s.endpoints, &endpoint{Endpoint: e, count: ScrapeCount{Service: e.Service}})
	}
	return s
}

// Run scrapes now and then every interval until ctx ends. An exchange that ctx cuts
// short is not counted.
func (s *Scraper) Run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		s.all(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Begin scrapes every endpoint at the start of the measured window, End at its end.
// Growth of counters is taken between the two.
func (s *Scraper) Begin(ctx context.Context) { s.mark(ctx, s.begin) }

// End scrapes every endpoint at the end of the measured window.
func (s *Scraper) End(ctx context.Context) { s.mark(ctx, s.end) }

func (s *Scraper) mark(ctx context.Context, marks map[string]int64) {
	at := s.all(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(marks)
	for service, ms := range at {
		marks[service] = ms
	}
}

// all scrapes every endpoint at once and returns the times of those that answered.
func (s *Scraper) all(ctx context.Context) map[string]int64 {
	var wg sync.WaitGroup
	at := make([]int64, len(s.endpoints))
	for i, e := range s.endpoints {
		wg.Go(func() { at[i] = s.scrape(ctx, e) })
	}
	wg.Wait()
	answered := make(map[string]int64, len(at))
	for i, ms := range at {
		if ms != 0 {
			answered[s.endpoints[i].Service] = ms
		}
	}
	return answered
}

// scrape reads one endpoint and returns the time of its samples, 0 when it failed. The
// time is that of the request, as Prometheus has it.
func (s *Scraper) scrape(ctx context.Context, e *endpoint) int64 {
	e.turn.Lock()
	defer e.turn.Unlock()
	began := s.now()
	text, err := s.get(ctx, e.URL)
	took := s.now().Sub(began)
	if ctx.Err() != nil && err != nil {
		return 0
	}
	ms := max(began.UnixMilli(), e.last+1)
	e.last = ms
	got := own(took, err == nil)
	var said exposition
	if err == nil {
		said = parseText(text)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	e.count.Scrapes++
	room := s.store.add(e.Service, ms, got)
	if err != nil {
		s.failed(e, began, err)
		return 0
	}
	before := s.store.doubled
	room = s.store.add(e.Service, ms, said) && room
	e.count.BadLines += said.bad + s.store.doubled - before
	if e.count.Worst == "" {
		e.count.Worst = said.worst
	}
	if !room && !s.full {
		s.full = true
		s.warn(began, "", fmt.Sprintf("%d samples of metrics are held: no more are kept in this trial; scrape less often", s.store.limit))
	}
	return ms
}

// failed counts a scrape that gave nothing. The first one of a service is an event.
func (s *Scraper) failed(e *endpoint, at time.Time, err error) {
	e.count.Failed++
	if e.count.Failed == 1 {
		e.count.Worst = err.Error()
		s.warn(at, e.Service, fmt.Sprintf("metrics are missing: %v", err))
	}
}

func (s *Scraper) warn(at time.Time, name, text string) {
	s.event(rundir.EventLine{Time: at, OffsetNS: int64(at.Sub(s.start)), Kind: "warning", Name: name, Text: text})
}

// own is what every scrape says of itself, in the words of Prometheus.
func own(took time.Duration, up bool) exposition {
	value := 0.0
	if up {
		value = 1
	}
	return exposition{
		samples: []sample{
			{name: "up", value: value},
			{name: "scrape_duration_seconds", value: took.Seconds()},
		},
		kinds: map[string]string{"up": "gauge", "scrape_duration_seconds": "gauge"},
		help:  map[string]string{},
	}
}

// Counts says how complete the scrapes are, in the order of the endpoints.
func (s *Scraper) Counts() []ScrapeCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make([]ScrapeCount, 0, len(s.endpoints))
	for _, e := range s.endpoints {
		counts = append(counts, e.count)
	}
	return counts
}

// Close ends the idle connections.
func (s *Scraper) Close() { s.client.CloseIdleConnections() }
