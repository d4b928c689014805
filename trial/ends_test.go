package trial

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/tier"
)

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
