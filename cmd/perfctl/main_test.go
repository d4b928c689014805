package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/perfctl/perfctl/result"
)

// TestMain lets the test binary be perfctl, for the scripts and for itself as orderflow.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"perfctl": main})
}

// TestScripts runs testdata/script. On top of testscript's commands there are
//
//	rc CODES perfctl ARGS...    runs it; its exit code is one of CODES (0|3), and is kept in $RC
//	json FILE                   FILE (or stdout) is one result document whose exit code is $RC
//	replace FILE OLD NEW        replaces a text that is there once
//	gone GLOB                   no process that the matching events.ndjson started is alive
//	open DIR                    the one folder in DIR becomes $RUN
//
// the condition [long], false with -short, and $BUSY, a port in use.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			busy, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			env.Defer(func() { busy.Close() })
			_, port, err := net.SplitHostPort(busy.Addr().String())
			env.Setenv("BUSY", port)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"rc":      scriptRC,
			"json":    scriptJSON,
			"replace": scriptReplace,
			"gone":    scriptGone,
			"open":    scriptOpen,
		},
		Condition: func(cond string) (bool, error) { return cond == "long" && !testing.Short(), nil },
	})
}

func scriptRC(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: rc CODES perfctl ARGS...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	ts.Setenv("RC", fmt.Sprint(code))
	if !slices.Contains(strings.Split(args[0], "|"), fmt.Sprint(code)) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func scriptJSON(ts *testscript.TestScript, _ bool, args []string) {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	d.DisallowUnknownFields()
	var r result.Result
	ts.Check(d.Decode(&r))
	if d.More() {
		ts.Fatalf("more than one document")
	}
	if got := fmt.Sprint(r.Verdict.Exit); r.Schema != result.Schema || got != ts.Getenv("RC") {
		ts.Fatalf("schema %s, exit %s in the document and %s of the process", r.Schema, got, ts.Getenv("RC"))
	}
}

func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q is %d times in %s", args[1], n, args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
}

func scriptGone(ts *testscript.TestScript, _ bool, args []string) {
	pids, err := started(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(pids) == 0 {
		ts.Fatalf("nothing was started")
	}
	for _, pid := range pids {
		if alive(pid) {
			ts.Fatalf("process %d is still there", pid)
		}
	}
}

func scriptOpen(ts *testscript.TestScript, _ bool, args []string) {
	list, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(list) != 1 {
		ts.Fatalf("%d folders in %s", len(list), args[0])
	}
	ts.Setenv("RUN", filepath.Join(args[0], list[0].Name()))
}

// started reads from the events of trials which processes they started.
func started(glob string) ([]int, error) {
	files, err := filepath.Glob(glob)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var e struct{ Kind, Text string }
			var pid int
			if json.Unmarshal(line, &e) == nil && e.Kind == "start" {
				if _, err := fmt.Sscanf(e.Text, "pid %d:", &pid); err != nil {
					return nil, fmt.Errorf("%s: %q: %w", f, e.Text, err)
				}
				pids = append(pids, pid)
			}
		}
	}
	return pids, nil
}

// patience bounds every wait for another process; nothing is concluded from it but that
// the process hangs.
const patience = 60 * time.Second

// eventually waits until what another process does is there.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}
