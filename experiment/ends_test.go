package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
)

// TestEnds classes what can go wrong; the stored result has the exit code of the process.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name        string
		kind        string
		broken      string
		environment bool
		state       string
		exit        int
		sentence    string
	}{
		{"seeding fails in a run", result.KindRun, "/things", true, rundir.FailedState, 4, ""},
		{"seeding fails in a session", result.KindABTest, "/things", true, rundir.FailedState, 4, ""},
		{"a variant is not applied", result.KindABTest, "", false, rundir.FailedState, 3, "No test took place: b ran with s $.engine = slow (asked fast)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res, dir, err := Run(t.Context(), request(t, &system{broken: c.broken}, c.kind))
			_, environment := errors.AsType[*EnvironmentError](err)
			if environment != c.environment || err != nil && !environment || strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Fatalf("%v", err)
			}
			var stored result.Result
			text, err := os.ReadFile(dir.Join("result.json"))
			if err == nil {
				err = json.Unmarshal(text, &stored)
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := dir.Manifest()
			if err != nil || m.State != c.state || m.Reason == "" || strings.Contains(m.Reason, "hunter2") {
				t.Errorf("state %s, reason %q, %v", m.State, m.Reason, err)
			}
			if res.Verdict.Exit != c.exit || stored.Verdict.Exit != c.exit || res.Verdict.Valid || c.sentence != "" && res.Verdict.Sentence != c.sentence {
				t.Errorf("verdict %+v, stored exit %d", res.Verdict, stored.Verdict.Exit)
			}
		})
	}
}

// TestRunNotApplied is a single run of a variant that is not there.
func TestRunNotApplied(t *testing.T) {
	t.Parallel()
	s := &system{}
	r := request(t, s, result.KindRun)
	r.Plan.Slots[0].Variant = "b"
	res, _, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := "No test took place: b ran with s $.engine = slow (asked fast)."
	if res.Verdict.Exit != 3 || res.Verdict.Sentence != want || res.Verdict.Valid || s.sent.Load() != 0 {
		t.Errorf("%+v, %d sent", res.Verdict, s.sent.Load())
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	r := request(t, &system{}, result.KindRun)
	r.Watch.Phase = func(_, phase string) {
		if phase == "measure" {
			cancel(errors.New("interrupt signal received"))
		}
	}
	r.Plan.MeasureNS = 60e9
	res, dir, err := Run(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := dir.Manifest()
	if err != nil || m.State != rundir.Interrupted || m.Reason != "interrupt signal received" {
		t.Errorf("state %s, reason %q, %v", m.State, m.Reason, err)
	}
	if res.Verdict.Exit != 130 || !res.Run.Interrupted {
		t.Errorf("%+v", res.Verdict)
	}
}

// TestNothingStarted leaves no run directory behind what could be known before.
func TestNothingStarted(t *testing.T) {
	t.Parallel()
	r := request(t, &system{broken: "/health"}, result.KindRun)
	res, dir, err := Run(t.Context(), r)
	if _, ok := errors.AsType[*EnvironmentError](err); !ok || res != nil || dir != nil || entries(t, r.Out) != nil {
		t.Errorf("%v, %v, %v, folder %v", res, dir, err, entries(t, r.Out))
	}
	r = request(t, &system{}, result.KindRun)
	if err := os.WriteFile(r.Out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err = Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), "results folder") {
		t.Errorf("a file in place of the folder: %v", err)
	}
	r = request(t, &system{}, result.KindRun)
	r.Plan.Rate = "fast"
	if _, _, err = Run(t.Context(), r); err == nil || entries(t, r.Out) != nil {
		t.Errorf("a plan without a rate: %v, folder %v", err, entries(t, r.Out))
	}
}

// TestBug leaves the stack in the run directory.
func TestBug(t *testing.T) {
	r := request(t, &system{}, result.KindRun)
	r.Watch.Phase = func(string, string) { panic("a bug") }
	func() {
		defer func() {
			if p := recover(); p != "a bug" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _, _ = Run(t.Context(), r)
	}()
	text, err := os.ReadFile(filepath.Join(r.Out, "run-shop-20261130-101500", "crash.txt"))
	if err != nil || !strings.HasPrefix(string(text), "panic: a bug\n") || !strings.Contains(string(text), "TestBug") {
		t.Errorf("%v: %s", err, text)
	}
}
