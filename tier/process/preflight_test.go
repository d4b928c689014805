//go:build unix

package process

import (
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/perfctl/perfctl/scenario"
)

func TestUpRefusesATakenPort(t *testing.T) {
	tr := newTier(t, shopScenario(""))
	l, err := net.Listen("tcp", tr.services[0].address())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// The wait for a port is as long as the kernel may take; a holder that stays is found
	// by Preflight at once.
	err = tr.Preflight(t.Context())
	if err == nil {
		t.Fatal("preflight does not see the holder")
	}
	containsAll(t, err.Error(), "service shop: port "+tr.services[0].port+" of 127.0.0.1 is taken")
	if runtime.GOOS == "linux" {
		containsAll(t, err.Error(), "held by pid ", filepath.Base(self(t)))
	}
}

func TestPreflightTellsEveryProblem(t *testing.T) {
	sc := shopScenario("")
	sc.Target.Process.Programs = append(sc.Target.Process.Programs,
		scenario.Program{Name: "gone", Command: []scenario.Template{literal("/nowhere/gone")}, Pos: scenario.Pos{Line: 9, Column: 3}},
		scenario.Program{Name: "unknown", Command: []scenario.Template{literal("no-such-program-here")}},
		scenario.Program{Name: "text", Command: []scenario.Template{literal("./main_test.go")}})
	sc.Variants[1].RequireEnv = []string{"HOME", "SHOP_LICENCE"}
	sc.Variants[1].Pos = scenario.Pos{Line: 20, Column: 5}
	err := newTier(t, sc).Preflight(t.Context())
	if err == nil {
		t.Fatal("no problem found")
	}
	containsAll(t, err.Error(), "shop.yaml:9:3: program gone", "no such file",
		`no program "no-such-program-here" in PATH`, "is not an executable file",
		"shop.yaml:20:5: variant fast needs SHOP_LICENCE, which is not set: export SHOP_LICENCE=... and run again")
	if n := len(strings.Split(err.Error(), "\n")); n != 4 {
		t.Errorf("%d problems, want 4:\n%v", n, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*scenario.Scenario, *Options)
		want   string
	}{
		{"no programs", func(s *scenario.Scenario, o *Options) { s.Target.Process.Programs = nil }, "no programs to start"},
		{"relative self", func(s *scenario.Scenario, o *Options) { o.Self = "perfctl" }, "is not absolute"},
		{"unknown variant", func(s *scenario.Scenario, o *Options) { o.Variants = []string{"huge"} }, `no variant "huge"`},
		{"auto elsewhere", func(s *scenario.Scenario, o *Options) { s.Services[0].URL = "http://example.test:auto" }, "write http://127.0.0.1:auto"},
		{"no URL", func(s *scenario.Scenario, o *Options) { s.Services[0].URL = "shop:80" }, "is not http://host:port"},
		{"one port twice", func(s *scenario.Scenario, o *Options) {
			s.Services = []scenario.Service{{Name: "a", URL: "http://127.0.0.1:81"}, {Name: "b", URL: "http://localhost:81"}}
		}, "port 81 is that of service a"},
		{"unknown service", func(s *scenario.Scenario, o *Options) {
			s.Target.Process.Programs[0].Command[1] = hole("addr", "shed")
		}, "program store: command: ${addr.shed}: no such service"},
		{"hole of a request", func(s *scenario.Scenario, o *Options) {
			s.Target.Process.Programs[0].Env[0].Value = hole("seq")
		}, "program store: env TIER_TEST: ${seq} has no value when a program starts"},
		{"hole in a variant", func(s *scenario.Scenario, o *Options) { s.Variants[1].Env[0].Value = hole("seq") }, "variant fast: env ENGINE"},
		{"empty command", func(s *scenario.Scenario, o *Options) { s.Target.Process.Programs[0].Command[0] = literal("") }, "the command is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc, o := shopScenario(""), Options{Self: self(t), State: t.TempDir()}
			c.change(sc, &o)
			_, err := New(sc, o)
			if err == nil {
				t.Fatal("accepted")
			}
			containsAll(t, err.Error(), c.want)
		})
	}
}

func TestStateFolder(t *testing.T) {
	onLinux(t)
	t.Setenv("XDG_CACHE_HOME", "/cache")
	tr, err := New(shopScenario(""), Options{Self: self(t)})
	if err != nil || tr.o.State != "/cache/perfctl/process" {
		t.Errorf("folder %v, %v", tr, err)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if _, err := New(shopScenario(""), Options{Self: self(t)}); err == nil || !strings.Contains(err.Error(), "set HOME or XDG_CACHE_HOME") {
		t.Errorf("error %v", err)
	}
}

func TestOnlyChosenVariantsAreChecked(t *testing.T) {
	sc := shopScenario("")
	sc.Variants[1].RequireEnv = []string{"SHOP_LICENCE"}
	tr, err := New(sc, Options{Self: self(t), State: t.TempDir(), Variants: []string{"slow"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Preflight(t.Context()); err != nil {
		t.Error(err)
	}
}
