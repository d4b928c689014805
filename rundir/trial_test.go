package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

func histogram(values ...int64) *hdr.Histogram {
	h := hdr.New(1000, int64(10*time.Minute), 3)
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			panic(err)
		}
	}
	return h
}

var start = time.Date(2026, 11, 30, 10, 15, 0, 987654321, time.UTC)

// fullRecord has a value in every field that the files hold.
func fullRecord(d *Dir) *TrialRecord {
	return &TrialRecord{
		Path: d.Join("trials", "01-A"),
		Trial: Trial{Version: Version, Name: "01-A", Slot: Slot{Index: 1, Block: 1, Pair: 1, First: true, Label: "A", Variant: "a", Seed: 1<<64 - 1},
			Attempt: 2, Start: start, State: Complete, Error: "e", WarmupEndNS: 1, MeasureNS: 2, EndNS: 3, Planned: 4, Scheduled: 5, Sent: 6, Unsent: 7,
			Operations:  []OperationPlan{{"op", .6, 8}},
			Completions: []CompletionPlan{{"done", "op", .1, 9}},
			Outcomes:    map[string]map[string]int64{"op": {"ok": 1}},
			Lateness:    Quantiles{1, 2, 3, 4}, InFlightMax: 1, CapHit: 2, Dialed: 3, Path: "direct", Cut: true,
			Errors: []ErrorEntry{{"op", "system", "500", 1, 2, 3, "example \"<&>\" ü"}},
			Asked:  []Setting{{"w", "n", "v", "p"}}, Observed: []Setting{{"w", "n", "v", "p"}}, Facts: []Setting{{"w", "f", "", ""}},
			Generator: Self{1, 2, 3, 4, 5}, HostUse: HostUse{true, .1, .2, true, 3, -4},
			Seeded: map[string]int{"customers": 1}, UpNS: 1, SeedNS: 2, Unproven: []string{"u"}, Notes: []string{"n"}},
		Ledger: []LedgerLine{{Second: 0, Scheduled: map[string]int64{"op": 2}, Outcomes: map[string]map[string]int64{"op": {"ok": 1, "unsent": 1}}, Sent: 1, Done: 2, InFlight: 3, Waiting: 4},
			{Second: 1, Measured: true}},
		Completions: []CompletionLine{{1, "done", 2, true, 3, 4, "ok", 5, 6, 7, 8}},
		Resources:   []ResourceLine{{-1, "p", 2, 3, 4, 5, 6, 7, 8, 9}},
		Events:      []EventLine{{start, 1, "ready", "p", "line\nbreak"}},
		Slow:        []SlowLine{{1, "op", "ok", 2, 3, 4, 200, 5, 6, true, "r", "127.0.0.1:1", "k"}},
	}
}

func write(t *testing.T, d *Dir, r *TrialRecord, logged func(*TrialWriter)) {
	t.Helper()
	w, err := d.NewTrial(r.Name)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.Begin(r.Start))
	check(w.Trial(r.Trial))
	logged(w)
	for _, l := range r.Ledger {
		check(w.Ledger(l))
	}
	for _, l := range r.Completions {
		check(w.Completion(l))
	}
	for _, l := range r.Resources {
		check(w.Resource(l))
	}
	for _, l := range r.Events {
		check(w.Event(l))
	}
	for _, l := range r.Slow {
		check(w.Slow(l))
	}
	check(w.Close())
}

