package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// told tells a short session to a progress, a quarter of a second at a time.
func told(t *testing.T, change func(*env), quiet bool) *bytes.Buffer {
	t.Helper()
	e, _, stderr := testEnv()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("CET", 3600))
	e.now = func() time.Time { return at }
	if change != nil {
		change(e)
	}
	plan := rundir.Plan{Rate: "50/s", Looks: []int{4, 6}, Slots: make([]rundir.Slot, 13)}
	p := newProgress(e, plan, quiet)
	p.start(experiment.Request{Kind: result.KindABTest, Scenario: &scenario.Scenario{Name: "shop"}, Plan: plan, Seed: 41})
	watch := p.watch()
	for _, phase := range []string{"up", "seed", "warm-up"} {
		watch.Phase("01-A", phase)
	}
	for i := range 9 {
		at = at.Add(250 * time.Millisecond)
		watch.Live("01-A", load.Live{At: time.Duration(i) * 250 * time.Millisecond, Sent: int64(i), InFlight: 3, Waiting: 2, Failed: 1, LatenessP99: 42 * time.Microsecond})
	}
	watch.Event("01-A", rundir.EventLine{Kind: "ready", Text: "every service is ready"})
	watch.Event("01-A", rundir.EventLine{Kind: "warning", Text: "ended pid 7\n    | its log"})
	trial := &facts.Trial{TrialRecord: &rundir.TrialRecord{Trial: rundir.Trial{Name: "01-A", Slot: rundir.Slot{Index: 1, Pair: 1, Variant: "old"}}}}
	p.Trial(1, 13, trial, verdict.Validity{Valid: true})
	p.Trial(2, 13, trial, verdict.Validity{Why: "LATE: 5 ms"})
	p.Look(4, abtest.Standing{})
	watch.Phase("02-B", "up")
	p.interrupted()
	watch.Phase("02-B", "down")
	dir, err := rundir.Create(t.TempDir(), "abtest", "shop", at)
	if err != nil {
		t.Fatal(err)
	}
	p.end(&result.Result{Verdict: result.Verdict{Status: result.NotComparable, Exit: 3}}, dir)
	return stderr
}

// TestPlainProgress is one line an event and at most one beat a second, in UTC.
func TestPlainProgress(t *testing.T) {
	text := regexp.MustCompile(`dir=.*`).ReplaceAllString(told(t, nil, false).String(), "dir=...")
	want := `11:00:00Z start   cmd=abtest scenario=shop rate=50/s seed=41 runs=13
11:00:00Z phase   run=01-A phase=up
11:00:00Z phase   run=01-A phase=seed
11:00:00Z phase   run=01-A phase=warm-up
11:00:00Z beat    run=01-A phase=warm-up t=00:00 sent=0 inflight=3 waiting=2 failed=1 late_p99=0.0420ms
11:00:01Z beat    run=01-A phase=warm-up t=00:01 sent=4 inflight=3 waiting=2 failed=1 late_p99=0.0420ms
11:00:02Z beat    run=01-A phase=warm-up t=00:02 sent=8 inflight=3 waiting=2 failed=1 late_p99=0.0420ms
11:00:02Z warning run=01-A text="ended pid 7"
11:00:02Z run     run=01-A variant=old valid=true why=""
11:00:02Z run     run=01-A variant=old valid=false why="LATE: 5 ms"
11:00:02Z look    pairs=4 done=false
11:00:02Z phase   run=02-B phase=up
11:00:02Z stop    why=interrupted next=drain
11:00:02Z phase   run=02-B phase=down
11:00:02Z verdict status="not comparable" exit=3
11:00:02Z wrote   dir=...
`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
}

// TestTerminalProgress redraws one line that never reaches the last column, and leaves
// nothing of it behind.
func TestTerminalProgress(t *testing.T) {
	for _, width := range []int{1, 20, 60, 200} {
		text := told(t, func(e *env) { e.errTTY, e.errWidth = true, func() int { return width } }, false).String()
		for _, line := range strings.Split(text, "\r\x1b[K") {
			if strings.HasSuffix(line, "\n") {
				continue // stays, and may wrap
			}
			if n := utf8.RuneCountInString(line); n >= max(width, 2) || strings.Contains(line, "\n") {
				t.Errorf("width %d: %d columns: %q", width, n, line)
			}
		}
		if !strings.HasSuffix(text, "\r\x1b[K") {
			t.Errorf("width %d: the last line stays: %q", width, text[max(0, len(text)-80):])
		}
		if width < 200 {
			continue
		}
		for _, want := range []string{
			" 00:02  run 1 of 13 at most  01-A  warm-up 00:02  sent 8  in flight 3 (+2 waiting)  late p99 0.0420 ms  failed 1",
			" run 01-A         old          counts\n",
			" run 01-A         old          does not count: LATE: 5 ms\n",
			" looked after 4 pairs: not settled, going on\n",
			" 01-A  warning: ended pid 7\n",
			" interrupted: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in %q", want, text)
			}
		}
	}
}

func TestQuiet(t *testing.T) {
	if text := told(t, nil, true); text.Len() > 0 {
		t.Errorf("off a terminal: %s", text)
	}
	if text := told(t, func(e *env) { e.errTTY = true }, true); text.Len() > 0 {
		t.Errorf("on a terminal: %s", text)
	}
}
