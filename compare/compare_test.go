package compare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

const source = `perfctl: 1
name: shop
target: { external: true }
services:
  shop: { url: http://127.0.0.1:1, timeout: 2s }
operations:
  buy: { post: shop:/buy, weight: 1 }
load: { rate: 100/s, duration: 10s }
thresholds: [ "buy p95 < 50ms" ]
variants:
  a: { baseline: true }
  b: {}
`

// write makes a run directory with trials of 1,000 arrivals that all took ms.
func write(t *testing.T, change func(*rundir.Manifest), variant string, ms ...int64) string {
	t.Helper()
	dir, err := rundir.Create(t.TempDir(), "run", "shop", time.Unix(1800000000, 0))
	check(t, err)
	m := rundir.Manifest{Kind: "run", ID: filepath.Base(dir.Path()), State: rundir.Complete, ScenarioFile: "shop.yaml", ScenarioName: "shop",
		Scenario: source, ScenarioSHA256: strings.Repeat("ab", 32), Plan: rundir.Plan{Rate: "100/s", Arrivals: "constant", MeasureNS: 10e9, WarmupNS: 0}}
	for i, v := range ms {
		slot := rundir.Slot{Index: i + 1, Block: 1, Pair: i + 1, Label: "A", Variant: variant}
		m.Plan.Slots = append(m.Plan.Slots, slot)
		w, err := dir.NewTrial(strings.Repeat("x", i+1))
		check(t, err)
		check(t, w.Begin(time.Unix(1800000000, 0)))
		h := hdr.New(1000, 600e9, 3)
		check(t, h.RecordValues(v*1e6, 100))
		for s := range int64(10) {
			check(t, w.Histogram(s, rundir.Tag{Operation: "buy", Outcome: "ok", Kind: rundir.Response}, h))
			check(t, w.Ledger(rundir.LedgerLine{Second: s, Measured: true, Scheduled: map[string]int64{"buy": 100},
				Outcomes: map[string]map[string]int64{"buy": {"ok": 100}}}))
		}
		check(t, w.Trial(rundir.Trial{Name: "t", Slot: slot, State: rundir.Complete, MeasureNS: 10e9, Scheduled: 1000, Sent: 1000, Path: "direct, loopback",
			Operations: []rundir.OperationPlan{{Name: "buy", Share: 1, TimeoutNS: 2e9}}}))
		check(t, w.Close())
	}
	if change != nil {
		change(&m)
	}
	check(t, dir.WriteManifest(m))
	return dir.Path()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, arg string) *Side {
	t.Helper()
	s, err := Open(arg)
	check(t, err)
	return s
}

func judge(t *testing.T, a, b string) *result.Result {
	t.Helper()
	r, err := Judge(open(t, a), open(t, b))
	check(t, err)
	if _, err := json.Marshal(r); err != nil {
		t.Fatalf("the result is no JSON: %v", err)
	}
	return r
}

func TestTwiceAsSlowIsStillNoVerdict(t *testing.T) {
	r := judge(t, write(t, nil, "a", 10, 10, 10, 10), write(t, nil, "a", 20, 20, 20, 20))
	if r.Verdict.Status != result.Unclear || r.Verdict.Exit != 3 {
		t.Errorf("verdict %+v, want unclear with exit 3", r.Verdict)
	}
	for _, m := range r.Metrics {
		if m.Verdict != result.Unclear || m.CI95 != nil {
			t.Errorf("%s: verdict %q, interval %v; want none", m.Name, m.Verdict, m.CI95)
		}
		if m.Name != "buy p95" {
			continue
		}
		if m.ChangePct == nil || *m.ChangePct < 99.8 || *m.ChangePct > 100.2 {
			t.Errorf("buy p95 changed by %v %%, want 100", m.ChangePct)
		}
	}
}

func TestUnequalConditionsAreNotComparable(t *testing.T) {
	for name, change := range map[string]func(*rundir.Manifest){
		"rate":            func(m *rundir.Manifest) { m.Plan.Rate = "50/s" },
		"arrivals":        func(m *rundir.Manifest) { m.Plan.Arrivals = "poisson" },
		"measured window": func(m *rundir.Manifest) { m.Plan.MeasureNS = 5e9 },
		"warm-up":         func(m *rundir.Manifest) { m.Plan.WarmupNS = 5e9 },
		"tier":            func(m *rundir.Manifest) { m.Tier = "compose" },
		"timeouts":        func(m *rundir.Manifest) { m.Scenario = strings.Replace(source, "timeout: 2s", "timeout: 3s", 1) },
		"operations":      func(m *rundir.Manifest) { m.Scenario = strings.Replace(source, "weight: 1", "weight: 2", 1) },
	} {
		r := judge(t, write(t, nil, "a", 10), write(t, change, "a", 10))
		if r.Verdict.Status != result.NotComparable || !strings.Contains(r.Verdict.Sentence, name) {
			t.Errorf("%s changed: %s: %q", name, r.Verdict.Status, r.Verdict.Sentence)
		}
		if !verdict.Stops(r.Warnings) {
			t.Errorf("%s changed: no stop warning in %+v", name, r.Warnings)
		}
	}
}

func TestOtherConditionsAreListed(t *testing.T) {
	r := judge(t, write(t, nil, "a", 10), write(t, func(m *rundir.Manifest) {
		m.Seed, m.Git, m.Host.Kernel, m.Host.Cores = 7, "abc", "6.1", 64
	}, "a", 10))
	var got []string
	for _, d := range r.Difference {
		got = append(got, d.Name)
	}
	if diff := cmp.Diff([]string{"seed", "git", "machine", "kernel"}, got); diff != "" {
		t.Error(diff)
	}
	if r.Verdict.Status != result.Unclear {
		t.Errorf("status %s, want unclear", r.Verdict.Status)
	}
}

func TestVariantIsChosen(t *testing.T) {
	two := write(t, func(m *rundir.Manifest) {
		m.Plan.Slots = append(m.Plan.Slots, rundir.Slot{Index: 9, Pair: 1, Label: "B", Variant: "b"})
	}, "a", 10)
	if _, err := Open(two); err == nil || !strings.Contains(err.Error(), "holds the variants a, b; name one") {
		t.Errorf("two variants, none named: %v", err)
	}
	if s := open(t, two+":a"); len(s.Trials) != 1 || s.Variant != "a" {
		t.Errorf("got variant %q with %d trials", s.Variant, len(s.Trials))
	}
	if _, err := Open(two + ":c"); err == nil || !strings.Contains(err.Error(), `holds no variant "c"`) {
		t.Errorf("unknown variant: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("no run directory: %v", err)
	}
}

func TestNoTrialThatCounts(t *testing.T) {
	empty := write(t, func(m *rundir.Manifest) { m.Plan.Slots = []rundir.Slot{{Variant: "a", Pair: 1}} }, "a")
	r := judge(t, write(t, nil, "a", 10), empty)
	want := result.Verdict{Status: result.Unclear, Exit: 3, Sentence: "Nothing to compare: one side has no run that counts."}
	if diff := cmp.Diff(want, r.Verdict); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedDirectoryIsAnError(t *testing.T) {
	dir := write(t, nil, "a", 10)
	check(t, os.WriteFile(filepath.Join(dir, "trials", "x", "ledger.ndjson"), []byte("{broken}\n{}\n"), 0o644))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "ledger.ndjson:1") {
		t.Errorf("error %v, want file and line", err)
	}
}
