package compare

import (
	"fmt"
	"time"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// A condition is one fact about how a side was measured.
type condition struct {
	name  string
	of    func(*Side) string
	equal bool // must be equal for the two to be the same test
}

const pathName = "path"

// conditions lists what makes two runs the same test, and what else is recorded.
func conditions() []condition {
	return []condition{
		{"rate", func(s *Side) string { return s.Manifest.Plan.Rate }, true},
		{"arrivals", func(s *Side) string { return s.Manifest.Plan.Arrivals }, true},
		{"measured window", func(s *Side) string { return time.Duration(s.Manifest.Plan.MeasureNS).String() }, true},
		{"warm-up", func(s *Side) string { return time.Duration(s.Manifest.Plan.WarmupNS).String() }, true},
		{"operations", func(s *Side) string { return mix(s.Scenario) }, true},
		{"timeouts", func(s *Side) string { return timeouts(s.Scenario) }, true},
		{"seeded data", seeded, true},
		{pathName, path, true},
		{"tier", func(s *Side) string { return s.Manifest.Tier }, true},
		{"seed", func(s *Side) string { return fmt.Sprint(s.Manifest.Seed) }, false},
		{"scenario text", func(s *Side) string { return s.Manifest.ScenarioSHA256[:min(12, len(s.Manifest.ScenarioSHA256))] }, false},
		{"perfctl", func(s *Side) string { return s.Manifest.Perfctl }, false},
		{"git", func(s *Side) string { return s.Manifest.Git }, false},
		{"machine", func(s *Side) string { return machine(s.Manifest.Host) }, false},
		{"kernel", func(s *Side) string { return s.Manifest.Host.Kernel }, false},
		{"governor", func(s *Side) string { return s.Manifest.Host.Governor }, false},
	}
}

func machine(h rundir.Host) string {
	return fmt.Sprintf("%s %s, %d cores, %d MiB", h.Hostname, h.CPU, h.Cores, h.MemoryMB)
}

func mix(sc *scenario.Scenario) string {
	var s string
	for _, op := range sc.Operations {
		s += fmt.Sprintf("%s:%d ", op.Name, op.Weight)
		if c := op.Completion; c != nil {
			s += fmt.Sprintf("(%s %g) ", c.Name, c.Sample)
		}
	}
	return s
}

func timeouts(sc *scenario.Scenario) string {
	var s string
	for _, svc := range sc.Services {
		s += fmt.Sprintf("%s:%v ", svc.Name, svc.Timeout)
	}
	for _, op := range sc.Operations {
		if op.Completion != nil {
			s += fmt.Sprintf("%s:%v ", op.Completion.Name, op.Completion.Timeout)
		}
	}
	return s
}

func seeded(s *Side) string {
	var text string
	for _, x := range s.Scenario.Seed {
		text += fmt.Sprintf("%s:%d ", x.Name, x.Count)
	}
	return text
}

func path(s *Side) string {
	if len(s.Trials) == 0 {
		return ""
	}
	return s.Trials[0].TrialRecord.Trial.Path
}

// unlike compares the conditions: those that must be equal give stop warnings, all that
// differ are listed.
func unlike(a, b *Side) ([]result.Warning, []result.Difference) {
	var ws []result.Warning
	var diff []result.Difference
	for _, c := range conditions() {
		x, y := c.of(a), c.of(b)
		if x == y || c.name == pathName && (x == "" || y == "") { // a side without trials has no path
			continue
		}
		diff = append(diff, result.Difference{Name: c.name, A: x, B: y})
		if c.equal {
			ws = append(ws, result.Warning{Code: verdict.Unequal, Level: verdict.Stop,
				Seen: fmt.Sprintf("%s differs: A %s, B %s", c.name, x, y), Effect: "the two are not the same test", Action: "repeat one of them with the other's " + c.name})
		}
	}
	return ws, append(diff, settings(a, b)...)
}

// settings lists the observed settings and facts of the system under test that differ.
func settings(a, b *Side) []result.Difference {
	if len(a.Trials) == 0 || len(b.Trials) == 0 {
		return nil
	}
	of := func(s *Side) map[string]string {
		m := map[string]string{}
		for _, x := range append(append([]rundir.Setting{}, s.Trials[0].Observed...), s.Trials[0].Facts...) {
			m[x.Where+" "+x.Name] = x.Value
		}
		return m
	}
	x, y := of(a), of(b)
	var out []result.Difference
	for _, name := range sortedKeys(x, y) {
		if x[name] != y[name] {
			out = append(out, result.Difference{Name: name, A: x[name], B: y[name]})
		}
	}
	return out
}
