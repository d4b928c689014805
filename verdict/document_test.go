package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

func TestDocument(t *testing.T) {
	for ns, want := range map[int64]string{0: "0s", 45e9: "45s", 90e9: "1m30s", 180e9: "3m", 7200e9: "2h", 500e6: "500ms"} {
		if got := verdict.Duration(ns); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if _, err := verdict.StoredScenario(rundir.Manifest{ScenarioFile: "x.yaml", Scenario: "perfctl: 1\nx: 1\n"}); err == nil || err.Error()[:32] != "the run directory's scenario: x.y"[:32] {
		t.Errorf("got %v", err)
	}
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	m := rundir.Manifest{ID: "id", Command: []string{"perfctl", "run", "", "it's"}, Started: at, Ended: at.Add(90 * time.Second), State: rundir.Interrupted, Git: "abc", Tier: "process",
		ScenarioFile: "x.yaml", ScenarioSHA256: "0123456789abcdef0123", Host: rundir.Host{CPU: "c", Cores: 2, MemoryMB: 3, OS: "linux", Kernel: "6", Governor: "performance"},
		Plan: rundir.Plan{Rate: "50/s", Arrivals: "poisson", MaxInFlight: 9, Quick: true}, ScenarioName: "x", Seed: 5, Perfctl: "1"}
	sc, err := verdict.StoredScenario(rundir.Manifest{ScenarioFile: "x.yaml", Scenario: minimal})
	if err != nil {
		t.Fatal(err)
	}
	want := result.Run{ID: "id", Started: at, Seconds: 90, Seed: 5, Scenario: "x", Tier: "process", Git: "abc", Perfctl: "1", Host: "c, 2 cores, 3 MiB, linux 6",
		ScenarioSHA256: m.ScenarioSHA256, Repeat: `perfctl run '' 'it'\''s'`, Interrupted: true, Quick: true}
	if diff := cmp.Diff(want, verdict.RunOf(m, sc)); diff != "" {
		t.Error(diff)
	}
	last := healthy().Facts()
	last.Facts = []rundir.Setting{{Where: "shop", Name: "version", Value: "2"}}
	wantEnv := []result.Setting{{Name: "perfctl", Value: "1"}, {Name: "machine", Value: "c, 2 cores, 3 MiB"}, {Name: "system", Value: "linux 6"}, {Name: "tier", Value: "process"},
		{Name: "load", Value: "50/s, poisson arrivals, at most 9 in flight"}, {Name: "seed", Value: "5"}, {Name: "scenario", Value: "x.yaml, sha256 0123456789abcdef"},
		{Name: "CPU governor", Value: "performance"}, {Name: "git", Value: "abc"}, {Name: "shop version", Value: "2"}}
	if diff := cmp.Diff(wantEnv, verdict.Environment(m, last)); diff != "" {
		t.Error(diff)
	}
	if got := verdict.Environment(m, nil); len(got) != 9 {
		t.Errorf("got %v", got)
	}
	if r, err := verdict.RateOf(m.Plan); err != nil || r.PerSecond() != 50 {
		t.Errorf("got %v, %v", r, err)
	}
}

const minimal = `perfctl: 1
name: shop
target: { external: true }
services:
  shop: { url: http://127.0.0.1:1 }
operations:
  op: { post: shop:/buy, weight: 1 }
load: { rate: 100/s, duration: 10s }
`
