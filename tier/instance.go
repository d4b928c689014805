package tier

import (
	"context"
	"fmt"
	"strings"

	"github.com/perfctl/perfctl/observe"
	"github.com/perfctl/perfctl/rundir"
)

// An Instance is one variant that is up and ready.
type Instance struct {
	proof  Proof
	exited <-chan Exit
	down   func(context.Context) error
}

// A Proof is what was asked for, found and not found while a variant came up.
type Proof struct {
	Endpoints map[string]string // service -> base URL
	Asked     []rundir.Setting
	Observed  []rundir.Setting
	Facts     []rundir.Setting // not asked for: executables, versions
	Untreated []Difference
	Notes     []string
	Processes []observe.Target

	// Again looks at what was asked for once more. Nil means that nothing can be.
	Again func(context.Context) []Difference
}

// A Difference is a setting that was asked for and not observed.
type Difference struct {
	Where, Name string
	Asked       string
	Observed    string // what was there instead; may be empty
	Proof       string // how it was looked for, and why it was not seen
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s: asked %q, observed %q (%s)", d.Where, d.Name, d.Asked, d.Observed, d.Proof)
}

// An Exit is the end of a program that was not asked to end.
type Exit struct {
	Program string
	PID     int
	Code    int    // -1 when a signal ended it
	Signal  string // "killed"; empty when it ended by itself
	Log     []string
}

func (e Exit) String() string {
	how := fmt.Sprintf("ended with exit code %d", e.Code)
	if e.Signal != "" {
		how = "was ended by a signal: " + e.Signal
	}
	return fmt.Sprintf("program %s (pid %d) %s%s", e.Program, e.PID, how, Indent(e.Log))
}

// Indent writes log lines below a message.
func Indent(lines []string) string {
	if len(lines) == 0 {
		return "\n    its log is empty"
	}
	return "\n    | " + strings.Join(lines, "\n    | ")
}

// NewInstance returns an instance of which proof was made. Exited is closed by the tier
// when no program can end any more; down ends the instance and proves that it is gone.
func NewInstance(proof Proof, exited <-chan Exit, down func(context.Context) error) *Instance {
	return &Instance{proof, exited, down}
}

// Endpoints returns the base URL of each service.
func (i *Instance) Endpoints() map[string]string { return i.proof.Endpoints }

// Asked returns what the variant asks for, secrets masked.
func (i *Instance) Asked() []rundir.Setting { return i.proof.Asked }

// Observed returns what was seen on the live system: the settings of this variant that
// were found, and the values at the probes of all variants.
func (i *Instance) Observed() []rundir.Setting { return i.proof.Observed }

// Facts returns what is known of the programs and was not asked for.
func (i *Instance) Facts() []rundir.Setting { return i.proof.Facts }

// Untreated returns the settings that were asked for and not observed. The caller stops
// when there is one.
func (i *Instance) Untreated() []Difference { return i.proof.Untreated }

// Recheck looks once more, for instance after the load, and returns what is not as it was
// asked any more.
func (i *Instance) Recheck(ctx context.Context) []Difference {
	if i.proof.Again == nil {
		return nil
	}
	return i.proof.Again(ctx)
}

// Notes returns limits of the proof in words.
func (i *Instance) Notes() []string { return i.proof.Notes }

// Processes returns the programs to sample, none when the tier did not start them.
func (i *Instance) Processes() []observe.Target { return i.proof.Processes }

// Exited reports programs that end before Down. It is closed after the last one ended.
func (i *Instance) Exited() <-chan Exit { return i.exited }

// Down ends the instance and proves that nothing of it is left. A ctx that is done makes
// it impatient, never incomplete. A second call returns what the first did.
func (i *Instance) Down(ctx context.Context) error { return i.down(ctx) }
