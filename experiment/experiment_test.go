package experiment

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/single"
	"github.com/perfctl/perfctl/verdict"
)

const shop = `
perfctl: 1
name: shop
target: { external: true }
services: { s: { url: %q, health: /health, headers: { Authorization: "Bearer hunter2hunter2" } } }
seed: [ { name: things, count: 2, post: s:/things, json: { n: "${seq}" }, keep: $.id } ]
operations: { get: { get: "s:/get/${pick(things)}" } }
load: { rate: 50/s, duration: 1s }
thresholds: [ get p50 < 5s ]
variants:
  a: { baseline: true, verify: [ { http: "s:/info", path: $.engine, equals: slow } ] }
  b: { verify: [ { http: "s:/info", path: $.engine, equals: fast } ] }
`

// A system answers for the scenario; broken is a path that answers 500.
type system struct {
	broken string
	sent   atomic.Int64
}

func (s *system) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == s.broken:
		http.Error(w, "broken for "+r.Header.Get("Authorization"), 500)
	case r.URL.Path == "/info":
		fmt.Fprint(w, `{"engine":"slow"}`)
	case r.URL.Path == "/things":
		fmt.Fprint(w, `{"id":"x"}`)
	case strings.HasPrefix(r.URL.Path, "/get/"):
		s.sent.Add(1)
	}
}

type quiet struct{}

func (quiet) Trial(int, int, *facts.Trial, verdict.Validity) {}
func (quiet) Look(int, abtest.Standing)                      {}

func now() time.Time { return time.Date(2026, 11, 30, 10, 15, 0, 0, time.UTC) }

// request is an experiment on the system; its run directories go to a folder of the test.
func request(t *testing.T, s *system, kind string) Request {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	sc, problems := scenario.Parse("shop.yaml", fmt.Appendf(nil, shop, server.URL), func(string) (string, bool) { return "", false })
	if problems.Failed() {
		t.Fatal(problems)
	}
	r := Request{Kind: kind, Scenario: sc, Seed: 7, Out: filepath.Join(t.TempDir(), "results"), Version: "test",
		Command: []string{"perfctl", kind, "shop.yaml", "--note", "Bearer hunter2hunter2"}, Progress: quiet{}, Now: now}
	var err error
	if kind == result.KindRun {
		r.Plan, err = single.NewPlan(sc, single.Options{Seed: 7, Drain: 5 * time.Second, MaxInFlight: 64})
	} else {
		r.Plan, err = abtest.NewPlan(sc, abtest.Options{A: "a", B: "b", Pairs: 4, Seed: 7, Warmup: time.Second, MaxInFlight: 64})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestRun carries a single run out, and finds the directory complete before its first
// trial begins.
func TestRun(t *testing.T) {
	t.Parallel()
	s := &system{}
	r := request(t, s, result.KindRun)
	var before []string
	var early rundir.Manifest
	r.Watch.Phase = func(_, phase string) {
		if phase != "up" {
			return
		}
		dir, err := rundir.Open(filepath.Join(r.Out, "run-shop-20261130-101500"))
		if err != nil {
			t.Error(err)
			return
		}
		before = entries(t, dir.Path())
		early, _ = dir.Manifest()
	}
	res, dir, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"manifest.json", "scenario.yaml", "trials"}, before); diff != "" {
		t.Errorf("before the first trial: %s", diff)
	}
	if early.State != rundir.Running || early.Tier != "external" || !cmp.Equal(early.Plan, r.Plan) {
		t.Errorf("manifest before the first trial: %+v", early)
	}
	want := []string{"junit.xml", "manifest.json", "report.html", "report.md", "result.json", "scenario.yaml", "trials"}
	if diff := cmp.Diff(want, entries(t, dir.Path())); diff != "" {
		t.Error(diff)
	}
	m, err := dir.Manifest()
	if err != nil || m.State != rundir.Complete || m.Reason != "the run is complete" || m.Ended.IsZero() {
		t.Errorf("manifest %+v, %v", m, err)
	}
	if r.Command[4] != "Bearer hunter2hunter2" {
		t.Error("the caller's command line was changed")
	}
	for _, name := range want[:6] {
		text, err := os.ReadFile(dir.Join(name))
		if err != nil || strings.Contains(string(text), "hunter2") {
			t.Errorf("%s holds a secret, or %v", name, err)
		}
	}
	if res.Arms[0].Operations[0].OK != 50 || s.sent.Load() != 50 {
		t.Errorf("%d answered, %d sent", res.Arms[0].Operations[0].OK, s.sent.Load())
	}
}

// TestSameBytes judges and renders one directory twice.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	_, dir, err := Run(t.Context(), request(t, &system{}, result.KindRun))
	if err != nil {
		t.Fatal(err)
	}
	read := func() map[string]string {
		files := map[string]string{}
		for _, name := range []string{"result.json", "report.md", "report.html", "junit.xml"} {
			text, err := os.ReadFile(dir.Join(name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(text)
		}
		return files
	}
	first := read()
	res, err := Judge(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteReports(dir, res); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, read()); diff != "" {
		t.Error(diff)
	}
}

// TestEarlierSessions counts A-B sessions of the same scenario and variants only.
func TestEarlierSessions(t *testing.T) {
	r := request(t, &system{}, result.KindABTest)
	other, swapped, run := r, r, r
	otherScenario := *r.Scenario
	otherScenario.Name = "other"
	other.Scenario = &otherScenario
	swapped.Plan.A, swapped.Plan.B = "b", "a"
	run.Kind = result.KindRun
	for _, past := range []Request{r, r, other, swapped, run} {
		dir, err := rundir.Create(past.Out, past.Kind, past.Scenario.Name, now())
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.WriteManifest(manifest(past, dir, "external")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.Out, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := r
	empty.Out = t.TempDir()
	for want, r := range map[int]Request{2: r, 1: swapped, 0: run} {
		if got := earlierSessions(r); got != want {
			t.Errorf("%s %s/%s: %d earlier sessions, want %d", r.Kind, r.Plan.A, r.Plan.B, got, want)
		}
	}
	if got := earlierSessions(empty); got != 0 {
		t.Errorf("an empty folder has %d", got)
	}
}

func TestJudgeRefuses(t *testing.T) {
	dir, err := rundir.Create(t.TempDir(), "sweep", "shop", now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
	for want, m := range map[string]rundir.Manifest{
		`a "sweep" planned by method "sweep/1"; this perfctl judges abtest by abtest/1 and run by run/1`: {Kind: "sweep", Plan: rundir.Plan{Method: "sweep/1"}},
		`a "abtest" planned by method "abtest/0"`:                                                        {Kind: "abtest", Plan: rundir.Plan{Method: "abtest/0"}},
		`use the perfctl that made it, 9.1`:                                                              {Kind: "run", Perfctl: "9.1"},
	} {
		if err := dir.WriteManifest(m); err != nil {
			t.Fatal(err)
		}
		if _, err := Judge(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: %v, want %q", m.Kind, m.Plan.Method, err, want)
		}
	}
}
