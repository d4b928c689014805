package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/trial"
	"github.com/perfctl/perfctl/verdict"
)

// progress tells on stderr what an experiment does: on a terminal one line that is
// drawn again in place, elsewhere one line a second and one an event.
type progress struct {
	mu      sync.Mutex
	e       *env
	plan    rundir.Plan
	quiet   bool
	began   time.Time
	phase   string
	trial   string
	done    int
	last    time.Time // of the last line off a terminal
	drawn   bool
	looks   int
	elapsed func() time.Duration
}

func newProgress(e *env, p rundir.Plan, quiet bool) *progress {
	began := e.now()
	return &progress{e: e, plan: p, quiet: quiet, began: began, elapsed: func() time.Duration { return e.now().Sub(began) }}
}

func (p *progress) watch() trial.Watch {
	return trial.Watch{Phase: p.onPhase, Live: p.onLive}
}

func (p *progress) onPhase(name, phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trial, p.phase = name, phase
	if p.e.errTTY {
		p.draw(fmt.Sprintf("%s  %s", p.head(), phase))
		return
	}
	p.line("phase", "run=%s phase=%s", name, phase)
}

func (p *progress) onLive(name string, l load.Live) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trial = name
	if p.e.errTTY {
		p.draw(fmt.Sprintf("%s  %s %s  sent %d  in flight %d%s  late p99 %s ms%s", p.head(), p.phase, clock(l.At), l.Sent, l.InFlight,
			waiting(l.Waiting), facts.MS(float64(l.LatenessP99)), failed(l.Failed)))
		return
	}
	if now := p.e.now(); now.Sub(p.last) >= time.Second {
		p.last = now
		p.line("beat", "run=%s phase=%s t=%s sent=%d inflight=%d waiting=%d failed=%d late_p99=%sms",
			name, strings.ReplaceAll(p.phase, " ", "-"), clock(l.At), l.Sent, l.InFlight, l.Waiting, l.Failed, facts.MS(float64(l.LatenessP99)))
	}
}

func waiting(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (+%d waiting)", n)
}

func failed(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("  failed %d", n)
}

// Trial reports the end of one trial.
func (p *progress) Trial(done, planned int, t *facts.Trial, v verdict.Validity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = done
	status := "counts"
	switch {
	case t.Slot.Pair == 0:
		status = "burn-in, not used"
	case !v.Valid:
		status = "does not count: " + v.Why
	}
	if p.e.errTTY {
		p.print(fmt.Sprintf(" run %-12s %-12s %s", t.Name, t.Slot.Variant, status))
		return
	}
	p.line("run", "run=%s variant=%s valid=%t why=%q", t.Name, t.Slot.Variant, v.Valid, v.Why)
}

// Look reports that the session was judged; no verdict is shown before its end.
func (p *progress) Look(pairs int, st abtest.Standing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	text := fmt.Sprintf("looked after %d pairs: %s", pairs, map[bool]string{true: "settled", false: "not settled, going on"}[st.Done])
	if p.e.errTTY {
		p.print(" " + text)
		return
	}
	p.line("look", "pairs=%d done=%t", pairs, st.Done)
}

// end clears the status line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.e.err, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *progress) head() string {
	return fmt.Sprintf(" %s  run %d of %d%s  %s", clock(p.elapsed()), p.done+1, len(p.plan.Slots), atMost(p.plan), p.trial)
}

func atMost(p rundir.Plan) string {
	if len(p.Looks) > 1 {
		return " at most"
	}
	return ""
}

// draw replaces the status line, cut to the terminal's width.
func (p *progress) draw(line string) {
	if p.quiet {
		return
	}
	if r := []rune(line); len(r) >= p.e.width {
		line = string(r[:p.e.width-1])
	}
	fmt.Fprint(p.e.err, "\r\x1b[K"+line)
	p.drawn = true
}

// print writes a line that stays.
func (p *progress) print(line string) {
	if p.quiet {
		return
	}
	fmt.Fprint(p.e.err, "\r\x1b[K"+line+"\n")
	p.drawn = false
}

// line writes one event off a terminal.
func (p *progress) line(event, format string, args ...any) {
	if p.quiet {
		return
	}
	fmt.Fprintf(p.e.err, "%s %-6s %s\n", p.e.now().UTC().Format("15:04:05Z"), event, fmt.Sprintf(format, args...))
}

func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
