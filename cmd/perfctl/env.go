package main

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// env is what a command sees of the world.
type env struct {
	in          io.Reader
	out, err    io.Writer
	now         func() time.Time
	errTTY      bool       // progress may redraw its line
	width       int        // of stdout
	errWidth    func() int // of the terminal on stderr, now
	colourOut   bool
	colourErr   bool
	ascii       bool
	self        string // path of the running perfctl
	args        []string
	actions     bool   // GitHub Actions reads stderr
	stepSummary string // file of GitHub Actions for Markdown; may be empty
	dir         string // working directory
}

func systemEnv() *env {
	e := &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, now: time.Now, args: append([]string{"perfctl"}, os.Args[1:]...), dir: "."}
	e.errTTY = term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
	e.errWidth = func() int {
		if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && w > 0 {
			return w
		}
		return 80
	}
	outTTY := term.IsTerminal(int(os.Stdout.Fd()))
	e.width = 100
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		e.width = min(w, 120)
	}
	colour := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	force := os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0"
	e.colourOut = colour && (outTTY || force)
	e.colourErr = colour && (e.errTTY || force)
	e.actions, e.stepSummary = os.Getenv("GITHUB_ACTIONS") == "true", os.Getenv("GITHUB_STEP_SUMMARY")
	e.self, _ = os.Executable() // empty only where the system cannot tell; ${perfctl} then fails with its own error
	return e
}
