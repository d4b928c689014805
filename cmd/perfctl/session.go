package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/experiment"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/scenarios"
)

// loadFlags are the flags that abtest, run and plan share.
type loadFlags struct {
	rate     string
	duration time.Duration
	warmup   time.Duration
	seed     uint64
}

func (l *loadFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.rate, "rate", "", "arrivals per time, total: 50/s, 3000/m, 1/10s (default: the scenario's)")
	f.DurationVarP(&l.duration, "duration", "d", 0, "measured window of a run, whole seconds (default: the scenario's)")
	f.DurationVar(&l.warmup, "warmup", 0, "warm-up before the window, whole seconds (default: the scenario's)")
	f.Uint64Var(&l.seed, "seed", 0, "fixes the schedule, the mix, the payloads and the order of trials (default: drawn, and printed)")
}

// positive refuses a flag that was given as zero or less: it would be taken as not given.
func positive(c *cobra.Command, names ...string) error {
	for _, name := range names {
		f := c.Flags().Lookup(name)
		if !f.Changed {
			continue
		}
		if v := f.Value.String(); strings.HasPrefix(v, "-") || strings.Trim(v, "0s") == "" {
			return &usageError{fmt.Errorf("--%s %s: write a number above zero, or leave it out", name, v), ""}
		}
	}
	return nil
}

// rateAndSeed parses the rate and draws a seed where none was given.
func (l *loadFlags) rateAndSeed(c *cobra.Command) (arrival.Rate, error) {
	if err := positive(c, "duration", "warmup"); err != nil {
		return arrival.Rate{}, err
	}
	if !c.Flags().Changed("seed") {
		var b [4]byte
		if _, err := rand.Read(b[:]); err != nil {
			return arrival.Rate{}, err
		}
		l.seed = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	if l.rate == "" {
		return arrival.Rate{}, nil
	}
	r, err := arrival.ParseRate(l.rate)
	if err != nil {
		return r, &usageError{fmt.Errorf("--rate: %w", err), ""}
	}
	return r, nil
}

// openScenario finds and checks a scenario; its warnings go to stderr.
func (e *env) openScenario(name string) (*scenario.Scenario, error) {
	sc, problems, err := scenarios.Open(e.dir, name)
	if err != nil {
		return nil, &usageError{err, "see: perfctl scenarios list"}
	}
	if problems.Failed() {
		return nil, problems
	}
	if len(problems) > 0 {
		if err := problems.Write(e.err, e.colourErr); err != nil {
			return nil, err
		}
	}
	return sc, nil
}

// inFlight is the safety cap of a plan.
func inFlight(sc *scenario.Scenario) int {
	if sc.Load.MaxInFlight > 0 {
		return sc.Load.MaxInFlight
	}
	return experiment.MaxInFlight()
}

// outputFlags say where results go and in which form they are printed.
type outputFlags struct {
	out     string
	json    bool
	quiet   bool
	unclear string
}

func (o *outputFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&o.out, "out", "o", "results", "folder in which the run directory is made")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on stderr")
	o.registerForm(c)
}

func (o *outputFlags) registerForm(c *cobra.Command) {
	c.Flags().BoolVar(&o.json, "json", false, "print result.json on stdout instead of the summary")
}

func (o *outputFlags) registerUnclear(c *cobra.Command) {
	c.Flags().StringVar(&o.unclear, "unclear", "fail", "exit code of an unclear answer: fail (3) or ok (0)")
}

func (o *outputFlags) check() error {
	if o.unclear != "fail" && o.unclear != "ok" {
		return &usageError{fmt.Errorf("--unclear %q: write ok or fail", o.unclear), ""}
	}
	return nil
}

// carryOut runs an experiment and prints its result.
func (e *env) carryOut(ctx context.Context, r experiment.Request, o outputFlags) error {
	p := newProgress(e, r.Plan, o.quiet)
	p.start(r)
	noticed := context.AfterFunc(ctx, p.interrupted)
	r.Out, r.Self, r.Now, r.Version = o.out, e.self, e.now, version()
	r.Command = e.command(r.Seed)
	r.Watch, r.Progress = p.watch(), p
	res, dir, err := experiment.Run(ctx, r)
	noticed()
	p.end(res, dir)
	if res != nil {
		e.annotate(res)
		if perr := e.print(res, dir, o); perr != nil {
			return errors.Join(perr, err)
		}
	}
	if err != nil {
		return err
	}
	return o.exit(res)
}

// command is the line that repeats the experiment, with the seed that was drawn.
func (e *env) command(seed uint64) []string {
	line := slices.Clone(e.args)
	if !slices.ContainsFunc(line, func(s string) bool { return s == "--seed" || len(s) > 7 && s[:7] == "--seed=" }) {
		line = append(line, "--seed", fmt.Sprint(seed))
	}
	return line
}

func (e *env) print(res *result.Result, dir *rundir.Dir, o outputFlags) error {
	if o.json {
		return report.JSON(e.out, res)
	}
	return report.Terminal(e.out, res, report.TerminalOptions{Width: e.width, Colour: e.colourOut, ASCII: e.ascii, Dir: dir.Path()})
}

// exit is the answer's exit code; nothing more is printed.
func (o outputFlags) exit(res *result.Result) error {
	code := res.Verdict.Exit
	if o.unclear == "ok" && res.Verdict.Status == result.Unclear && code == exitNoAnswer {
		code = exitOK
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code}
}

var _ abtest.Progress = (*progress)(nil)
