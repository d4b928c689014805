// Package tiertest answers: does a tier keep the promises of package tier? It is one
// suite of tests that every tier runs: clean, ready, different, and after Down nothing
// is left.
package tiertest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

// A System is a tier.
type System interface {
	Preflight(context.Context) error
	Up(ctx context.Context, v *scenario.Variant, dir string, event func(rundir.EventLine)) (*tier.Instance, error)
}

// A Fault is what is wrong with the system under test.
type Fault string

// The faults that a fixture must be able to show.
const (
	None       Fault = ""
	NeverReady Fault = "never ready" // health answers 503 "warming up"
	Deaf       Fault = "deaf"        // always runs engine slow, whatever it was asked
)

// A Fixture is a tier and what the suite must know of it.
type Fixture struct {
	System   System
	Scenario *scenario.Scenario // made from Variants
	Switch   func(variant string)
	Gone     func(t *testing.T, url string) // checks that nothing answers after Down; nil when the tier leaves it running
}

// Variants are two variants of service "shop": its info document at /info has
// {"settings": {"engine": "slow" or "fast"}}, and is at slow unless it was asked.
func Variants() []scenario.Variant {
	probe := func(want string) []scenario.Probe {
		return []scenario.Probe{{Service: "shop", GetPath: "/info", Path: "$.settings.engine", Equals: want}}
	}
	return []scenario.Variant{
		{Name: "slow", Baseline: true, Verify: probe("slow")},
		{Name: "fast", Verify: probe("fast")},
	}
}

// Run runs the suite. Make returns a new tier whose system has a fault.
func Run(t *testing.T, make func(t *testing.T, fault Fault) Fixture) {
	t.Run("up and down twice", func(t *testing.T) { upAndDown(t, make(t, None)) })
	t.Run("not ready", func(t *testing.T) { notReady(t, make(t, NeverReady)) })
	t.Run("not different", func(t *testing.T) { notDifferent(t, make(t, Deaf)) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, make(t, None)) })
	t.Run("cancelled while it waits", func(t *testing.T) { cancelledWaiting(t, make(t, NeverReady)) })
}

func upAndDown(t *testing.T, f Fixture) {
	for i, v := range []string{"slow", "fast"} {
		if err := f.System.Preflight(t.Context()); err != nil {
			t.Fatalf("preflight: %v", err)
		}
		f.Switch(v)
		var log events
		in, err := f.System.Up(t.Context(), &f.Scenario.Variants[i], t.TempDir(), log.add)
		if err != nil {
			t.Fatalf("up %s: %v", v, err)
		}
		if !log.has("ready") {
			t.Errorf("events %v, want one that says ready", log)
		}
		if len(in.Untreated()) != 0 {
			t.Errorf("untreated: %v", in.Untreated())
		}
		wantSetting(t, in.Asked(), rundir.Setting{Where: "shop", Name: "$.settings.engine", Value: v})
		wantSetting(t, in.Observed(), rundir.Setting{Where: "shop", Name: "$.settings.engine", Value: v, Proof: "GET shop:/info $.settings.engine"})
		if missed := in.Recheck(t.Context()); len(missed) != 0 {
			t.Errorf("looked at again: %v", missed)
		}
		url := in.Endpoints()["shop"]
		if reply, err := http.Get(url + "/info"); err != nil || reply.StatusCode != 200 {
			t.Errorf("the endpoint does not answer: %v", err)
		} else {
			reply.Body.Close()
		}
		down(t, in)
		if f.Gone != nil {
			f.Gone(t, url)
		}
	}
}

func down(t *testing.T, in *tier.Instance) {
	t.Helper()
	if err := in.Down(t.Context()); err != nil {
		t.Fatalf("down: %v", err)
	}
	if err := in.Down(t.Context()); err != nil {
		t.Fatalf("a second down: %v", err)
	}
	for e := range in.Exited() { // ends because it is closed
		t.Errorf("an end that was asked for is reported: %v", e)
	}
}

func notReady(t *testing.T, f Fixture) {
	_, err := f.System.Up(t.Context(), &f.Scenario.Variants[0], t.TempDir(), new(events).add)
	if err == nil {
		t.Fatal("up without being ready")
	}
	for _, want := range []string{"not ready after", "service shop at http://", "answered 503 warming up"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func notDifferent(t *testing.T, f Fixture) {
	f.Switch("fast")
	in, err := f.System.Up(t.Context(), &f.Scenario.Variants[1], t.TempDir(), new(events).add)
	if err != nil {
		t.Fatal(err)
	}
	want := []tier.Difference{{Where: "shop", Name: "$.settings.engine", Asked: "fast", Observed: "slow", Proof: "GET shop:/info $.settings.engine"}}
	if diff := cmp.Diff(want, in.Untreated()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, in.Recheck(t.Context())); diff != "" {
		t.Errorf("looked at again: %s", diff)
	}
	down(t, in)
}

func cancelled(t *testing.T, f Fixture) {
	why := errors.New("second thoughts")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := f.System.Up(ctx, &f.Scenario.Variants[0], t.TempDir(), new(events).add); !errors.Is(err, why) {
		t.Errorf("error %v, want the cause", err)
	}
}

func cancelledWaiting(t *testing.T, f Fixture) {
	f.Scenario.Target.Process = patient(f.Scenario.Target.Process)
	why := errors.New("second thoughts")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	defer stop.Stop()
	if _, err := f.System.Up(ctx, &f.Scenario.Variants[0], t.TempDir(), new(events).add); err == nil {
		t.Error("up without being ready")
	}
}

// patient returns a target whose wait is longer than any test.
func patient(p *scenario.ProcessTarget) *scenario.ProcessTarget {
	if p == nil {
		return nil
	}
	long := *p
	long.Wait = time.Hour
	return &long
}

func wantSetting(t *testing.T, list []rundir.Setting, want rundir.Setting) {
	t.Helper()
	for _, s := range list {
		if s == want {
			return
		}
	}
	t.Errorf("no setting %+v in %+v", want, list)
}

type events []rundir.EventLine

func (e *events) add(l rundir.EventLine) { *e = append(*e, l) }

func (e *events) has(kind string) bool {
	for _, l := range *e {
		if l.Kind == kind {
			return true
		}
	}
	return false
}
