package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/scenario"
)

// testEnv is a world of buffers.
func testEnv() (e *env, out, err *bytes.Buffer) {
	out, err = &bytes.Buffer{}, &bytes.Buffer{}
	return &env{in: strings.NewReader(""), out: out, err: err, now: time.Now, width: 100, errWidth: func() int { return 80 },
		args: []string{"perfctl"}, dir: "."}, out, err
}

func TestReport(t *testing.T) {
	down := &experiment.EnvironmentError{Err: errors.New("port 1 is taken")}
	for _, c := range []struct {
		name string
		err  error
		code int
		text string
	}{
		{"nothing", nil, exitOK, ""},
		{"an answer", &exitError{exitFailed}, exitFailed, ""},
		{"mistakes", scenario.Problems{{File: "a.yaml", Pos: scenario.Pos{Line: 1, Column: 1}, Message: "no name"}}, exitUsage, "a.yaml:1:1: error: no name\n    1 | \n      | ^\n"},
		{"usage", &usageError{errors.New("no such flag"), "see: help"}, exitUsage, "perfctl: no such flag\nsee: help\n"},
		{"usage, wrapped", fmt.Errorf("plan: %w", &usageError{errors.New("no such flag"), ""}), exitUsage, "perfctl: plan: no such flag\n"},
		{"environment", down, exitEnvironment, "perfctl: port 1 is taken\n"},
		{"environment beside another", errors.Join(down, errors.New("disk full")), exitEnvironment, "perfctl: port 1 is taken\ndisk full\n"},
		{"interrupted before the first run", &experiment.EnvironmentError{Err: context.Canceled}, exitInterrupted, "perfctl: context canceled\n"},
		{"a plain error is a bug", errors.New("index out of range"), exitInternal, "perfctl: index out of range\n"},
	} {
		e, out, stderr := testEnv()
		if code := e.report(c.err); code != c.code || stderr.String() != c.text || out.Len() > 0 {
			t.Errorf("%s: code %d, stderr %q, stdout %q; want %d, %q", c.name, code, stderr, out, c.code, c.text)
		}
	}
}

// TestPanic is a bug: exit 5, and what is needed to find it.
func TestPanic(t *testing.T) {
	e, _, stderr := testEnv()
	e.out = nil // the version command writes to it
	if code := run(t.Context(), []string{"version"}, e); code != exitInternal {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"perfctl: internal error: runtime error: ", "please report it", "newVersion"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
}

// TestCommand shows the line that repeats an experiment.
func TestCommand(t *testing.T) {
	for args, want := range map[string]string{
		"perfctl run x":            "perfctl run x --seed 7",
		"perfctl run x --seed 9":   "perfctl run x --seed 9",
		"perfctl run x --seed=9":   "perfctl run x --seed=9",
		"perfctl run --seedling x": "perfctl run --seedling x --seed 7",
	} {
		e := &env{args: strings.Fields(args)}
		if got := strings.Join(e.command(7), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestAnnotate(t *testing.T) {
	e, out, stderr := testEnv()
	r := &result.Result{Warnings: []result.Warning{{Code: "LATE", Seen: "100 %\nlate", Effect: "no answer"}}}
	if e.annotate(r); stderr.Len() > 0 {
		t.Errorf("elsewhere: %s", stderr)
	}
	e.actions, e.stepSummary = true, filepath.Join(t.TempDir(), "no", "folder")
	want := "::warning title=perfctl LATE::100 %25%0Alate: no answer\nperfctl: GITHUB_STEP_SUMMARY: open "
	if e.annotate(r); !strings.HasPrefix(stderr.String(), want) || out.Len() > 0 {
		t.Errorf("%q, want %q", stderr, want)
	}
}
