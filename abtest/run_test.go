package abtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

// fake trials write the files of one slot and let time pass.
type fake struct {
	dir    *rundir.Dir
	clock  time.Time
	takes  time.Duration
	burnIn time.Duration                                                 // how much longer the first trial takes
	ran    []string                                                      // names, in order
	spoil  func(slot rundir.Slot, attempt int, x *factstest.Trial) error // what happens to a trial
}

func (f *fake) now() time.Time { return f.clock }

func (f *fake) Run(_ context.Context, slot rundir.Slot, attempt int) (string, error) {
	x := trialOf(slot, 20)
	x.Record.Name = fmt.Sprintf("%02d-%s", slot.Index, slot.Label)
	if slot.Pair == 0 {
		x.Record.Name += "-burn-in"
	}
	if attempt > 1 {
		x.Record.Name += fmt.Sprintf("-%d", attempt)
	}
	x.Record.Attempt, x.Record.Start = attempt, f.clock
	f.ran = append(f.ran, x.Record.Name)
	f.clock = f.clock.Add(f.takes)
	if slot.Pair == 0 {
		f.clock = f.clock.Add(f.burnIn)
	}
	var failed error
	if f.spoil != nil {
		failed = f.spoil(slot, attempt, &x)
	}
	return x.Record.Name, errors.Join(failed, x.Write(f.dir))
}

type recorder struct {
	trials []string
	looks  []int
}

func (r *recorder) Trial(done, planned int, t *facts.Trial, v verdict.Validity) {
	r.trials = append(r.trials, fmt.Sprintf("%d/%d %s %v", done, planned, t.Name, v.Valid))
}

func (r *recorder) Look(pairs int, st Standing) { r.looks = append(r.looks, pairs) }

// run runs a session of fake trials of 20 s each.
func run(t *testing.T, p rundir.Plan, spoil func(rundir.Slot, int, *factstest.Trial) error) (*fake, *recorder, string, error) {
	t.Helper()
	dir, err := rundir.Create(t.TempDir(), "abtest", "shop", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{dir: dir, clock: time.Unix(1_800_000_000, 0).UTC(), takes: 20 * time.Second, spoil: spoil}
	progress := &recorder{}
	reason, err := Run(context.Background(), dir, parse(t, shop), p, f, progress, f.now)
	return f, progress, reason, err
}

// planned names of the slots in the order of the plan.
func namesOf(p rundir.Plan, pairs int) []string {
	out := []string{"00-A-burn-in"}
	for _, s := range p.Slots[1 : 1+2*pairs] {
		out = append(out, fmt.Sprintf("%02d-%s", s.Index, s.Label))
	}
	return out
}

func noisy(_ rundir.Slot, _ int, x *factstest.Trial) error {
	random := rand.New(rand.NewPCG(uint64(x.Record.Slot.Index), 9))
	x.Operations[0].OK = slices.Repeat([]float64{20 * (1 + .8*random.Float64())}, 500)
	return nil
}

func TestSessionStopsWhenSettled(t *testing.T) {
	p := planOf(t, []string{"create_order p95"}, standard...)
	f, progress, reason, err := run(t, p, nil)
	if err != nil || reason != "every primary metric is settled" {
		t.Fatalf("%q, %v", reason, err)
	}
	if diff := cmp.Diff(namesOf(p, 4), f.ran); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{4}, progress.looks); diff != "" {
		t.Error(diff)
	}
	if progress.trials[0] != "1/25 00-A-burn-in true" || progress.trials[8] != "9/25 "+f.ran[8]+" true" {
		t.Errorf("got %v", progress.trials)
	}
}

func TestSessionEndsAtTheLastLook(t *testing.T) {
	p := planOf(t, []string{"create_order p95"}, standard...)
	f, progress, reason, err := run(t, p, noisy)
	if err != nil || reason != "the last look is reached" || len(f.ran) != 25 {
		t.Fatalf("%q, %v, %d trials", reason, err, len(f.ran))
	}
	if diff := cmp.Diff(standard, progress.looks); diff != "" {
		t.Error(diff)
	}
}

func spoilt(x *factstest.Trial) error {
	x.Record.HostUse = rundir.HostUse{Known: true, StealShare: .5}
	return nil
}

