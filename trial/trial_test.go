package trial

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/rundir"
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		slot    rundir.Slot
		attempt int
		burnIn  bool
		want    string
	}{
		{rundir.Slot{Index: 0, Label: "A"}, 1, true, "00-A-burn-in"},
		{rundir.Slot{Index: 3, Label: "B"}, 1, false, "03-B"},
		{rundir.Slot{Index: 3, Label: "B"}, 2, false, "03-B-2"},
	} {
		if got := Name(c.slot, c.attempt, c.burnIn); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestOrder is the cycle of a trial as the tier, the system and the watcher see it.
func TestOrder(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	record, err := s.run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range s.once() {
		if line != "GET /metrics" { // at any time
			got = append(got, line)
		}
	}
	want := []string{"phase up", "tier up a", "phase seed", "POST /things", "phase warm-up", "GET /things/", "phase measure",
		"phase drain", "phase collect", "GET /info", "phase down", "tier down (patient: true)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	type counts struct {
		State                        string
		Planned, Scheduled, Sent, OK int64
		Served                       int // with the warm-up
		Seeded                       map[string]int
	}
	if diff := cmp.Diff(counts{rundir.Complete, 100, 50, 50, 50, 100, map[string]int{"things": 3}},
		counts{record.State, record.Planned, record.Scheduled, record.Sent, record.Outcomes["get"]["ok"], s.count("GET /things/"), record.Seeded}); diff != "" {
		t.Error(diff)
	}
	if record.Trial.Path != "direct, loopback" || record.Operations[0].Share != 1 || record.Generator.WallNS == 0 {
		t.Errorf("path %q, operations %v, generator %v", record.Path, record.Operations, record.Generator)
	}
	om, err := os.ReadFile(filepath.Join(record.Path, "metrics.om"))
	if err != nil || !strings.Contains(string(om), "served_total") {
		t.Errorf("scraped %q, %v", om, err)
	}
}

// TestWindowScrapes reads the services at the start and at both ends of the window. The
// load is over as soon as the window is; a slow answer to the last scrape is waited for.
func TestWindowScrapes(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.on = func(r *http.Request) (int, string) {
		if r.URL.Path == "/metrics" && s.count("GET /metrics") == 3 {
			select {
			case <-r.Context().Done():
				s.add("cut off")
			case <-time.After(300 * time.Millisecond): // a slow service
			}
		}
		return 0, ""
	}
	if _, err := s.run(t.Context(), func(r *Runner) { r.Scenario.Observe.Scrape = time.Hour }); err != nil {
		t.Fatal(err)
	}
	if n := s.count("GET /metrics"); n != 3 || s.count("cut off") > 0 {
		t.Errorf("%d scrapes, want 3; %d cut off", n, s.count("cut off"))
	}
}

// TestSteadyWarmup ends the warm-up when the runner's rule says so, and takes the window's
// counters in the window that then begins.
func TestSteadyWarmup(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	record, err := s.run(t.Context(), func(r *Runner) {
		r.Scenario.Warmup.Max = 30e9
		r.Steady = func(seconds []load.Second) bool { return len(seconds) >= 1 }
	})
	if err != nil {
		t.Fatal(err)
	}
	if record.WarmupEndNS >= 30e9 || record.WarmupEndNS%1e9 != 0 || record.Scheduled != 50 || record.Generator.WallNS == 0 {
		t.Errorf("the window began at %d with %d arrivals, generator %v", record.WarmupEndNS, record.Scheduled, record.Generator)
	}
	if n := s.count("phase measure") + s.count("phase drain"); n != 2 {
		t.Errorf("phases %v", s.once())
	}
}

// TestSecrets keeps what must not be stored out of the trial's record and events.
func TestSecrets(t *testing.T) {
	s := newSystem(t)
	s.upErr = errors.New("login with hunter2hunter2 was refused")
	var told []string
	record, _ := s.run(t.Context(), func(r *Runner) {
		r.Scenario.Secrets = []string{"hunter2hunter2"}
		r.Watch.Event = func(_ string, l rundir.EventLine) { told = append(told, l.Text) }
		r.Tier = talkative{s}
	})
	if strings.Contains(record.Error, "hunter2") || strings.Contains(record.Events[0].Text, "hunter2") || strings.Contains(told[0], "hunter2") {
		t.Errorf("error %q, events %v, told %v", record.Error, record.Events, told)
	}
}

func TestPath(t *testing.T) {
	for want, endpoints := range map[string]map[string]string{
		"direct, loopback": {"a": "http://localhost:1", "b": "http://127.0.0.1:2", "c": "http://[::1]:3"},
		"direct, network":  {"a": "http://localhost:1", "b": "http://shop.example:2"},
		"unknown":          {"a": "http://%zz"},
	} {
		if got := path(endpoints); got != want {
			t.Errorf("%v: %s, want %s", endpoints, got, want)
		}
	}
}
