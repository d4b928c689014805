//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
	"github.com/perfctl/perfctl/tier/tiertest"
)

// notReadyAfter is long enough for a program to start and say that it is not ready, on a
// machine that is busy with other things.
const notReadyAfter = 3 * time.Second

func TestConformance(t *testing.T) {
	tiertest.Run(t, func(t *testing.T, fault tiertest.Fault) tiertest.Fixture {
		behaviour := map[tiertest.Fault]string{tiertest.NeverReady: "warming", tiertest.Deaf: "deaf"}[fault]
		sc := shopScenario(behaviour)
		if fault == tiertest.NeverReady {
			sc.Target.Process.Wait = notReadyAfter
		}
		return tiertest.Fixture{
			System:   newTier(t, sc),
			Scenario: sc,
			Switch:   func(string) {},
			Gone:     gone,
		}
	})
}

func gone(t *testing.T, url string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err == nil {
		c.Close()
		t.Errorf("%s still answers after down", url)
	}
}

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
}

// mustUp brings the second variant up and ends it after the test.
func mustUp(t *testing.T, tr *Tier, v int, log eventLog) *tier.Instance {
	t.Helper()
	in, err := tr.Up(t.Context(), &tr.sc.Variants[v], t.TempDir(), log.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Down(context.Background()) })
	return in
}

func TestProof(t *testing.T) {
	onLinux(t)
	t.Setenv("STRAY", "from the user's shell")
	sc := shopScenario("")
	sc.Variants[1].Env = append(sc.Variants[1].Env,
		scenario.EnvVar{Name: "store.LICENCE_KEY", Value: literal("abc-123")},
		scenario.EnvVar{Name: "other.UNUSED", Value: literal("x")})
	sc.Variants[0].Env = append(sc.Variants[0].Env, scenario.EnvVar{Name: "POOL", Value: literal("4")})
	sc.Variants[0].Verify = append(sc.Variants[0].Verify,
		scenario.Probe{Service: "shop", GetPath: "/info", Path: "$.settings.big", Equals: "9007199254740993"},
		scenario.Probe{Service: "shop", GetPath: "/info", Path: "$.stray", Equals: ""},
		scenario.Probe{Service: "shop", GetPath: "/none", Path: "$.x", Equals: ""})
	in := mustUp(t, newTier(t, sc), 1, newLog())

	asked := []rundir.Setting{
		{Where: "store", Name: "ENGINE", Value: "fast"},
		{Where: "store", Name: "LICENCE_KEY", Value: "(masked)"},
		{Where: "shop", Name: "$.settings.engine", Value: "fast"},
	}
	if diff := cmp.Diff(asked, in.Asked()); diff != "" {
		t.Errorf("asked: %s", diff)
	}
	observed := []rundir.Setting{
		{Where: "store", Name: "ENGINE", Value: "fast", Proof: "process environment"},
		{Where: "store", Name: "LICENCE_KEY", Value: "(masked)", Proof: "process environment"},
		{Where: "store", Name: "POOL", Proof: "process environment: not set"},
		{Where: "shop", Name: "$.settings.engine", Value: "fast", Proof: "GET shop:/info $.settings.engine"},
		{Where: "shop", Name: "$.settings.big", Value: "9007199254740993", Proof: "GET shop:/info $.settings.big"},
		{Where: "shop", Name: "$.stray", Proof: "GET shop:/info $.stray"},
		{Where: "shop", Name: "$.x", Proof: "GET shop:/none $.x: not observed: answered 404 404 page not found"},
	}
	if diff := cmp.Diff(observed, in.Observed()); diff != "" {
		t.Errorf("observed: %s", diff)
	}
	if len(in.Untreated()) != 0 || len(in.Notes()) != 0 {
		t.Errorf("untreated %v, notes %v", in.Untreated(), in.Notes())
	}
	names := map[string]string{}
	for _, f := range in.Facts() {
		if f.Where != "store" {
			t.Errorf("fact %+v", f)
		}
		names[f.Name] = f.Value
	}
	if len(names["sha256"]) != 64 || names["go"] != runtime.Version() || !strings.HasPrefix(names["command"], self(t)+" 127.0.0.1:") {
		t.Errorf("facts %v", names)
	}
	if p := in.Processes(); len(p) != 1 || p[0].Name != "store" || !(identity{PID: p[0].PID}).listed() {
		t.Errorf("processes %v", p)
	}
}

func (id identity) listed() bool { _, err := identify(id.PID); return err == nil }

