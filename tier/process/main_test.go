//go:build unix

package process

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
)

// TestMain lets the test binary be a program under test, or a perfctl that is killed.
func TestMain(m *testing.M) {
	switch os.Getenv("TIER_TEST") {
	case "":
		os.Exit(m.Run())
	case "perfctl":
		doomed()
	case "child":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("child runs")
		select {}
	default:
		shop()
	}
}

// shop is a program with the behaviours that TIER_TEST names.
func shop() {
	is := func(what string) bool { return strings.Contains(os.Getenv("TIER_TEST"), what) }
	fmt.Println("shop begins")
	if is("stubborn") {
		signal.Ignore(syscall.SIGTERM)
	}
	if is("counting") {
		asked := make(chan os.Signal, 10)
		signal.Notify(asked, syscall.SIGTERM)
		go count(asked)
	}
	if is("family") {
		bear(is("daemon"))
	}
	if is("broken") {
		fmt.Fprintln(os.Stderr, "cannot open the ledger")
		os.Exit(3)
	}
	if is("idle") {
		select {}
	}
	http.HandleFunc("/health", func(w http.ResponseWriter, r *http.Request) {
		if is("warming") {
			http.Error(w, "warming up", http.StatusServiceUnavailable)
		}
	})
	http.HandleFunc("/info", func(w http.ResponseWriter, r *http.Request) {
		engine := os.Getenv("ENGINE")
		if engine == "" || is("deaf") {
			engine = "slow"
		}
		fmt.Fprintf(w, `{"settings": {"engine": %q, "big": 9007199254740993}, "stray": %q}`, engine, os.Getenv("STRAY"))
	})
	http.HandleFunc("/exit", func(w http.ResponseWriter, r *http.Request) { os.Exit(7) })
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], nil))
	os.Exit(1)
}

// bear starts a child that ignores SIGTERM, and waits until it does.
func bear(daemon bool) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "TIER_TEST=child")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: daemon}
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 1))
	}
	if err != nil {
		panic(err)
	}
}

// count ends the program at SIGTERM, after it has given a second one time to come, and
// says how many there were.
func count(asked chan os.Signal) {
	<-asked
	time.Sleep(100 * time.Millisecond)
	fmt.Println("asked to end", 1+len(asked), "times")
	os.Exit(0)
}

func literal(text string) scenario.Template {
	return scenario.Template{Parts: []scenario.Part{{Text: text}}}
}

func hole(name string, args ...string) scenario.Template {
	call := &scenario.Call{Name: name}
	for _, a := range args {
		call.Args = append(call.Args, scenario.Arg{Text: a})
	}
	return scenario.Template{Parts: []scenario.Part{{Call: call}}}
}

// shopScenario is one program that serves one service at a chosen port. ENGINE is what
// its variants differ in.
func shopScenario(behaviour string) *scenario.Scenario {
	probe := func(want string) []scenario.Probe {
		return []scenario.Probe{{Service: "shop", GetPath: "/info", Path: "$.settings.engine", Equals: want}}
	}
	env := func(value string) []scenario.EnvVar {
		return []scenario.EnvVar{{Name: "ENGINE", Value: literal(value)}}
	}
	return &scenario.Scenario{
		File: "shop.yaml",
		Target: scenario.Target{Process: &scenario.ProcessTarget{
			Wait: time.Minute, // never the reason of a failure
			Programs: []scenario.Program{{
				Name:    "store",
				Command: []scenario.Template{hole("perfctl"), hole("addr", "shop")},
				Env:     []scenario.EnvVar{{Name: "TIER_TEST", Value: literal("shop " + behaviour)}},
				Pos:     scenario.Pos{Line: 5, Column: 7},
			}},
		}},
		Services: []scenario.Service{{Name: "shop", URL: "http://127.0.0.1:auto", Health: "/health", Program: "store"}},
		Variants: []scenario.Variant{
			{Name: "slow", Baseline: true, Env: env("slow"), Verify: probe("slow")},
			{Name: "fast", Env: env("fast"), Verify: probe("fast")},
		},
	}
}

// newTier returns a tier whose state folder is the test's own.
func newTier(t *testing.T, sc *scenario.Scenario) *Tier {
	t.Helper()
	tier, err := New(sc, Options{Self: self(t), State: t.TempDir(), Grace: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return tier
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A log collects events. Programs may end at any time, so it has a lock.
type eventLog struct {
	ch chan rundir.EventLine
}

func newLog() eventLog { return eventLog{make(chan rundir.EventLine, 100)} }

func (l eventLog) add(e rundir.EventLine) { l.ch <- e }

// kinds returns what was collected so far, "kind name".
func (l eventLog) lines() []rundir.EventLine {
	var list []rundir.EventLine
	for len(l.ch) > 0 {
		list = append(list, <-l.ch)
	}
	return list
}

func containsAll(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}
