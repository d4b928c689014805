package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/trial"
	"github.com/perfctl/perfctl/verdict"
)

// progress tells on stderr what an experiment does: on a terminal one line that is
// drawn again in place, elsewhere one line a second and one an event.
type progress struct {
	mu    sync.Mutex
	e     *env
	plan  rundir.Plan
	quiet bool
	began time.Time
	phase string
	trial string
	done  int
	last  time.Time // of the last beat off a terminal
	drawn bool
}

func newProgress(e *env, p rundir.Plan, quiet bool) *progress {
	return &progress{e: e, plan: p, quiet: quiet, began: e.now()}
}

func (p *progress) watch() trial.Watch {
	return trial.Watch{Phase: p.onPhase, Live: p.onLive, Event: p.onEvent}
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
	text := fmt.Sprintf("looked after %d pairs: %s", pairs, map[bool]string{true: "settled", false: "not settled, going on"}[st.Done])
	if p.e.errTTY {
		p.print(" " + text)
		return
	}
	p.line("look", "pairs=%d done=%t", pairs, st.Done)
}

// start says what begins; a terminal shows it in the status line.
func (p *progress) start(r experiment.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.e.errTTY {
		p.line("start", "cmd=%s scenario=%s rate=%s seed=%d runs=%d", r.Kind, r.Scenario.Name, r.Plan.Rate, r.Seed, len(r.Plan.Slots))
	}
}

// interrupted says what the first Ctrl-C does, and that a second one is different.
func (p *progress) interrupted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.e.errTTY {
		p.print(" interrupted: waiting for the answers and ending the system; what was measured is reported. Again to stop at once")
		return
	}
	p.line("stop", "why=interrupted next=drain")
}

// onEvent tells what somebody should know while it happens: ends, kills, warnings.
func (p *progress) onEvent(name string, l rundir.EventLine) {
	if l.Kind != "warning" && l.Kind != "exit" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text, _, _ := strings.Cut(l.Text, "\n")
	if p.e.errTTY {
		p.print(fmt.Sprintf(" %s  %s: %s", name, l.Kind, text))
		return
	}
	p.line(l.Kind, "run=%s text=%q", name, text)
}

// end clears the status line, or says how it went.
func (p *progress) end(res *result.Result, dir *rundir.Dir) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.e.err, "\r\x1b[K")
		p.drawn = false
	}
	if p.e.errTTY || dir == nil {
		return
	}
	if res != nil {
		p.line("verdict", "status=%q exit=%d", res.Verdict.Status, res.Verdict.Exit)
	}
	p.line("wrote", "dir=%q", dir.Path())
}

func (p *progress) head() string {
	return fmt.Sprintf(" %s  run %d of %d%s  %s", clock(p.e.now().Sub(p.began)), p.done+1, len(p.plan.Slots), atMost(p.plan), p.trial)
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
	if r, width := []rune(line), max(p.e.errWidth(), 2); len(r) >= width {
		line = string(r[:width-1])
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
	fmt.Fprintf(p.e.err, "%s %-7s %s\n", p.e.now().UTC().Format("15:04:05Z"), event, fmt.Sprintf(format, args...))
}

func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