// TestEnvironmentThatDoesNotReachTheProgram starts it through a wrapper that drops the
// variant's variable.
func TestEnvironmentThatDoesNotReachTheProgram(t *testing.T) {
	onLinux(t)
	sc := shopScenario("")
	p := &sc.Target.Process.Programs[0]
	p.Command = append([]scenario.Template{literal("env"), literal("-u"), literal("ENGINE")}, p.Command...)
	sc.Variants[1].Verify = nil
	in := mustUp(t, newTier(t, sc), 1, newLog())
	want := []tier.Difference{{Where: "store", Name: "ENGINE", Asked: "fast", Proof: "process environment: not set"}}
	if diff := cmp.Diff(want, in.Untreated()); diff != "" {
		t.Error(diff)
	}
	if len(in.Notes()) != 1 {
		t.Errorf("notes %q, want one: nothing shows that a program reads the setting", in.Notes())
	}
}

func TestProgramThatEndsEarly(t *testing.T) {
	sc := shopScenario("broken")
	sc.Target.Process.Wait = time.Hour // the end is reported at once, not after the wait
	log := newLog()
	tr := newTier(t, sc)
	_, err := tr.Up(t.Context(), &sc.Variants[0], t.TempDir(), log.add)
	if err == nil {
		t.Fatal("up without its program")
	}
	containsAll(t, err.Error(), "program store", "exit code 3", "| shop begins", "| cannot open the ledger")
	nothingLeft(t, tr)
}

func TestProgramThatIsNotReady(t *testing.T) {
	t.Parallel()
	sc := shopScenario("warming")
	sc.Target.Process.Wait = notReadyAfter
	tr := newTier(t, sc)
	dir := t.TempDir()
	_, err := tr.Up(t.Context(), &sc.Variants[0], dir, newLog().add)
	if err == nil {
		t.Fatal("up without being ready")
	}
	containsAll(t, err.Error(), "not ready after "+notReadyAfter.String(), "service shop", "answered 503 warming up",
		"program store", "still runs", filepath.Join(dir, "logs", "store.log"), "| shop begins")
	nothingLeft(t, tr)
}

func TestOneInstanceAtATime(t *testing.T) {
	tr := newTier(t, shopScenario(""))
	mustUp(t, tr, 0, newLog())
	if _, err := tr.Up(t.Context(), &tr.sc.Variants[1], t.TempDir(), newLog().add); err == nil {
		t.Fatal("two instances at once")
	}
}

// TestSomebodyElseAnswers lets the test itself answer on the port after it was found free:
// the health page is good, and not that of the program.
func TestSomebodyElseAnswers(t *testing.T) {
	onLinux(t)
	tr := newTier(t, shopScenario("idle"))
	stranger := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	defer stranger.Close()
	_, err := tr.Up(t.Context(), &tr.sc.Variants[0], t.TempDir(), func(e rundir.EventLine) {
		if e.Kind == "start" {
			go func() { stranger.Addr = tr.services[0].address(); stranger.ListenAndServe() }()
		}
		if e.Kind == "stop" {
			stranger.Close()
		}
	})
	if err == nil {
		t.Fatal("up although its program does not listen")
	}
	containsAll(t, err.Error(), "service shop: port "+tr.services[0].port, fmt.Sprintf("is held by pid %d ", os.Getpid()), "which this tier did not start")
	nothingLeft(t, tr)
}

func TestProgramThatCannotBeStarted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no-program")
	if err := os.WriteFile(file, []byte("neither a script nor a binary\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	sc := shopScenario("")
	sc.Target.Process.Programs = append(sc.Target.Process.Programs, scenario.Program{Name: "broken", Command: []scenario.Template{literal(file)}})
	tr := newTier(t, sc)
	log := newLog()
	_, err := tr.Up(t.Context(), &sc.Variants[0], t.TempDir(), log.add)
	if !errors.Is(err, syscall.ENOEXEC) || !strings.HasPrefix(err.Error(), "program broken: start "+file) {
		t.Errorf("error %v", err)
	}
	if got := kinds(log.lines()); !cmp.Equal(got, []string{"start", "stop"}) {
		t.Errorf("events %v: the first program must be ended again", got)
	}
	nothingLeft(t, tr)
}

func TestSecretsAreMaskedInLogs(t *testing.T) {
	sc := shopScenario("broken")
	sc.Secrets = []string{"ledger"}
	tr := newTier(t, sc)
	log := newLog()
	_, err := tr.Up(t.Context(), &sc.Variants[0], t.TempDir(), log.add)
	if err == nil || strings.Contains(err.Error(), "ledger") || !strings.Contains(err.Error(), "cannot open the (masked)") {
		t.Errorf("error %v", err)
	}
	for _, e := range log.lines() {
		if strings.Contains(e.Text, "ledger") {
			t.Errorf("event %q", e.Text)
		}
	}
}

func TestUpFailsWhereItCannotWrite(t *testing.T) {
	sc := shopScenario("")
	tr := newTier(t, sc)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := tr.Up(t.Context(), &sc.Variants[0], filepath.Join(file, "trial"), newLog().add)
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("error %v, want one of the folder", err)
	}
	nothingLeft(t, tr)
}
