//go:build unix

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/perfctl/perfctl/rundir"
)

// doomed is a perfctl that brings an instance up, says so, and waits to be killed.
func doomed() {
	sc := shopScenario(os.Getenv("BEHAVIOUR"))
	tr, err := New(sc, Options{Self: os.Args[0], State: os.Args[1]})
	if err != nil {
		panic(err)
	}
	in, err := tr.Up(context.Background(), &sc.Variants[0], os.Args[2], func(rundir.EventLine) {})
	if err != nil {
		panic(err)
	}
	fmt.Println(in.Processes()[0].PID, tr.services[0].port)
	select {}
}

// kill9 starts a perfctl with an instance, kills it, and returns its program's pid, its
// port and the identities of all that it had started.
func kill9(t *testing.T, state, behaviour string) (pid int, port string, all []identity) {
	t.Helper()
	cmd := exec.Command(self(t), state, t.TempDir())
	cmd.Env = []string{"TIER_TEST=perfctl", "BEHAVIOUR=" + behaviour, "PATH=" + os.Getenv("PATH")}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(bufio.NewReader(out), &pid, &port); err != nil {
		t.Fatal(err)
	}
	env, err := environ(pid)
	if err != nil {
		t.Fatal(err)
	}
	all = belonging(env[markName], nil)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	return pid, port, all
}

func TestKilledPerfctlTakesItsProgramsAlong(t *testing.T) {
	onLinux(t)
	_, _, all := kill9(t, t.TempDir(), "stubborn")
	if len(all) != 1 {
		t.Fatalf("started %v, want one process", all)
	}
	if !settled(killTime, func() bool { return !all[0].runs() }) {
		t.Errorf("%v outlived its perfctl", all[0])
	}
}

func TestNextUpEndsOrphans(t *testing.T) {
	onLinux(t)
	state := t.TempDir()
	pid, _, all := kill9(t, state, "family daemon")
	if len(all) != 2 {
		t.Fatalf("started %v, want two processes", all)
	}
	var orphan identity
	for _, id := range all {
		if id.PID != pid {
			orphan = id
		}
	}
	if !orphan.runs() {
		t.Fatal("the child did not outlive its perfctl: this test shows nothing")
	}
	bystander := exec.Command(self(t))
	bystander.Env = []string{"TIER_TEST=child"}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { bystander.Process.Kill(); bystander.Wait() }()

	sc := shopScenario("")
	tr, err := New(sc, Options{Self: self(t), State: state})
	if err != nil {
		t.Fatal(err)
	}
	log := newLog()
	in := mustUp(t, tr, 0, log)
	if orphan.runs() {
		t.Errorf("%v still runs", orphan)
	}
	if id, err := identify(bystander.Process.Pid); err != nil || id.zombie {
		t.Error("a process that no perfctl started was ended")
	}
	said := ""
	for _, e := range log.lines() {
		if e.Kind == "warning" {
			said += e.Text
		}
	}
	containsAll(t, said, fmt.Sprintf("ended pid %d", orphan.PID), "left running by perfctl pid ")
	if err := in.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, tr)
}

// TestStateFilesThatAreNotOurs leaves a living perfctl's file alone, ends nothing whose
// start time or executable differs, and forgets files of an earlier boot.
func TestStateFilesThatAreNotOurs(t *testing.T) {
	onLinux(t)
	victim := exec.Command(self(t))
	victim.Env = []string{"TIER_TEST=child"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { victim.Process.Kill(); victim.Wait() }()
	if !settled(killTime, func() bool { id, err := identify(victim.Process.Pid); return err == nil && id.Executable == self(t) }) {
		t.Fatal("the process did not start")
	}
	real, err := identify(victim.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	dead := identity{PID: 1 << 30, Start: 1}
	base := newState()
	for _, c := range []struct {
		name   string
		change func(*state)
		kept   bool
		ends   bool
	}{
		{"living owner", func(s *state) { s.Programs = []started{{"p", real}} }, true, false},
		{"other start time", func(s *state) { s.Owner = dead; id := real; id.Start++; s.Programs = []started{{"p", id}} }, false, false},
		{"other executable", func(s *state) {
			s.Owner = dead
			id := real
			id.Executable = "/bin/true"
			s.Programs = []started{{"p", id}}
		}, false, false},
		{"earlier boot", func(s *state) { s.Owner = dead; s.Boot = "other"; s.Programs = []started{{"p", real}} }, false, false},
		{"all the same", func(s *state) { s.Owner = dead; s.Programs = []started{{"p", real}} }, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			tr := newTier(t, shopScenario(""))
			path := filepath.Join(tr.o.State, "1-x.json")
			if err := s.save(path); err != nil {
				t.Fatal(err)
			}
			r := &run{tier: tr, event: newLog().add}
			if err := r.clean(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); (err == nil) != c.kept {
				t.Errorf("the file is there: %v, want %v", err == nil, c.kept)
			}
			if real.runs() == c.ends {
				t.Errorf("the process runs: %v", real.runs())
			}
		})
	}
}

func TestStateFilesThatAreNotUnderstood(t *testing.T) {
	onLinux(t)
	for name, text := range map[string]string{"broken": `{"version": 1`, "newer": `{"version": 2, "mark": "AAAAAAAAAAAAAAAAAAAAAAAAAA"}`, "no mark": `{"version": 1}`} {
		t.Run(name, func(t *testing.T) {
			tr := newTier(t, shopScenario(""))
			path := filepath.Join(tr.o.State, "x.json")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := tr.Preflight(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one that names the file", err)
			}
			log := newLog()
			if err := (&run{tier: tr, event: log.add}).clean(); err != nil {
				t.Error(err)
			}
			if got := kinds(log.lines()); len(got) != 1 || got[0] != "warning" {
				t.Errorf("events %v, want a warning", got)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error("a file that is not understood was removed")
			}
		})
	}
}

func TestStateRoundTrip(t *testing.T) {
	want := newState()
	want.Programs = []started{{"p", identity{PID: 5, Start: 7, Executable: "/bin/p"}}}
	path := filepath.Join(t.TempDir(), "a", "b.json")
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	got, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if string(a) != string(b) {
		t.Errorf("wrote %s, read %s", a, b)
	}
}

// TestSignalGoesToNobodyElse gives a signal to an identity with another start time.
func TestSignalGoesToNobodyElse(t *testing.T) {
	onLinux(t)
	me, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if me.Start == 0 || !me.runs() || !me.same() {
		t.Fatalf("this process is %+v", me)
	}
	me.Start++
	me.signal(syscall.SIGKILL) // this test would not end otherwise
}
