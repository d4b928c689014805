package trial

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/tier"
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

// TestEndsOfATrial goes through what can go wrong. Whatever it is, what came up goes down,
// and the folder is readable and says why.
func TestEndsOfATrial(t *testing.T) {
	refuse := func(path string, status int) func(*http.Request) (int, string) {
		return func(r *http.Request) (int, string) {
			if r.URL.Path == path {
				return status, `{"code":"BROKEN"}`
			}
			return 0, ""
		}
	}
	missed := tier.Difference{Where: "s", Name: "$.engine", Asked: "fast", Observed: "slow", Proof: "GET s:/info $.engine"}
	for _, c := range []struct {
		name     string
		change   func(s *system)
		state    string
		is       error
		contains string
		down     int
		load     bool
	}{
		{name: "up fails", change: func(s *system) { s.upErr = errors.New("port 1 is taken") },
			state: rundir.FailedState, contains: "variant a: port 1 is taken"},
		{name: "the variant is not applied", change: func(s *system) { s.untreated = []tier.Difference{missed} },
			state: rundir.FailedState, is: ErrTreatment, contains: `s $.engine: asked "fast", observed "slow"`, down: 1},
		{name: "seeding fails", change: func(s *system) { s.on = refuse("/things", 500) },
			state: rundir.FailedState, contains: "seed things: 0 of 3 created", down: 1},
		{name: "the setting is lost under load", change: func(s *system) {
			s.on = func(r *http.Request) (int, string) {
				if r.URL.Path == "/info" {
					return 200, `{"engine":"slow"}`
				}
				return 0, ""
			}
		}, state: rundir.FailedState, is: ErrTreatment, contains: "after the load: variant a: the variant was not applied", down: 1, load: true},
		{name: "down fails", change: func(s *system) { s.downErr = errors.New("port 1 is still taken") },
			state: rundir.FailedState, contains: "variant a: port 1 is still taken", down: 1, load: true},
		{name: "a program ends under load", change: func(s *system) {
			s.on = func(r *http.Request) (int, string) {
				if s.count("GET /things/") == 60 {
					s.exited <- tier.Exit{Program: "shop", PID: 7, Code: 3, Log: []string{"out of memory"}}
				}
				return 0, ""
			}
		}, state: rundir.FailedState, contains: "program shop (pid 7) ended with exit code 3\n    | out of memory", down: 1, load: true},
		{name: "a program ends while it is seeded", change: func(s *system) {
			s.on = func(r *http.Request) (int, string) {
				if s.count("POST /things") == 1 {
					s.exited <- tier.Exit{Program: "shop", PID: 7, Signal: "killed"}
				}
				return 500, "dying"
			}
		}, state: rundir.FailedState, contains: "program shop (pid 7) was ended by a signal: killed", down: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSystem(t)
			c.change(s)
			record, err := s.run(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), c.contains) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v, want %q", err, c.contains)
			}
			if record.State != c.state || !strings.Contains(record.Error, c.contains) {
				t.Errorf("state %s, error %q", record.State, record.Error)
			}
			if got := s.count("tier down (patient: true)"); got != c.down {
				t.Errorf("went down %d times, want %d", got, c.down)
			}
			if got := s.count("GET /things/") > 0; got != c.load {
				t.Errorf("load sent: %t, want %t", got, c.load)
			}
		})
	}
}

// TestLostSetting keeps what was seen last, from which the judge sees the treatment.
func TestLostSetting(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.on = func(r *http.Request) (int, string) {
		if r.URL.Path == "/info" {
			return 200, `{"engine":"slow"}`
		}
		return 0, ""
	}
	record, _ := s.run(t.Context(), nil)
	want := []rundir.Setting{{Where: "s", Name: "$.engine", Value: "slow", Proof: "GET s:/info $.engine"}}
	if diff := cmp.Diff(want, record.Observed); diff != "" {
		t.Error(diff)
	}
}

// TestInterrupted stops the arrivals, waits for the answers and goes down with patience.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.on = func(r *http.Request) (int, string) {
		if s.count("GET /things/") == 75 {
			cancel(errors.New("interrupted by the user"))
		}
		return 0, ""
	}
	record, err := s.run(ctx, nil)
	if err == nil || !strings.Contains(err.Error(), "interrupted by the user") {
		t.Error(err)
	}
	if record.State != rundir.Interrupted || record.Error != "interrupted by the user" || !record.Cut {
		t.Errorf("state %s, error %q, cut %t", record.State, record.Error, record.Cut)
	}
	var ledger int64
	for _, l := range record.Ledger {
		for _, n := range l.Outcomes["get"] {
			ledger += n
		}
	}
	if sent := int64(s.count("GET /things/")); sent >= 100 || ledger != sent {
		t.Errorf("the system was sent %d of 100, the ledger has %d", sent, ledger)
	}
	if s.count("tier down (patient: true)") != 1 {
		t.Error("it did not go down")
	}
}

// TestInterruptedBeforeLoad sends none.
func TestInterruptedBeforeLoad(t *testing.T) {
	s := newSystem(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.on = func(r *http.Request) (int, string) {
		cancel()
		return 0, ""
	}
	record, err := s.run(ctx, nil)
	if !errors.Is(err, context.Canceled) || record.State != rundir.Interrupted || s.count("GET /things/") != 0 {
		t.Errorf("%v, state %s, %d sent", err, record.State, s.count("GET /things/"))
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
