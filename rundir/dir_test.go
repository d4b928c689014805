package rundir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newDir(t *testing.T) *Dir {
	t.Helper()
	d, err := Create(t.TempDir(), "abtest", "shop", time.Date(2026, 11, 30, 10, 15, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCreateNumbersTakenNames(t *testing.T) {
	root := filepath.Join(t.TempDir(), "results") // is made
	at := time.Date(2026, 11, 30, 10, 15, 0, 0, time.UTC)
	var got []string
	for range 3 {
		d, err := Create(root, "abtest", "shop", at)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.Base(d.Path()))
	}
	want := []string{"abtest-shop-20261130-101500", "abtest-shop-20261130-101500-2", "abtest-shop-20261130-101500-3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreateGivesUpAtAHundred(t *testing.T) {
	root := t.TempDir()
	for range 99 {
		if _, err := Create(root, "run", "x", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Create(root, "run", "x", time.Time{})
	if err == nil || !strings.Contains(err.Error(), "a hundred of that name exist") {
		t.Errorf("got %v", err)
	}
}

func TestCreateBelowAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(file, "run", "x", time.Time{}); err == nil || !strings.HasPrefix(err.Error(), "results folder: ") {
		t.Errorf("got %v", err)
	}
	if _, err := Create(filepath.Dir(file), "no/such", "x", time.Time{}); err == nil || !strings.HasPrefix(err.Error(), "run directory: ") {
		t.Errorf("got %v", err)
	}
}

func TestOpen(t *testing.T) {
	d := newDir(t)
	if _, err := Open(d.Path()); err == nil || !strings.Contains(err.Error(), "not a run directory (no manifest.json)") {
		t.Errorf("without a manifest: %v", err)
	}
	if err := d.WriteManifest(Manifest{}); err != nil {
		t.Fatal(err)
	}
	again, err := Open(d.Path())
	if err != nil || again.Path() != d.Path() {
		t.Errorf("got %v, %v", again, err)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 15, 0, 123456789, time.UTC)
	want := Manifest{Version: Version, Kind: "abtest", ID: "x", Command: []string{"perfctl", "abtest", "a b"}, Started: at, Ended: at.Add(time.Hour),
		State: Complete, Reason: "why", Perfctl: "1.0", Git: "abc", GitDirty: true, Seed: 1<<64 - 1, ScenarioName: "shop", ScenarioFile: "shop.yaml",
		ScenarioSHA256: "00", Scenario: "text: <&>\n", Tier: "process",
		Host: Host{OS: "linux", Kernel: "6", CPU: "c", Cores: 2, MemoryMB: 1, Hostname: "h", Governor: "g", GoMax: 2},
		Plan: Plan{Method: "abtest/1", A: "a", B: "b", Rate: "50/s", PerSecond: 50, Arrivals: "poisson", WarmupNS: 1, MeasureNS: 2, DrainNS: 3,
			MaxInFlight: 4, Looks: []int{4, 6}, PairsMax: 6, MaxTimeNS: 5, Quick: true, Primary: []string{"x p95"}, Burn: true,
			Slots: []Slot{{Index: 1, Block: 1, Pair: 1, First: true, Label: "A", Variant: "a", Seed: 1<<63 + 1}}},
		Earlier: 3}
	d := newDir(t)
	if err := d.WriteManifest(want); err != nil {
		t.Fatal(err)
	}
	got, err := d.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A file of another version may have other types, so the version speaks first.
func TestOtherVersionsAreRefused(t *testing.T) {
	d := newDir(t)
	for _, c := range []struct{ text, want string }{
		{`{"version": 2, "kind": 7}`, "version 2, this perfctl reads version 1; use the perfctl that wrote it"},
		{`{"kind": "abtest"}`, "version 0, this perfctl reads version 1"},
		{`{"version": 1, "kind": 7}`, "cannot unmarshal number"},
		{`{"version": 1`, "unexpected end of JSON input"},
	} {
		if err := d.WriteFile("manifest.json", []byte(c.text)); err != nil {
			t.Fatal(err)
		}
		_, err := d.Manifest()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), d.Join("manifest.json")) {
			t.Errorf("%s: got %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := d.NewTrial("01-A"); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("trials/01-A/trial.json", []byte(`{"version": 3}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Trial("01-A"); err == nil || !strings.Contains(err.Error(), "trial.json: version 3") {
		t.Errorf("got %v", err)
	}
}

func TestReplaceLeavesNoTemporaryFile(t *testing.T) {
	d := newDir(t)
	for i := range 3 {
		if err := d.WriteManifest(Manifest{Earlier: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.WriteFile("report.md", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("trials", []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := d.WriteFile("no/such/folder", nil); err == nil {
		t.Error("wrote below a folder that is not there")
	}
	entries, err := os.ReadDir(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff([]string{"manifest.json", "report.md", "trials"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestManifestThatJSONCannotHold(t *testing.T) {
	d := newDir(t)
	zero := 0.0
	if err := d.WriteManifest(Manifest{Plan: Plan{PerSecond: 1 / zero}}); err == nil || !strings.Contains(err.Error(), "manifest.json: json: unsupported value") {
		t.Errorf("got %v", err)
	}
}

func TestTrialNames(t *testing.T) {
	d := newDir(t)
	for _, n := range []string{"02-B", "01-A", "01-A-2"} {
		w, err := d.NewTrial(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(d.Join("trials", "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := d.TrialNames()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"01-A", "01-A-2", "02-B"}, got); diff != "" {
		t.Error(diff)
	}
	if err := os.RemoveAll(d.Join("trials")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.TrialNames(); err == nil || !strings.HasPrefix(err.Error(), "run directory: ") {
		t.Errorf("got %v", err)
	}
}

// A trial whose writer died before it wrote trial.json is running for ever.
func TestTrialWithoutRecord(t *testing.T) {
	d := newDir(t)
	w, err := d.NewTrial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := d.Trial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	want := &TrialRecord{Trial: Trial{Version: Version, Name: "01-A", State: Running}, Path: d.Join("trials", "01-A")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzLines(f *testing.F) {
	for _, s := range []string{"{\"s\":1,\"measured\":true}\n", "{\"s\":1}\n{\"s\":", "\n", "[]\n", "{\"s\":1e400}\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines []LedgerLine
		cut, err := decodeLines("x", strings.NewReader(string(data)), &lines)
		if err != nil {
			return
		}
		if want := len(data) > 0 && data[len(data)-1] != '\n'; cut != want {
			t.Fatalf("cut %v, want %v", cut, want)
		}
		if n := strings.Count(string(data), "\n"); len(lines) != n {
			t.Fatalf("%d lines of %d", len(lines), n)
		}
		for _, l := range lines { // what was read can be written and read again
			text, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			var again []LedgerLine
			if _, err := decodeLines("x", strings.NewReader(string(text)+"\n"), &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]LedgerLine{l}, again); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
