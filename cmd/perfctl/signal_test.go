package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/perfctl/perfctl/result"
)

// A session is a perfctl process in a folder of its own.
type session struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
}

func begin(t *testing.T, dir string, args ...string) *session {
	t.Helper()
	s := &session{t: t, dir: dir, cmd: exec.Command("perfctl", args...)} // on the PATH that TestMain made
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// end waits for the process and returns its exit code, -1 after a signal.
func (s *session) end() int {
	s.t.Helper()
	err := s.cmd.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *session) glob(pattern string) []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "results", "*", pattern))
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// measured waits until a second has been written to a ledger.
func (s *session) measured() {
	s.t.Helper()
	eventually(s.t, "a second of load", func() bool {
		for _, f := range s.glob("trials/*/ledger.ndjson") {
			if info, err := os.Stat(f); err == nil && info.Size() > 0 {
				return true
			}
		}
		return false
	})
}

func (s *session) started() []int {
	s.t.Helper()
	pids, err := started(filepath.Join(s.dir, "results", "*", "trials", "*", "events.ndjson"))
	if err != nil || len(pids) == 0 {
		s.t.Fatalf("started %v, %v", pids, err)
	}
	return pids
}

func (s *session) result() result.Result {
	s.t.Helper()
	files := s.glob("result.json")
	if len(files) != 1 {
		s.t.Fatalf("results %v; stderr:\n%s", files, s.stderr.String())
	}
	var r result.Result
	text, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

var long = []string{"run", "community-vs-tpc", "--rate", "50/s", "--warmup", "1s", "--duration", "10m", "--seed", "1"}

// TestInterrupt is Ctrl-C once: the arrivals stop, the system goes down, the report is
// written and says that it is partial.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted from outside here")
	}
	t.Parallel()
	s := begin(t, t.TempDir(), long...)
	s.measured()
	pids := s.started()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != exitInterrupted {
		t.Errorf("exit code %d; stderr:\n%s", code, s.stderr.String())
	}
	if r := s.result(); r.Verdict.Exit != exitInterrupted || !r.Run.Interrupted {
		t.Errorf("verdict %+v", r.Verdict)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if text := s.stderr.String(); !strings.Contains(text, "why=interrupted next=drain") {
		t.Errorf("stderr:\n%s", text)
	}
	if s.stdout.Len() == 0 {
		t.Error("no summary")
	}
}

// TestKilled is kill -9: what is on disk can be judged, and nothing runs on.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends the programs of a killed perfctl")
	}
	t.Parallel()
	s := begin(t, t.TempDir(), long...)
	s.measured()
	pids := s.started()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.end()
	for _, pid := range pids {
		eventually(t, "the end of the program", func() bool { return !alive(pid) })
	}
	again := begin(t, s.dir, "report", filepath.Dir(s.glob("manifest.json")[0]))
	code := again.end()
	if code != exitNoAnswer && code != exitInterrupted {
		t.Errorf("exit code %d; stderr:\n%s", code, again.stderr.String())
	}
	if r := s.result(); r.Verdict.Exit != code || len(r.Trials) != 1 || r.Trials[0].Valid {
		t.Errorf("verdict %+v, trials %v", r.Verdict, r.Trials)
	}
}

// family starts the shop below a shell, so that the shop outlives a perfctl that is killed:
// the kernel ends perfctl's own children only.
const family = `
perfctl: 1
name: family
target: { process: { programs: { shop: { command: [/bin/sh, -c, '"$0" orderflow serve & wait', "${perfctl}"], env: { ORDERFLOW_ADDR_ACCOUNT: "${addr.account}", ORDERFLOW_SERVICES: account } } }, wait: 30s } }
services: { account: { url: "http://127.0.0.1:auto", program: shop, health: /actuator/health } }
operations: { look: { get: "account:/api/customers/x", expect: 404 } }
load: { rate: 50/s, duration: 10m }
`

// TestNextRunCleansUp finds what a killed perfctl left, ends it and says so.
func TestNextRunCleansUp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what is left can be found on Linux only")
	}
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "family.yaml"), []byte(family), 0o600); err != nil {
		t.Fatal(err)
	}
	s := begin(t, dir, "run", "family.yaml")
	s.measured()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.end()
	next := begin(t, dir, "run", "family.yaml", "--duration", "1s", "--out", "next")
	if code := next.end(); code != exitOK && code != exitNoAnswer {
		t.Errorf("exit code %d; stderr:\n%s", code, next.stderr.String())
	}
	if text := next.stderr.String(); !strings.Contains(text, "left running by perfctl") {
		t.Errorf("it does not say what it ended:\n%s", text)
	}
}

// silent answers what is asked before the load, and no load at all.
func silent(t *testing.T) (address string, asked <-chan struct{}) {
	t.Helper()
	over, load := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/look" {
			return
		}
		once.Do(func() { close(load) })
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	return server.URL, load
}

// TestInterruptTwice is Ctrl-C again while answers are waited for: it ends at once, and
// what is on disk can be judged.
func TestInterruptTwice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted from outside here")
	}
	t.Parallel()
	dir := t.TempDir()
	address, asked := silent(t)
	source := fmt.Sprintf("perfctl: 1\nname: silent\ntarget: { external: true }\nservices: { s: { url: %q, health: /health, timeout: 10m } }\n"+
		"operations: { look: { get: \"s:/look\" } }\nload: { rate: 50/s, duration: 10m }\n", address)
	if err := os.WriteFile(filepath.Join(dir, "silent.yaml"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	s := begin(t, dir, "run", "silent.yaml")
	<-asked
	gone := make(chan struct{})
	go func() {
		_ = s.cmd.Wait() // the state says how it ended
		close(gone)
	}()
	eventually(t, "the end", func() bool {
		select {
		case <-gone:
			return true
		default:
			_ = s.cmd.Process.Signal(os.Interrupt) // has ended already when it cannot be sent
			return false
		}
	})
	if code := s.cmd.ProcessState.ExitCode(); code != -1 {
		t.Errorf("exit code %d, want the end by a signal", code)
	}
	again := begin(t, dir, "report", filepath.Dir(s.glob("manifest.json")[0]))
	if code := again.end(); code != exitNoAnswer && code != exitInterrupted || again.stdout.Len() == 0 {
		t.Errorf("exit code %d; stderr:\n%s", code, again.stderr.String())
	}
}
