package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
)

// Limits beyond which a trial does not count.
const (
	LateFloor    = time.Millisecond // lateness p99 above this and above LateShare of the median
	LateShare    = .05
	OwnCPULimit  = .80
	LeastSent    = .99
	StealLimit   = .02
	ForeignLimit = .10
	ClockLimit   = 10 * time.Millisecond
)

// A Validity says whether a trial counts, and if not whose fault that is.
type Validity struct {
	Valid    bool
	Own      bool // the cause is the generator or its machine, so a re-run may help
	Capped   bool // an otherwise healthy generator reached its limit of requests in flight
	Why      string
	Warnings []result.Warning
}

// Check judges one trial on its own.
func Check(t *facts.Trial) Validity {
	v := Validity{Valid: true}
	add := func(code, seen, action string) {
		v.Valid, v.Own = false, true
		v.Why = joinWhy(v.Why, code+": "+seen)
		v.Warnings = append(v.Warnings, result.Warning{Code: code, Level: Limit, Trial: t.Name, Variant: t.Slot.Variant,
			Seen: seen, Effect: "the trial does not count", Action: action})
	}
	if t.State != rundir.Complete {
		v.Valid, v.Why = false, "the trial did not end: "+cmp.Or(t.Error, t.State)
		return v
	}
	if t.Damage != "" {
		add(Damaged, "its files contradict each other: "+t.Damage, "run it again; look for a full disk")
		v.Own = false
		return v
	}
	generatorChecks(t, add)
	hostChecks(t.HostUse, add)
	v.Capped = t.CapHit > 0 && cpuShare(t) <= OwnCPULimit && !slices.ContainsFunc(v.Warnings, func(w result.Warning) bool { return w.Code == Host })
	if !AtLoad(t) {
		v.Warnings = append(v.Warnings, result.Warning{Code: NotAtLoad, Level: Limit, Trial: t.Name, Variant: t.Slot.Variant,
			Seen:   fmt.Sprintf("%.1f %% of the scheduled arrivals were sent", SentPercent(t)),
			Effect: "its times are not compared: they are those of another load", Action: "lower the rate"})
	}
	v.Warnings = append(v.Warnings, behaviour(t)...)
	return v
}

// generatorChecks find a trial whose times are the generator's own.
func generatorChecks(t *facts.Trial, add func(code, seen, action string)) {
	limit := LateFloor
	if m := smallestMedian(t); !math.IsInf(m, 1) {
		limit = max(limit, time.Duration(LateShare*m))
	}
	if late := time.Duration(t.TrialRecord.Lateness.P99); late > limit {
		add(Late, fmt.Sprintf("lateness p99 %s, above %s", facts.Time(float64(late)), facts.Time(float64(limit))),
			"lower the rate, or give the generator cores of its own")
	}
	if t.CapHit > 0 {
		add(GenSat, fmt.Sprintf("%d arrivals waited for the limit of requests in flight (%d at once)", t.CapHit, t.InFlightMax),
			"raise load.max_in_flight, or lower the rate")
	}
	if n := clientFailures(t); n > 0 {
		add(GenSat, fmt.Sprintf("%d requests failed in the generator itself", n), "see the error ledger; raise the limits of ports and descriptors")
	}
	if share := cpuShare(t); share > OwnCPULimit {
		add(GenSat, fmt.Sprintf("the generator used %.0f %% of its %d cores", 100*share, t.Generator.Cores),
			"lower the rate, or give the generator more cores")
	}
}

// cpuShare is the generator's own CPU, of its cores; 0 where it is not known.
func cpuShare(t *facts.Trial) float64 {
	g := t.Generator
	if g.WallNS <= 0 || g.Cores <= 0 {
		return 0
	}
	return float64(g.CPUNS) / float64(g.WallNS) / float64(g.Cores)
}

func clientFailures(t *facts.Trial) int64 {
	var n int64
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			n += o.Outcomes["client"]
		}
	}
	return n
}

// AtLoad reports whether the trial was sent the load it was meant to have.
func AtLoad(t *facts.Trial) bool { return float64(t.Sent) >= LeastSent*float64(t.Scheduled) }

func smallestMedian(t *facts.Trial) float64 {
	least := math.Inf(1)
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			least = min(least, o.Ranked().Quantile(.5).NS)
		}
	}
	return least
}

func hostChecks(h rundir.HostUse, add func(code, seen, action string)) {
	if !h.Known {
		return
	}
	if h.StealShare > StealLimit {
		add(Host, fmt.Sprintf("the hypervisor withheld %.1f %% of the CPU", 100*h.StealShare), "use a quieter machine")
	}
	if h.OtherKnown && h.OtherShare > ForeignLimit {
		add(Host, fmt.Sprintf("other programs used %.1f %% of the CPU", 100*h.OtherShare), "stop them, or use a quieter machine")
	}
	if h.SwapBytes > 0 {
		add(Host, fmt.Sprintf("%.1f MiB were swapped", float64(h.SwapBytes)/(1<<20)), "free memory")
	}
	if step := time.Duration(h.ClockStep).Abs(); step > ClockLimit {
		add(Host, fmt.Sprintf("the clock was set by %v", step.Round(time.Millisecond)), "stop what sets the clock during a test")
	}
}

// behaviour names what the system under test did that is not a reason to discard the trial.
func behaviour(t *facts.Trial) []result.Warning {
	var ws []result.Warning
	for _, u := range t.Usages() {
		if u.Restarts > 0 {
			ws = append(ws, result.Warning{Code: Restart, Level: Limit, Trial: t.Name, Variant: t.Slot.Variant,
				Seen: fmt.Sprintf("%s restarted %d times", u.Name, u.Restarts), Effect: "the trial counts; its times hold the restart"})
		}
		if u.Limit > 0 && float64(u.MemMax) >= .98*float64(u.Limit) {
			ws = append(ws, result.Warning{Code: Ceiling, Level: Limit, Trial: t.Name, Variant: t.Slot.Variant,
				Seen:   fmt.Sprintf("%s reached its memory limit (%.0f of %.0f MiB)", u.Name, mib(u.MemMax), mib(u.Limit)),
				Effect: "the trial counts; it ran at the limit"})
		}
	}
	return ws
}

func mib(b int64) float64 { return float64(b) / (1 << 20) }

func joinWhy(a, b string) string { return strings.TrimPrefix(a+"; "+b, "; ") }
