package scenario

import (
	"fmt"
	"time"

	"gopkg.in/yaml.v3"
)

// load reads how much is sent and when.
func (r *reader) load(n *yaml.Node) {
	if n == nil {
		return
	}
	f := r.fields(n, "load", "load", "rate", "duration", "arrivals", "max_in_flight")
	l := &r.out.Load
	if n.Kind != yaml.MappingNode {
		return
	}
	if f["rate"] == nil {
		r.require(n, "load", "rate", "rate: 50/s")
	} else {
		l.RatePos = r.pos(f["rate"])
		l.Rate = r.rate(f["rate"], "rate")
	}
	if f["duration"] == nil {
		r.require(n, "load", "duration", "duration: 3m")
	} else {
		l.Duration = r.duration(f["duration"], "duration", time.Second)
	}
	if f["arrivals"] != nil {
		l.Poisson = r.oneOf(f["arrivals"], "arrivals", "constant", "uniform", "poisson") == "poisson"
	}
	if m := f["max_in_flight"]; m != nil && (m.Kind != yaml.ScalarNode || m.Value != "auto") {
		l.MaxInFlight = int(r.integer(m, "max_in_flight (or auto)", 1, 1_000_000))
	}
}

// warmup reads what is sent before the measured window.
func (r *reader) warmup(n *yaml.Node) {
	if n == nil {
		return
	}
	f := r.fields(n, "warmup", "warmup", "for", "until", "max")
	if n.Kind != yaml.MappingNode {
		return
	}
	w := &r.out.Warmup
	if f["for"] == nil {
		r.require(n, "warmup", "time", "for: 45s")
	} else {
		w.For = r.duration(f["for"], "for", 0)
	}
	if f["until"] != nil {
		w.UntilSteady = r.oneOf(f["until"], "until", "steady") == "steady"
	}
	switch {
	case f["max"] != nil && f["until"] == nil:
		r.errorAt(f["max"], "max has no effect without until: steady", "add until: steady, or remove max")
	case f["max"] != nil:
		if w.Max = r.duration(f["max"], "max", time.Millisecond); w.Max > 0 && w.Max < w.For {
			r.errorAt(f["max"], fmt.Sprintf("max is shorter than for, %v", w.For), "")
		}
	case w.UntilSteady:
		r.errorAt(f["until"], "until: steady needs a limit", "add max: 3m")
	}
}

// reset reads what happens between trials. The default is the cleanest that the target
// allows.
func (r *reader) reset(n *yaml.Node) {
	external := r.out.Target.Process == nil
	switch {
	case !external:
		r.out.Reset.Do = "recreate"
	case len(r.out.Seed) > 0:
		r.out.Reset.Do = "reseed"
	default:
		r.out.Reset.Do = "none"
	}
	if n == nil {
		return
	}
	f := r.fields(n, "reset", "reset", "do")
	if f["do"] == nil {
		if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
			r.require(n, "reset", "action", "do: recreate, reseed or none")
		}
		return
	}
	do := r.oneOf(f["do"], "do", "recreate", "reseed", "none")
	switch {
	case do == "recreate" && external:
		r.errorAt(f["do"], "perfctl cannot recreate a target that it does not start", "write do: reseed or none")
	case do == "reseed" && len(r.out.Seed) == 0:
		r.errorAt(f["do"], "there is no seed to create again", "add seed:, or write do: none")
	case do == "none" && len(r.out.Seed) > 0:
		r.errorAt(f["do"], "the seed is created again before each trial", "write do: reseed")
	case do != "" && do != "recreate" && !external:
		r.errorAt(f["do"], "programs are started from nothing before each trial", "write do: recreate")
	case do != "":
		r.out.Reset.Do = do
	}
}

// observe reads how often the system under test is looked at.
func (r *reader) observe(n *yaml.Node) {
	o := &r.out.Observe
	o.Resources, o.Scrape = time.Second, 5*time.Second
	if n == nil {
		return
	}
	f := r.fields(n, "observe", "observe", "resources", "scrape")
	if f["resources"] != nil {
		o.Resources = r.duration(f["resources"], "resources", 100*time.Millisecond)
		if r.out.Target.Process == nil {
			r.errorAt(f["resources"], "resources has no effect: perfctl does not start the processes of this target", "remove it")
		}
	}
	if f["scrape"] != nil {
		o.Scrape = r.duration(f["scrape"], "scrape", 100*time.Millisecond)
		for _, s := range r.out.Services {
			if s.Metrics != "" {
				return
			}
		}
		r.errorAt(f["scrape"], "scrape has no effect: no service has metrics", "add metrics: /path to a service")
	}
}
