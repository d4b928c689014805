package trial

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenarios"
	"github.com/perfctl/perfctl/tier/process"
)

// shopRun runs one trial of the shipped scenario on the bundled system, which is this
// test binary started again.
func shopRun(t *testing.T, ctx context.Context, change func(*Runner)) (*rundir.TrialRecord, error) {
	t.Helper()
	sc, problems, err := scenarios.Open(t.TempDir(), "community-vs-tpc")
	if err != nil || problems.Failed() {
		t.Fatal(err, problems)
	}
	for i := range sc.Seed {
		sc.Seed[i].Count = 5
	}
	sc.Observe.Resources, sc.Observe.Scrape = 200*time.Millisecond, 500*time.Millisecond
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	system, err := process.New(sc, process.Options{Self: self, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := rundir.Create(t.TempDir(), "run", "shop", clock())
	if err != nil {
		t.Fatal(err)
	}
	rate, err := arrival.ParseRate("100/s")
	if err != nil {
		t.Fatal(err)
	}
	slot := rundir.Slot{Index: 2, Block: 1, Pair: 1, Label: "B", Variant: "tpc", Seed: 5}
	r := &Runner{Dir: dir, Scenario: sc, Tier: system, Rate: rate, Now: clock,
		Plan: rundir.Plan{Rate: "100/s", Arrivals: "poisson", WarmupNS: 1e9, MeasureNS: 2e9, DrainNS: 10e9, MaxInFlight: 200, Slots: []rundir.Slot{slot}}}
	if change != nil {
		change(r)
	}
	name, err := r.Run(ctx, slot, 1)
	record, readErr := dir.Trial(name)
	if readErr != nil {
		t.Fatalf("the trial cannot be read: %v", readErr)
	}
	down(t, system)
	return record, err
}

// down demands that nothing answers any more: the ports are free again.
func down(t *testing.T, system *process.Tier) {
	t.Helper()
	if err := system.Preflight(context.Background()); err != nil {
		t.Errorf("something is left: %v", err)
	}
}

// TestShop measures the real thing and holds its files against one another.
func TestShop(t *testing.T) {
	t.Parallel()
	record, err := shopRun(t, t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if record.State != rundir.Complete || len(record.CutFiles) > 0 {
		t.Fatalf("state %s, cut files %v", record.State, record.CutFiles)
	}
	fromLedger, scheduled, sent := map[string]map[string]int64{}, int64(0), int64(0)
	for _, l := range record.Ledger {
		sent += l.Sent
		if !l.Measured {
			continue
		}
		for op, outcomes := range l.Outcomes {
			for o, n := range outcomes {
				if fromLedger[op] == nil {
					fromLedger[op] = map[string]int64{}
				}
				fromLedger[op][o] += n
			}
		}
		for _, op := range record.Operations {
			scheduled += l.Scheduled[op.Name]
		}
	}
	for _, op := range record.Operations {
		for o, n := range record.Outcomes[op.Name] {
			if got := fromLedger[op.Name][o]; got != n {
				t.Errorf("%s %s: %d in the record, %d in the ledger", op.Name, o, n, got)
			}
		}
	}
	if scheduled != record.Scheduled || sent != record.Planned || record.Sent+record.Unsent != record.Scheduled {
		t.Errorf("ledger: %d scheduled, %d sent; record: %d planned, %d scheduled, %d sent, %d unsent",
			scheduled, sent, record.Planned, record.Scheduled, record.Sent, record.Unsent)
	}
	histograms(t, record, fromLedger)
	want := []string{"account", "inventory", "order", "payment"}
	om, err := os.ReadFile(filepath.Join(record.Path, "metrics.om"))
	if err != nil {
		t.Fatal(err)
	}
	for _, service := range want {
		if !strings.Contains(string(om), `service="`+service+`"`) {
			t.Errorf("metrics.om has nothing of %s", service)
		}
	}
	log, err := os.ReadFile(filepath.Join(record.Path, "logs", "orderflow.log"))
	if err != nil || !strings.Contains(string(log), "orderflow is open") {
		t.Errorf("log %q, %v", log, err)
	}
	if len(record.Resources) < 3 || len(record.Completions) == 0 || len(record.Slow) == 0 || record.HostUse == (rundir.HostUse{}) {
		t.Errorf("%d resource samples, %d completions, %d slow, host %v", len(record.Resources), len(record.Completions), len(record.Slow), record.HostUse)
	}
	if diff := cmp.Diff(map[string]int{"customers": 5, "products": 5}, record.Seeded); diff != "" {
		t.Error(diff)
	}
	engine := rundir.Setting{Where: "order", Name: "$.settings.engine", Value: "tpc", Proof: "GET order:/actuator/info $.settings.engine"}
	if !slices.Contains(record.Observed, engine) {
		t.Errorf("observed %v", record.Observed)
	}
	var kinds []string
	for _, e := range record.Events {
		kinds = append(kinds, e.Kind)
	}
	if diff := cmp.Diff([]string{"start", "ready", "stop"}, kinds); diff != "" {
		t.Errorf("events: %s", diff)
	}
}

// histograms demands that each measured outcome has as many values as it was counted.
func histograms(t *testing.T, record *rundir.TrialRecord, counted map[string]map[string]int64) {
	t.Helper()
	got := map[string]map[string]int64{}
	cut, err := rundir.ReadHistograms(record.Path, func(second int64, tag rundir.Tag, h *hdr.PackedHistogram) error {
		if tag.Kind == rundir.Response && second*1e9 >= record.WarmupEndNS {
			if got[tag.Operation] == nil {
				got[tag.Operation] = map[string]int64{}
			}
			got[tag.Operation][tag.Outcome] += h.TotalCount()
		}
		return nil
	})
	if err != nil || cut {
		t.Fatalf("cut %t, %v", cut, err)
	}
	for op, outcomes := range counted {
		maps.DeleteFunc(outcomes, func(_ string, n int64) bool { return n == 0 })
		if len(outcomes) == 0 {
			delete(counted, op)
		}
	}
	if diff := cmp.Diff(counted, got); diff != "" {
		t.Errorf("ledger and histograms: %s", diff)
	}
}

// TestShopDies kills the program under load.
func TestShopDies(t *testing.T) {
	t.Parallel()
	record, err := shopRun(t, t.Context(), func(r *Runner) {
		r.Plan.MeasureNS = 60e9
		var pid int
		r.Watch.Event = func(_ string, l rundir.EventLine) {
			if l.Kind == "start" {
				pid = startedPID(t, l.Text)
			}
		}
		r.Watch.Phase = func(_, phase string) {
			if phase == "measure" {
				killProcess(t, pid)
			}
		}
	})
	if err == nil || record.State != rundir.FailedState {
		t.Fatalf("state %s, %v", record.State, err)
	}
	for _, want := range []string{"program orderflow (pid ", "was ended by a signal: killed", "| orderflow is open"} {
		if !strings.Contains(record.Error, want) {
			t.Errorf("%q is not in %s", want, record.Error)
		}
	}
	if !record.Cut || record.Planned == 0 || len(record.Ledger) == 0 {
		t.Errorf("cut %t, planned %d, %d seconds", record.Cut, record.Planned, len(record.Ledger))
	}
}

// TestShopInterrupted keeps what was measured until then.
func TestShopInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	record, err := shopRun(t, ctx, func(r *Runner) {
		r.Plan.MeasureNS = 60e9
		r.Watch.Phase = func(_, phase string) {
			if phase == "measure" {
				cancel(errors.New("interrupt signal received"))
			}
		}
	})
	if err == nil || record.State != rundir.Interrupted || record.Error != "interrupt signal received" || !record.Cut {
		t.Errorf("state %s, error %q, cut %t, %v", record.State, record.Error, record.Cut, err)
	}
	if record.Planned == 0 || len(record.Ledger) == 0 || len(record.CutFiles) > 0 {
		t.Errorf("planned %d, %d seconds, cut files %v", record.Planned, len(record.Ledger), record.CutFiles)
	}
}
