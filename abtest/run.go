package abtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// maxAttempts is how often one slot is run: once, and twice again when the
// generator or its machine spoilt it.
const maxAttempts = 3

// A Trials runs one slot and returns its folder's name.
type Trials interface {
	Run(ctx context.Context, slot rundir.Slot, attempt int) (name string, err error)
}

// A Progress is told what a session does. Its functions are called from one goroutine.
type Progress interface {
	Trial(done, planned int, t *facts.Trial, v verdict.Validity)
	Look(pairs int, st Standing)
}

// Run runs a planned session until a look settles every primary metric, the last look is
// reached or its time is up, and returns why it ended. Trials are appended to dir;
// nothing is judged beyond the decision to go on.
func Run(ctx context.Context, dir *rundir.Dir, sc *scenario.Scenario, p rundir.Plan, trials Trials, report Progress, now func() time.Time) (reason string, err error) {
	s, err := NewSession(sc, p)
	if err != nil {
		return "", err
	}
	r := &running{Session: s, dir: dir, runner: trials, report: report, now: now, began: now(), attempts: map[int]int{},
		longest: time.Duration(p.WarmupNS + p.MeasureNS)}
	return r.run(ctx)
}

type running struct {
	*Session
	dir      *rundir.Dir
	runner   Trials
	report   Progress
	now      func() time.Time
	began    time.Time
	longest  time.Duration // of a trial so far, at least its load; the burn-in may be slower than any
	attempts map[int]int
	sequence []int // slots in the order in which they ran, by attempt
}

var errTimeUp = errors.New("the time of the session is up")

func (r *running) run(ctx context.Context) (string, error) {
	lastLook := -1
	for _, block := range r.blocks() {
		for _, slot := range block {
			if err := r.slot(ctx, slot); err != nil {
				return r.ended(err)
			}
			if slot.Pair == 0 {
				continue
			}
			if why, err := r.judge(&lastLook); why != "" || err != nil {
				return why, err
			}
		}
		if err := r.again(ctx, block); err != nil {
			return r.ended(err)
		}
		if why, err := r.judge(&lastLook); why != "" || err != nil {
			return why, err
		}
	}
	return "every planned pair was run", nil
}

func (r *running) ended(err error) (string, error) {
	if errors.Is(err, errTimeUp) {
		return err.Error(), nil
	}
	return err.Error(), err
}

// blocks are the plan's slots by block, the burn-in first.
func (r *running) blocks() [][]rundir.Slot {
	var out [][]rundir.Slot
	for _, s := range r.plan.Slots {
		if n := len(out); n > 0 && out[n-1][0].Block == s.Block {
			out[n-1] = append(out[n-1], s)
			continue
		}
		out = append(out, []rundir.Slot{s})
	}
	return out
}

func (r *running) slot(ctx context.Context, slot rundir.Slot) error {
	if limit := time.Duration(r.plan.MaxTimeNS); limit > 0 && r.now().Sub(r.began)+r.longest > limit {
		return errTimeUp
	}
	r.attempts[slot.Index]++
	r.sequence = append(r.sequence, slot.Index)
	began := r.now()
	name, err := r.runner.Run(ctx, slot, r.attempts[slot.Index])
	if slot.Pair > 0 {
		r.longest = max(r.longest, r.now().Sub(began))
	}
	if err != nil {
		return fmt.Errorf("trial %s: %w", name, err)
	}
	t, err := facts.Load(r.dir, name)
	if err != nil {
		return err
	}
	v := r.Add(t)
	r.report.Trial(len(r.trials), len(r.plan.Slots), t, v)
	return nil
}

// again re-runs a block's pairs that lack a valid trial: the trial alone when its
// partner ran at most two slots before, else both in their order.
func (r *running) again(ctx context.Context, block []rundir.Slot) error {
	for attempt := 2; attempt <= maxAttempts; attempt++ {
		for _, pair := range r.incomplete(block) {
			for _, slot := range pair {
				if r.attempts[slot.Index] >= maxAttempts {
					continue
				}
				if r.isValid(slot.Index) && r.distance(slot.Index) <= 2 {
					continue
				}
				if err := r.slot(ctx, slot); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// incomplete are the pairs of a block of which a trial does not count.
func (r *running) incomplete(block []rundir.Slot) [][]rundir.Slot {
	var out [][]rundir.Slot
	for i := 0; i+1 < len(block); i += 2 {
		if pair := block[i : i+2]; !r.isValid(pair[0].Index) || !r.isValid(pair[1].Index) {
			out = append(out, pair)
		}
	}
	return out
}

func (r *running) isValid(slot int) bool {
	return slices.ContainsFunc(r.trials, func(t judged) bool { return t.Slot.Index == slot && t.Valid })
}

// distance is how many trials ago the slot ran last.
func (r *running) distance(slot int) int {
	for i := len(r.sequence) - 1; i >= 0; i-- {
		if r.sequence[i] == slot {
			return len(r.sequence) - i
		}
	}
	return len(r.sequence)
}

// judge looks when a new look is reached, and says why the session may end here.
func (r *running) judge(last *int) (why string, err error) {
	if verdict.Stops(r.overloadWarnings()) {
		return "a variant could not sustain the load; see GENSAT", nil
	}
	k, ok := r.look()
	if !ok || k <= *last {
		return "", nil
	}
	*last = k
	st, err := r.Stand(k)
	if err != nil {
		return "", err
	}
	r.report.Look(r.procedure.Looks().Pairs(k), st)
	switch {
	case k == 0 && !r.plan.Quick && verdict.Stops(r.warmupWarnings(st)):
		return "the warm-up is too short; see WARMUP", nil
	case k == r.procedure.Looks().Len()-1:
		return "the last look is reached", nil
	case st.Done:
		return "every primary metric is settled", nil
	}
	return "", nil
}

// Expected is how long a session takes: at least up to its first look, at most up to its last one.
func Expected(p rundir.Plan, looks []int, perTrial time.Duration) (least, most time.Duration) {
	one := perTrial + time.Duration(p.WarmupNS) + time.Duration(p.MeasureNS)
	burn := 0
	if p.Burn {
		burn = 1
	}
	least, most = time.Duration(2*looks[0]+burn)*one, time.Duration(2*p.PairsMax+burn)*one
	if limit := time.Duration(p.MaxTimeNS); limit > 0 {
		least, most = min(least, limit), min(most, limit)
	}
	return least, most
}
