package observe

import (
	"math"
	"slices"
	"strings"
)

// A store keeps the scraped samples of one trial in memory, at most limit of them.
type store struct {
	families map[string]*family
	series   map[string]*series // by name and labels
	held     int
	limit    int
	dropped  int // samples that found the store full
	doubled  int // samples whose series was already in the same scrape
}

type family struct {
	name, kind, help string
	series           []*series
}

// A series is one line of the format over time. Points are in the order of time.
type series struct {
	name   string
	labels []label // sorted by name, the service among them
	points []point
}

type point struct {
	ms    int64 // Unix time
	value float64
}

func newStore(limit int) *store {
	return &store{families: map[string]*family{}, series: map[string]*series{}, limit: limit}
}

// add keeps one scrape of a service. It returns false when the store became full.
func (s *store) add(service string, ms int64, e exposition) bool {
	room := true
	for _, smp := range e.samples {
		if s.held >= s.limit {
			s.dropped++
			room = false
			continue
		}
		one := s.find(smp, service, e)
		if n := len(one.points); n > 0 && one.points[n-1].ms >= ms {
			s.doubled++
			continue
		}
		one.points = append(one.points, point{ms, smp.value})
		s.held++
	}
	return room
}

func (s *store) find(smp sample, service string, e exposition) *series {
	labels := withService(smp.labels, service)
	key := seriesKey(smp.name, labels)
	if one, ok := s.series[key]; ok {
		return one
	}
	one := &series{name: smp.name, labels: labels}
	s.series[key] = one
	name := e.family(smp.name)
	kind := e.kinds[name]
	if kind == "" {
		kind = "untyped"
	}
	f, ok := s.families[name]
	if !ok {
		f = &family{name: name, kind: kind, help: e.help[name]}
		s.families[name] = f
	}
	if f.kind != kind {
		f.kind = "untyped" // services disagree
	}
	f.series = append(f.series, one)
	return one
}

// withService sorts the labels and adds the service. A label of that name that the
// service sent becomes exported_service, as Prometheus does it.
func withService(labels []label, service string) []label {
	out := make([]label, 0, len(labels)+1)
	out = append(out, label{"service", service})
	for _, l := range labels {
		if l.name == "service" {
			l.name = "exported_service"
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b label) int { return strings.Compare(a.name, b.name) })
	return out
}

func seriesKey(name string, labels []label) string {
	var b strings.Builder
	b.WriteString(name)
	for _, l := range labels {
		b.WriteByte(0xff) // never in UTF-8 text
		b.WriteString(l.name)
		b.WriteByte(0xff)
		b.WriteString(l.value)
	}
	return b.String()
}

// has tells whether every wanted label is there with its value.
func (s *series) has(want map[string]string) bool {
	for name, value := range want {
		if !slices.Contains(s.labels, label{name, value}) {
			return false
		}
	}
	return true
}

func (s *series) label(name string) string {
	for _, l := range s.labels {
		if l.name == name {
			return l.value
		}
	}
	return ""
}

// growth is how much a counter grew from the scrape at from to the one at to. A series
// that begins after the first scrape began at zero. The growth is not known when the
// series is missing at an end, or when it fell: then its process began anew.
func (s *series) growth(from, to int64) (float64, bool) {
	var base, last float64
	seen, ended := false, false
	for _, p := range s.points {
		switch {
		case p.ms < from:
			seen = true
			continue
		case p.ms == from:
			base, seen = p.value, false
		case p.ms > to:
			continue
		case seen, !(p.value >= last): // lost at the first scrape; or fell, or no number
			return 0, false
		}
		last = p.value
		ended = p.ms == to
	}
	return last - base, ended && !math.IsNaN(base) && !math.IsInf(last, 0)
}

// steady tells whether the values from one time to another are all the same.
func (s *series) steady(from, to int64) bool {
	var first *point
	for i, p := range s.points {
		if p.ms < from || p.ms > to {
			continue
		}
		if first == nil {
			first = &s.points[i]
		}
		if p.value != first.value {
			return false
		}
	}
	return true
}