func TestTrialRoundTrip(t *testing.T) {
	d := newDir(t)
	want := fullRecord(d)
	write(t, d, want, func(*TrialWriter) {})
	got, err := d.Trial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTwoTrialsAreNotMixed(t *testing.T) {
	d := newDir(t)
	write(t, d, fullRecord(d), func(*TrialWriter) {})
	if _, err := d.NewTrial("01-A"); err == nil || !strings.Contains(err.Error(), "file exists") {
		t.Errorf("got %v", err)
	}
}

func TestNewTrialBelowAFile(t *testing.T) {
	d := newDir(t)
	if err := os.WriteFile(d.Join("trials", "01-A"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewTrial("01-A"); err == nil || !strings.HasPrefix(err.Error(), "trial folder: ") {
		t.Errorf("got %v", err)
	}
}

// A crash may end a file at any byte. Whole lines are read, the cut one is named.
func TestKilledWriter(t *testing.T) {
	d := newDir(t)
	write(t, d, fullRecord(d), func(*TrialWriter) {})
	files := map[string]func(*TrialRecord) int{
		"ledger.ndjson":      func(r *TrialRecord) int { return len(r.Ledger) },
		"completions.ndjson": func(r *TrialRecord) int { return len(r.Completions) },
		"resources.ndjson":   func(r *TrialRecord) int { return len(r.Resources) },
		"events.ndjson":      func(r *TrialRecord) int { return len(r.Events) },
		"slow.ndjson":        func(r *TrialRecord) int { return len(r.Slow) },
	}
	for name, lines := range files {
		path := d.Join("trials", "01-A", name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) + 1 {
			if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := d.Trial("01-A")
			if err != nil {
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
			var cut []string
			if n > 0 && whole[n-1] != '\n' {
				cut = []string{name}
			}
			if diff := cmp.Diff(cut, got.CutFiles); diff != "" || lines(got) != strings.Count(string(whole[:n]), "\n") {
				t.Fatalf("%s cut at %d: %d lines\n%s", name, n, lines(got), diff)
			}
		}
	}
}

func TestBadLineInTheMiddle(t *testing.T) {
	d := newDir(t)
	write(t, d, fullRecord(d), func(*TrialWriter) {})
	if err := d.WriteFile("trials/01-A/ledger.ndjson", []byte("{\"s\":0}\n{\"s\":\n{\"s\":2}\n")); err != nil {
		t.Fatal(err)
	}
	_, err := d.Trial("01-A")
	if want := d.Join("trials", "01-A", "ledger.ndjson") + ":2: unexpected end of JSON input"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	path := d.Join("trials", "01-A", "slow.ndjson")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Trial("01-A"); err == nil || !strings.Contains(err.Error(), "slow.ndjson") {
		t.Errorf("a folder in place of a file: %v", err)
	}
}

func TestLineThatJSONCannotHold(t *testing.T) {
	f, err := newAppender(filepath.Join(t.TempDir(), "x.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	if err := f.line(map[string]float64{"x": 1 / zero}); err == nil || !strings.Contains(err.Error(), "x.ndjson: json: unsupported value") {
		t.Errorf("got %v", err)
	}
	if err := f.line(1); err != nil {
		t.Fatal(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.f.Name()); err != nil || string(got) != "1\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := f.line(2); err == nil {
		t.Error("a closed file took a line")
	}
}

// The writer is used by the load run, the samplers and the scrapers at once.
func TestConcurrentWriting(t *testing.T) {
	d := newDir(t)
	w, err := d.NewTrial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(start); err != nil {
		t.Fatal(err)
	}
	const writers, lines = 8, 50
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range int64(lines) {
				tag := Tag{fmt.Sprintf("op%d", i), "ok", Response}
				for _, err := range []error{w.Histogram(n, tag, histogram(n+1)), w.Ledger(LedgerLine{Second: n}), w.Resource(ResourceLine{PID: i}),
					w.Event(EventLine{}), w.Completion(CompletionLine{}), w.Slow(SlowLine{}), w.Trial(Trial{Planned: n})} {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := d.Trial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	histograms := 0
	if _, err := ReadHistograms(got.Path, func(int64, Tag, *hdr.PackedHistogram) error { histograms++; return nil }); err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{"ledger": len(got.Ledger), "resources": len(got.Resources), "events": len(got.Events),
		"completions": len(got.Completions), "slow": len(got.Slow), "histograms": histograms} {
		if n != writers*lines {
			t.Errorf("%s: %d of %d lines", what, n, writers*lines)
		}
	}
}