// A spoilt trial runs again at the end of its block: alone if its partner ran at most two
// slots before, else the whole pair, at most three times.
func TestSpoiltTrialsRunAgain(t *testing.T) {
	p := planOf(t, []string{"create_order p95"}, 4)
	names := namesOf(p, 4)
	n := func(i int, attempt string) string { return names[i] + attempt }
	for _, c := range []struct {
		name  string
		spoil map[string]int // name of a slot -> attempts that are spoilt
		want  []string
		pairs int
	}{
		{"the first", map[string]int{names[1]: 1}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, ""), n(1, "-2"), n(2, "-2")}, 4},
		{"the second", map[string]int{names[2]: 1}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, ""), n(1, "-2"), n(2, "-2")}, 4},
		{"the third", map[string]int{names[3]: 1}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, ""), n(3, "-2")}, 4},
		{"the fourth", map[string]int{names[4]: 1}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, ""), n(4, "-2")}, 4},
		{"the fourth, always", map[string]int{names[4]: 9}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, ""), n(4, "-2"), n(3, "-2"), n(4, "-3")}, 3},
		{"a pair, twice", map[string]int{names[3]: 2, names[4]: 2}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, ""), n(3, "-2"), n(4, "-2"), n(3, "-3"), n(4, "-3")}, 4},
		{"the burn-in", map[string]int{names[0]: 1}, []string{n(1, ""), n(2, ""), n(3, ""), n(4, "")}, 4},
	} {
		f, _, reason, err := run(t, p, func(s rundir.Slot, attempt int, x *factstest.Trial) error {
			if attempt <= c.spoil[names[s.Index]] {
				return spoilt(x)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := append(append([]string{names[0]}, c.want...), names[5:]...)
		if diff := cmp.Diff(want, f.ran); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		last := map[bool]string{true: "the last look is reached", false: "every planned pair was run"}[c.pairs == 4]
		s := sessionOf(t, p)
		for _, name := range f.ran {
			x, err := facts.Load(f.dir, name)
			if err != nil {
				t.Fatal(err)
			}
			s.Add(x)
		}
		if got := s.pairs(); len(got) != c.pairs || reason != last {
			t.Errorf("%s: %d pairs, %q", c.name, len(got), reason)
		}
		for _, pr := range s.pairs() {
			for _, x := range []*facts.Trial{pr.a, pr.b} {
				if x.HostUse.StealShare > 0 {
					t.Errorf("%s: a spoilt trial counts", c.name)
				}
			}
		}
	}
}

// No run starts that would end after the time that the session has.
func TestMaxTime(t *testing.T) {
	for _, c := range []struct {
		limit  time.Duration
		trials int
	}{{10 * time.Second, 0}, {11 * time.Second, 1}, {59 * time.Second, 2}, {60 * time.Second, 3}, {180 * time.Second, 9}} {
		p := planOf(t, []string{"create_order p95"}, 6)
		p.MaxTimeNS = int64(c.limit)
		f, _, reason, err := run(t, p, nil)
		if err != nil || reason != "the time of the session is up" || len(f.ran) != c.trials {
			t.Errorf("%v: %d trials, want %d; %q, %v", c.limit, len(f.ran), c.trials, reason, err)
		}
	}
}

// The burn-in may build or fetch things; no later run takes as long.
func TestTheBurnInIsNoForecast(t *testing.T) {
	dir, err := rundir.Create(t.TempDir(), "abtest", "shop", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	p := planOf(t, []string{"create_order p95"}, 6)
	p.MaxTimeNS = int64(200 * time.Second)
	f := &fake{dir: dir, clock: time.Unix(1_800_000_000, 0).UTC(), takes: 20 * time.Second, burnIn: 100 * time.Second}
	if _, err := Run(context.Background(), dir, parse(t, shop), p, f, &recorder{}, f.now); err != nil || len(f.ran) != 5 {
		t.Errorf("%v, %v", f.ran, err) // 120 s, then four of 20 s
	}
}

func TestShortWarmupStopsAtTheFirstLook(t *testing.T) {
	for _, quick := range []bool{false, true} {
		p := planOf(t, []string{"create_order p95", "reserve_stock p95"}, standard...)
		p.Quick = quick
		_, progress, reason, err := run(t, p, func(s rundir.Slot, n int, x *factstest.Trial) error {
			slow := make([]float64, 500) // second i mod 10 of the window: the first three are slow
			for i := range slow {
				slow[i] = 20
				if i%10 < 3 {
					slow[i] = 40
				}
			}
			x.Operations[0].OK = slow
			if s.Label == "B" {
				for i := range x.Operations[1].OK {
					x.Operations[1].OK[i] *= []float64{.33, 3}[s.Pair%2] // keeps the session open
				}
			}
			return nil
		})
		want := map[bool]string{false: "the warm-up is too short; see WARMUP", true: "the last look is reached"}[quick]
		if err != nil || reason != want || len(progress.looks) != map[bool]int{false: 1, true: 5}[quick] {
			t.Errorf("quick %v: %q, %v, looks %v", quick, reason, err, progress.looks)
		}
	}
}

func TestOverloadEndsTheSession(t *testing.T) {
	p := planOf(t, []string{"create_order p95"}, standard...)
	f, _, reason, err := run(t, p, func(s rundir.Slot, _ int, x *factstest.Trial) error {
		if s.Label == "B" {
			x.Record.CapHit = 10
		}
		return nil
	})
	if err != nil || reason != "a variant could not sustain the load; see GENSAT" || len(f.ran) > 5 {
		t.Errorf("%q, %v after %v", reason, err, f.ran)
	}
}

func TestErrorsEndTheSession(t *testing.T) {
	p := planOf(t, []string{"create_order p95"}, standard...)
	broken := errors.New("exit 137")
	f, _, reason, err := run(t, p, func(s rundir.Slot, _ int, x *factstest.Trial) error {
		if s.Index == 3 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || reason != "trial "+f.ran[3]+": exit 137" || len(f.ran) != 4 {
		t.Errorf("%q, %v, %v", reason, err, f.ran)
	}
	f, _, _, err = run(t, p, func(s rundir.Slot, _ int, x *factstest.Trial) error {
		x.Operations[1].Name = "bad name" // refused by the log
		return nil
	})
	if err == nil || len(f.ran) != 1 {
		t.Errorf("%v, %v", err, f.ran)
	}
	p.Primary = []string{"nothing p95"}
	if _, _, _, err := run(t, p, nil); err == nil || !strings.Contains(err.Error(), "nothing p95") {
		t.Errorf("got %v", err)
	}
}
