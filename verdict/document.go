package verdict

import (
	"bytes"
	"fmt"
	"time"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
)

// StoredScenario parses the scenario text kept in a manifest. Its secrets were masked
// when it was stored, and its environment and feeder files may be gone.
func StoredScenario(m rundir.Manifest) (*scenario.Scenario, error) {
	sc, problems := scenario.ParseStored(m.ScenarioFile, []byte(m.Scenario))
	if sc == nil {
		return nil, fmt.Errorf("the run directory's scenario: %w", problems)
	}
	return sc, nil
}

// RunOf is the identity of a run directory.
func RunOf(m rundir.Manifest, sc *scenario.Scenario) result.Run {
	r := result.Run{ID: m.ID, Started: m.Started.UTC(), Seed: m.Seed, Scenario: m.ScenarioName, Description: sc.Description, Notes: sc.Notes,
		ScenarioSHA256: m.ScenarioSHA256, Tier: m.Tier, Git: m.Git, GitDirty: m.GitDirty, Perfctl: m.Perfctl,
		Host:   fmt.Sprintf("%s, %d cores, %d MiB, %s %s", m.Host.CPU, m.Host.Cores, m.Host.MemoryMB, m.Host.OS, m.Host.Kernel),
		Repeat: repeat(m.Command), Quick: m.Plan.Quick, Interrupted: m.State == rundir.Interrupted}
	if !m.Ended.IsZero() {
		r.Seconds = m.Ended.Sub(m.Started).Seconds()
	}
	return r
}

func repeat(command []string) string {
	var b bytes.Buffer
	for i, c := range command {
		if i > 0 {
			b.WriteByte(' ')
		}
		if c == "" || bytes.ContainsAny([]byte(c), " \t\"'$`\\;&|<>(){}*?!#~") {
			fmt.Fprintf(&b, "'%s'", bytes.ReplaceAll([]byte(c), []byte("'"), []byte(`'\''`)))
			continue
		}
		b.WriteString(c)
	}
	return b.String()
}

// Environment is the record of machine, tool and system under test; last is any
// trial of the run, or nil.
func Environment(m rundir.Manifest, last *facts.Trial) []result.Setting {
	out := []result.Setting{
		{Name: "perfctl", Value: m.Perfctl},
		{Name: "machine", Value: fmt.Sprintf("%s, %d cores, %d MiB", m.Host.CPU, m.Host.Cores, m.Host.MemoryMB)},
		{Name: "system", Value: m.Host.OS + " " + m.Host.Kernel},
		{Name: "tier", Value: m.Tier},
		{Name: "load", Value: fmt.Sprintf("%s, %s arrivals, at most %d in flight", m.Plan.Rate, m.Plan.Arrivals, m.Plan.MaxInFlight)},
		{Name: "seed", Value: fmt.Sprint(m.Seed)},
		{Name: "scenario", Value: fmt.Sprintf("%s, sha256 %.16s", m.ScenarioFile, m.ScenarioSHA256)},
	}
	if m.Host.Governor != "" {
		out = append(out, result.Setting{Name: "CPU governor", Value: m.Host.Governor})
	}
	if m.Git != "" {
		out = append(out, result.Setting{Name: "git", Value: m.Git})
	}
	if last == nil {
		return out
	}
	for _, f := range last.Facts {
		out = append(out, result.Setting{Name: f.Where + " " + f.Name, Value: f.Value})
	}
	return out
}

// Files lists the run directory.
func Files() []result.File {
	return []result.File{
		{Path: "report.html", What: "this report"},
		{Path: "report.md", What: "the same as Markdown"},
		{Path: "result.json", What: "the judged document, schema " + result.Schema},
		{Path: "junit.xml", What: "one test case per metric and threshold"},
		{Path: "manifest.json", What: "what was planned, with what, and how it ended"},
		{Path: "scenario.yaml", What: "the scenario, secrets masked"},
		{Path: "trials/", What: "facts of each trial: trial.json, latency.hlog, ledger, completions, resources, events, slow, metrics.om, logs"},
	}
}

// Duration prints nanoseconds as people write them: 3m, 45s.
func Duration(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d%time.Hour == 0 && d > 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0 && d > 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// ThresholdOn is the tightest latency threshold in ms on an operation, or nil.
func ThresholdOn(ts []scenario.Threshold, subject string) *float64 {
	var limit *float64
	for _, t := range ts {
		if t.Subject == subject && t.Unit == "ms" && (t.Op == "<" || t.Op == "<=") && (limit == nil || t.Value < *limit) {
			limit = &t.Value
		}
	}
	return limit
}

// RateOf is the plan's rate, exactly.
func RateOf(p rundir.Plan) (arrival.Rate, error) { return arrival.ParseRate(p.Rate) }
