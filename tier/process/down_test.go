//go:build unix

package process

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/tier"
)

func TestProgramThatEndsInMidRun(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(in *tier.Instance)
		want tier.Exit
	}{
		{"by itself", func(in *tier.Instance) { http.Get(in.Endpoints()["shop"] + "/exit") },
			tier.Exit{Program: "store", Code: 7, Log: []string{"shop begins"}}},
		{"killed", func(in *tier.Instance) { syscall.Kill(in.Processes()[0].PID, syscall.SIGKILL) },
			tier.Exit{Program: "store", Code: -1, Signal: "killed", Log: []string{"shop begins"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := newLog()
			tr := newTier(t, shopScenario(""))
			in := mustUp(t, tr, 0, log)
			c.end(in)
			got := <-in.Exited()
			c.want.PID = in.Processes()[0].PID
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if err := in.Down(t.Context()); err != nil {
				t.Error(err)
			}
			if !cmp.Equal([]string{"start", "ready", "exit", "stop"}, kinds(log.lines())) {
				t.Errorf("events %v", kinds(log.lines()))
			}
			nothingLeft(t, tr)
		})
	}
}

func kinds(lines []rundir.EventLine) []string {
	var list []string
	for _, l := range lines {
		list = append(list, l.Kind)
	}
	return list
}

// nothingLeft checks that ports are free, that a next instance may come up, and that no
// list of started programs remains.
func nothingLeft(t *testing.T, tr *Tier) {
	t.Helper()
	if err := tr.Preflight(t.Context()); err != nil {
		t.Error(err)
	}
	if !tr.up.TryLock() {
		t.Error("the tier is still held")
	} else {
		tr.up.Unlock()
	}
	if files, _ := filepath.Glob(filepath.Join(tr.o.State, "*")); len(files) != 0 {
		t.Errorf("state files %v are left", files)
	}
}

func TestStubbornPrograms(t *testing.T) {
	onLinux(t)
	for _, behaviour := range []string{"stubborn", "family", "family stubborn", "family daemon"} {
		t.Run(behaviour, func(t *testing.T) {
			log := newLog()
			tr := newTier(t, shopScenario(behaviour))
			tr.o.Grace = 50 * time.Millisecond
			in := mustUp(t, tr, 0, log)
			before := processesOf(in)
			if want := 1 + strings.Count(behaviour, "family"); len(before) != want {
				t.Fatalf("%d processes %v, want %d", len(before), before, want)
			}
			if err := in.Down(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, id := range before {
				if id.runs() {
					t.Errorf("%v still runs", id)
				}
			}
			if got := kinds(log.lines()); !cmp.Equal(got, []string{"start", "ready", "stop", "warning"}) {
				t.Errorf("events %v, want a warning that SIGTERM was not enough", got)
			}
			nothingLeft(t, tr)
		})
	}
}

func TestSIGTERMIsSentOnce(t *testing.T) {
	tr := newTier(t, shopScenario("counting"))
	dir := t.TempDir()
	in, err := tr.Up(t.Context(), &tr.sc.Variants[0], dir, newLog().add)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"shop begins", "asked to end 1 times"}
	if diff := cmp.Diff(want, tail(filepath.Join(dir, "logs", "store.log"))); diff != "" {
		t.Error(diff)
	}
}

// processesOf lists the processes that carry the mark of the first program.
func processesOf(in *tier.Instance) []identity {
	env, err := environ(in.Processes()[0].PID)
	if err != nil {
		return nil
	}
	return belonging(env[markName], nil)
}

func TestDownIsImpatientWhenItsContextIsDone(t *testing.T) {
	onLinux(t)
	tr := newTier(t, shopScenario("stubborn"))
	tr.o.Grace = time.Hour
	in := mustUp(t, tr, 0, newLog())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := in.Down(ctx); err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, tr)
}

// TestPortThatIsNotGivenBack takes the port after the program has ended by itself: Down
// cannot prove that nothing is left, and keeps the list of started programs.
func TestPortThatIsNotGivenBack(t *testing.T) {
	t.Parallel() // it takes as long as the kernel is given
	tr := newTier(t, shopScenario(""))
	in := mustUp(t, tr, 0, newLog())
	http.Get(in.Endpoints()["shop"] + "/exit")
	<-in.Exited()
	l, err := net.Listen("tcp", tr.services[0].address())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = in.Down(t.Context())
	if err == nil {
		t.Fatal("down although the port is taken")
	}
	containsAll(t, err.Error(), "service shop: port "+tr.services[0].port+" of 127.0.0.1 is taken")
	if again := in.Down(t.Context()); again == nil || again.Error() != err.Error() {
		t.Errorf("a second down returned %v", again)
	}
	if files, _ := filepath.Glob(filepath.Join(tr.o.State, "*.json")); len(files) != 1 {
		t.Errorf("state files %v, want the one of this instance", files)
	}
}
