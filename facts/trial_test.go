package facts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
)

var follow = rundir.CompletionPlan{Name: "done", Operation: "op", Sample: 1, TimeoutNS: 10e9}

func followed(outcome string, polls int, lowerMS, upperMS int64) rundir.CompletionLine {
	return rundir.CompletionLine{Completion: "done", Measured: true, Outcome: outcome, Polls: polls, LowerNS: lowerMS * 1e6, UpperNS: upperMS * 1e6}
}

func TestCompletion(t *testing.T) {
	outside := followed("ok", 1, 1, 2)
	outside.Measured = false
	lines := []rundir.CompletionLine{
		followed("ok", 3, 90, 100), followed("ok", 2, 190, 200), outside,
		followed("functional", 4, 10, 20),   // cancelled
		followed("timeout", 50, 9000, 10e3), // accepted, never seen done
		followed("functional", 0, 0, 5),     // the request was declined
		followed("timeout", 0, 0, 10e3),     // the request itself timed out
		followed("system", 0, 0, 3), followed("client", 0, 0, 3), followed("unsent", 0, 0, 0),
	}
	lines[0].Misses, lines[0].Disagreements = 2, 1
	x := load(t, factstest.Trial{Record: rundir.Trial{Completions: []rundir.CompletionPlan{follow}},
		Operations: []factstest.Operation{{Name: "op", OK: repeat(1, 10)}}, Completions: lines})
	c := x.Completions["done"]
	type counts struct{ sampled, succeeded, failed, timedOut, notAccepted, declined, accepted, due, polls, misses, disagreements int64 }
	got := counts{c.Sampled, c.Succeeded.N(), c.Failed, c.TimedOut, c.NotAccepted, c.Declined, c.Accepted(), c.Due(), c.Polls, c.Misses, c.Disagreements}
	if want := (counts{9, 2, 1, 1, 5, 1, 4, 8, 59, 2, 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r := c.Ranked()
	if r.N() != 8 || r.TimedOut != 1 || r.Failed != 5 {
		t.Errorf("ranked %d: %d timed out, %d failed", r.N(), r.TimedOut, r.Failed)
	}
	if q := r.Quantile(.25); !near(q.NS/1e6, 200) {
		t.Errorf("rank 2 is %v ms", q.NS/1e6)
	}
	if q := r.Quantile(.3); q.Where != facts.AmongTimeouts || q.Timeout != 10*time.Second {
		t.Errorf("rank 3: %+v", q)
	}
	if x.Operations["done"] != nil {
		t.Error("a completion is counted as an operation")
	}
}

// A run that was cut short had not waited ten seconds for all of them.
func TestCompletionsCutShortClaimNoMoreThanTheyWaited(t *testing.T) {
	lines := []rundir.CompletionLine{followed("timeout", 5, 0, 10e3), followed("timeout", 5, 0, 2500)}
	x := factstest.Trial{Record: rundir.Trial{Completions: []rundir.CompletionPlan{follow}}, Completions: lines}.Facts()
	if got := x.Completions["done"].Ranked().Quantile(.5).Timeout; got != 2500*time.Millisecond {
		t.Errorf("got %v", got)
	}
}

// How closely a quantile is known is told by the completions around it.
func TestWidthAt(t *testing.T) {
	var lines []rundir.CompletionLine
	for i := range int64(1000) { // from 1 to 1000 ms; widths grow with the time, but for a few
		width := 1 + i/10
		if i%50 == 7 {
			width = 1 + i
		}
		lines = append(lines, followed("ok", 1, i+1-width, i+1))
	}
	for range 1000 {
		lines = append(lines, followed("timeout", 1, 0, 10e3))
	}
	x := factstest.Trial{Record: rundir.Trial{Completions: []rundir.CompletionPlan{follow}}, Completions: lines}.Facts()
	c := x.Completions["done"]
	for q, want := range map[float64]float64{.25: 50e6, .45: 90e6, .0005: 1e6, .6: 0} {
		if got := c.WidthAt(q); got < want-1e6 || got > want+1e6 {
			t.Errorf("at %v: known to %v ms, want %v", q, got/1e6, want/1e6)
		}
	}
	if got := facts.NewCompletion(follow).WidthAt(.5); got != 0 {
		t.Errorf("without samples: %v", got)
	}
}

// A writer that was killed between a second's histograms and its ledger line has told the
// successes of that second and not its failures.
func TestSecondsWithoutALedgerLineAreLeftOut(t *testing.T) {
	d := newDir(t)
	w, err := d.NewTrial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	h := hdr.New(1000, int64(10*time.Minute), 3)
	if err := h.RecordValues(5e6, 10); err != nil {
		t.Fatal(err)
	}
	tag := rundir.Tag{Operation: "op", Outcome: "ok", Kind: rundir.Response}
	ledger := func(s int64, measured bool) rundir.LedgerLine {
		return rundir.LedgerLine{Second: s, Measured: measured, Scheduled: map[string]int64{"op": 10}, Outcomes: map[string]map[string]int64{"op": {"ok": 10}}}
	}
	errs := []error{w.Begin(time.Unix(5, 0)), w.Trial(rundir.Trial{State: rundir.Running, WarmupEndNS: 1e9, MeasureNS: 9e9, Operations: []rundir.OperationPlan{{Name: "op"}}})}
	for s := range int64(5) { // the warm-up was lengthened by a second
		errs = append(errs, w.Histogram(s, tag, h), w.Histogram(s, rundir.LatenessTag, h))
		if s < 4 {
			errs = append(errs, w.Ledger(ledger(s, s >= 2)))
		}
	}
	for _, err := range append(errs, w.Close()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	x, err := facts.Load(d, "01-A")
	if err != nil {
		t.Fatal(err)
	}
	o := x.Operations["op"]
	if o.Scheduled != 20 || o.Response.N() != 20 || x.Lateness.N() != 20 || x.Seconds != 2 || len(o.PerSecond) != 2 {
		t.Errorf("scheduled %d, ok %d, lateness %d, %d s, %d in seconds", o.Scheduled, o.Response.N(), x.Lateness.N(), x.Seconds, len(o.PerSecond))
	}
	if x.Damage != "" || x.Cut {
		t.Errorf("damage %q, cut %v: the trial did not claim to be complete", x.Damage, x.Cut)
	}
}

func TestDamage(t *testing.T) {
	base := factstest.Trial{Record: rundir.Trial{Name: "01-A", Completions: []rundir.CompletionPlan{follow}},
		Operations: []factstest.Operation{{Name: "op", OK: repeat(1, 10)}}, Completions: []rundir.CompletionLine{followed("ok", 1, 1, 2)}}
	for _, c := range []struct{ file, old, new, want string }{
		{"ledger.ndjson", `"op":{"ok":1}`, `"op":{"ok":2}`, "op: 10 arrivals in the ledger, 20 outcomes"},
		{"ledger.ndjson", `"op":1}`, `"op":0}`, "op: 0 arrivals in the ledger, 10 outcomes"},
		{"latency.hlog", "op|ok|response", "op|ok|service", "op: 10 ok in the ledger, 0 in the histograms"},
		{"completions.ndjson", `"measured":true`, `"measured":false`, "done: 1 sampled in the ledger, 0 records"},
		{"trial.json", `"measure_ns": 10000000000`, `"measure_ns": 9000000000`, "second 9 is booked as measured: true, the window is 0 to 9"},
		{"ledger.ndjson", `"s":9,`, `"s":-9,`, "error: ledger.ndjson:10: second -9, want 0 to 2678400"},
		{"ledger.ndjson", `"s":9,`, `"s":9999999,`, "error: ledger.ndjson:10: second 9999999, want 0 to 2678400"},
		{"completions.ndjson", "{", "x{", "error: completions.ndjson:1: invalid character"},
		{"latency.hlog", "Tag=op", "Tog=op", "error: latency.hlog:5: interval without a tag"},
	} {
		d := newDir(t)
		if err := base.Write(d); err != nil {
			t.Fatal(err)
		}
		path := d.Join("trials", "01-A", c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s does not hold %q: %s", c.file, c.old, text)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), c.old, c.new)), 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := facts.Load(d, "01-A")
		want, isError := strings.CutPrefix(c.want, "error: ")
		switch {
		case isError && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", c.file, err, want)
		case !isError && (err != nil || x.Damage != want):
			t.Errorf("%s: got %v, %v, want %q", c.file, x, err, want)
		}
	}
	d := newDir(t)
	if err := base.Write(d); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(d.Path(), "trials", "01-A", "latency.hlog")); err != nil {
		t.Fatal(err)
	}
	x, err := facts.Load(d, "01-A")
	if err != nil || x.Damage != "op: 10 ok in the ledger, 0 in the histograms" {
		t.Errorf("without the log: %v, %v", x, err)
	}
}

func sample(name string, pid int, at, cpu time.Duration, mib int64) rundir.ResourceLine {
	return rundir.ResourceLine{Name: name, PID: pid, OffsetNS: int64(at), CPUNS: int64(cpu), Working: mib << 20, Threads: pid, Limit: 512 << 20}
}

func TestUsages(t *testing.T) {
	s, ms := time.Second, time.Millisecond
	for _, c := range []struct {
		name  string
		lines []rundir.ResourceLine
		want  []facts.Usage
	}{
		{"interpolated at both ends", []rundir.ResourceLine{
			sample("b", 1, 9500*ms, 1000*ms, 10), sample("b", 1, 10500*ms, 1400*ms, 20), sample("b", 1, 19500*ms, 5000*ms, 30), sample("b", 1, 20500*ms, 5800*ms, 90)},
			// half of 400 ms, 3600 ms, half of 800 ms
			[]facts.Usage{{Name: "b", CPU: 4200 * ms, MeanCores: .42, MaxCores: .42, MemStart: 20 << 20, MemEnd: 30 << 20, MemMax: 30 << 20, Limit: 512 << 20, Threads: 1, Samples: 2, Covered: true}}},
		{"samples exactly at the ends, unordered", []rundir.ResourceLine{
			sample("b", 1, 20*s, 3*s, 5), sample("b", 1, 10*s, 1*s, 7)},
			[]facts.Usage{{Name: "b", CPU: 2 * s, MeanCores: .2, MaxCores: .2, MemStart: 7 << 20, MemEnd: 5 << 20, MemMax: 7 << 20, Limit: 512 << 20, Threads: 1, Samples: 2, Covered: true}}},
		{"a restart counts from 0", []rundir.ResourceLine{
			sample("b", 1, 8*s, 50*s, 5), sample("b", 1, 12*s, 54*s, 5), sample("b", 2, 16*s, 1*s, 6), sample("b", 2, 24*s, 3*s, 6)},
			[]facts.Usage{{Name: "b", CPU: 2*s + 1*s + 1*s, MeanCores: .4, MaxCores: .4, MemStart: 5 << 20, MemEnd: 6 << 20, MemMax: 6 << 20, Limit: 512 << 20, Threads: 2, Restarts: 1, Samples: 2, Covered: true}}},
		{"a restart in the warm-up is none of the window", []rundir.ResourceLine{
			sample("b", 1, 1*s, 50*s, 5), sample("b", 2, 2*s, 0, 5), sample("b", 2, 10*s, 1*s, 5), sample("b", 2, 20*s, 2*s, 5), sample("b", 3, 25*s, 2*s, 5)},
			[]facts.Usage{{Name: "b", CPU: 1 * s, MeanCores: .1, MaxCores: .1, MemStart: 5 << 20, MemEnd: 5 << 20, MemMax: 5 << 20, Limit: 512 << 20, Threads: 2, Samples: 2, Covered: true}}},
		{"samples that end early", []rundir.ResourceLine{sample("b", 1, 5*s, 0, 1), sample("b", 1, 15*s, 10*s, 1)},
			[]facts.Usage{{Name: "b", CPU: 5 * s, MeanCores: .5, MaxCores: .5, MemStart: 1 << 20, MemEnd: 1 << 20, MemMax: 1 << 20, Limit: 512 << 20, Threads: 1, Samples: 1}}},
		{"none inside", []rundir.ResourceLine{sample("b", 1, 5*s, 0, 1), sample("b", 1, 25*s, 10*s, 1)}, nil},
		{"names in order, a burst", []rundir.ResourceLine{
			sample("z", 1, 10*s, 0, 1), sample("z", 1, 11*s, 1500*ms, 1), sample("z", 1, 11*s+50*ms, 1600*ms, 1), sample("z", 1, 20*s, 2*s, 1), sample("a", 9, 10*s, 0, 1), sample("a", 9, 20*s, 0, 1)},
			[]facts.Usage{{Name: "a", MemStart: 1 << 20, MemEnd: 1 << 20, MemMax: 1 << 20, Limit: 512 << 20, Threads: 9, Samples: 2, Covered: true},
				{Name: "z", CPU: 2 * s, MeanCores: .2, MaxCores: 1.5, MemStart: 1 << 20, MemEnd: 1 << 20, MemMax: 1 << 20, Limit: 512 << 20, Threads: 1, Samples: 4, Covered: true}}},
	} {
		x := factstest.Trial{Record: rundir.Trial{WarmupEndNS: int64(10 * s), MeasureNS: int64(10 * s)}, Resources: c.lines}.Facts()
		if diff := cmp.Diff(c.want, x.Usages()); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}
