package observe

// Delta is how much the counters of this name and these labels, all series together,
// grew over the measured window. A label not named matches any value; "service" names
// one service. It is known only when every service asked answered at both ends, none of
// them was started anew, and no series fell or vanished in between.
func (s *Scraper) Delta(name string, labels map[string]string) (float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.endpoints {
		if want, ok := labels["service"]; ok && want != e.Service {
			continue
		}
		if !s.whole(e.Service) {
			return 0, false
		}
	}
	sum, found := 0.0, false
	for _, one := range s.store.series {
		if one.name != name || !one.has(labels) {
			continue
		}
		service := one.label("service")
		grown, ok := one.growth(s.begin[service], s.end[service])
		if !ok {
			return 0, false
		}
		sum += grown
		found = true
	}
	return sum, found
}

// whole tells whether a service answered at both ends of the window as one process.
func (s *Scraper) whole(service string) bool {
	from, ok := s.begin[service]
	if !ok {
		return false
	}
	to, ok := s.end[service]
	if !ok {
		return false
	}
	want := map[string]string{"service": service}
	for _, one := range s.store.series {
		if one.name == "process_start_time_seconds" && one.has(want) && !one.steady(from, to) {
			return false
		}
	}
	return true
}
