package load

import (
	"context"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/perfctl/perfctl/arrival"
	"github.com/perfctl/perfctl/client"
)

// Outcome is the class of what became of one arrival. The names are those of the
// files and reports.
type Outcome string

// The outcomes. OK and Functional are answers of a working system; System are its
// failures; Timeout is censored; Client is the generator's own fault; Unsent was
// scheduled and never sent before the drain ended.
const (
	OK         Outcome = "ok"
	Functional Outcome = "functional"
	System     Outcome = "system"
	Timeout    Outcome = "timeout"
	Client     Outcome = "client"
	Unsent     Outcome = "unsent"
)

// A Workload says what each arrival sends and what its answer means. All methods are
// pure functions of their arguments (the same index gives the same bytes) and safe
// for concurrent use.
type Workload interface {
	// Operations names the operations; an Exchange refers to them by position.
	Operations() []string
	// Completions names the completions; a Completion refers to them by position.
	Completions() []string
	// Arrival prepares arrival i.
	Arrival(i int64) Exchange
	// Judge says what a reply to operation op means. The signature is a short stable
	// text for the error ledger ("409 INSUFFICIENT_STOCK"), empty when OK.
	Judge(op int, r *client.Response) (o Outcome, signature string)
	// Follow returns the completion that begins with this accepted reply, or nil.
	// It is asked only for exchanges with Completion >= 0 whose outcome is OK.
	Follow(x Exchange, r *client.Response) (*Completion, error)
}

// An Exchange is one arrival's request.
type Exchange struct {
	Index      int64
	Operation  int
	Request    *client.Request
	Completion int    // position of the sampled completion that must follow, or -1
	Key        string // feeder keys used, for the slow-request table; may be empty
}

// Progress is what one poll saw.
type Progress uint8

// Missing means that the polled thing is not known there (404); it differs from
// Pending because a thing that was seen and is then missing tells of replicas that disagree.
const (
	Pending Progress = iota
	Missing
	Succeeded
	Failed
	PollError
)

// A Completion follows one accepted arrival until it is done. It is polled on the
// completion's own scheduler and holds no slot of the in-flight limit.
type Completion struct {
	Name    int // position in Workload.Completions
	Poll    *client.Request
	Judge   func(r *client.Response) Progress
	First   time.Duration // wait before the first poll
	Growth  float64       // each wait is the one before times this, at least one round trip
	Every   time.Duration // the longest wait between polls; 0 means unlimited
	Timeout time.Duration // from the intended start of the arrival; then it is censored
}

// Options describe one load run.
type Options struct {
	Schedule    arrival.Schedule
	Start       time.Time     // of the schedule; zero means as soon as the pacer is ready
	Warmup      time.Duration // sent, recorded, not measured
	Measure     time.Duration
	Drain       time.Duration // how long to wait for answers after the last arrival
	MaxInFlight int           // the safety cap; must be > 0
	// Steady, when set, may end the warm-up before WarmupMax: it is asked once a second
	// after Warmup with the seconds recorded so far. The measured window then begins at
	// the next whole second. Nil means the warm-up lasts exactly Warmup.
	Steady    func(seconds []Second) bool
	WarmupMax time.Duration
	Slowest   int // how many of the slowest measured arrivals to keep with their attributes
	// Sleeper waits for the arrivals; nil means arrival.Open, the most exact of this
	// machine. In a testing/synctest bubble it must be arrival.OpenTimer.
	Sleeper func(context.Context) arrival.Sleeper
}

// A Key names one histogram series.
type Key struct {
	Operation string // an operation, a completion, or a completion's "NAME.poll"
	Outcome   Outcome
}

// A Series holds the counts and times of one key in one second of intended starts.
// The histograms are in nanoseconds, 1 us to 10 min, 3 significant digits.
type Series struct {
	Count    int64          // arrivals; equals the histogram's count, unsent ones have no times
	Response *hdr.Histogram // done - intended start
	Service  *hdr.Histogram // done - sent; nil for completions
}

// A Second is the ledger of one second of the schedule: everything is booked to the
// second of the intended start, so a window of the schedule is a set of seconds.
// It is handed over when each of its arrivals is over.
type Second struct {
	Start     time.Duration // offset from the start of the run
	Measured  bool
	Scheduled map[string]int64 // by operation; completions: sampled arrivals
	Series    map[Key]*Series
	Lateness  *hdr.Histogram // sent - intended start, all operations
	// Booked to the second in which it happened:
	Sent     int64
	Done     int64
	InFlight int64 // most at once in that second
	Waiting  int64 // most arrivals waiting for the in-flight limit in that second
}

// A SlowRequest is one of the slowest measured arrivals.
type SlowRequest struct {
	Index                int64
	Operation            string
	Outcome              Outcome
	Intended, Sent, Done time.Duration // offsets from the start of the run
	Status               int
	RequestBytes         int
	ResponseBytes        int64
	Reused               bool
	Replica, Remote, Key string
}

// A CompletionRecord is one followed arrival, stored as an interval: it was not yet
// done at Lower and known to be done at Upper, both from its intended start.
type CompletionRecord struct {
	Index         int64
	Completion    string
	Intended      time.Duration
	Measured      bool
	Lower, Upper  time.Duration // Upper is the timeout when Outcome is Timeout
	Outcome       Outcome       // OK succeeded, Functional ended in a declared failure, Timeout, System not followed (the arrival itself failed)
	Polls, Misses int
	Disagreements int // polls that missed after one that had seen it
	PollErrors    int
}

// An ErrorRecord counts one signature of one operation over the measured window.
type ErrorRecord struct {
	Operation   string
	Outcome     Outcome
	Signature   string
	Count       int64
	First, Last time.Duration // intended starts
	Example     string        // one message, at most 300 bytes
}

// A Sink receives facts as the run goes. Calls come from one goroutine, seconds in order.
type Sink interface {
	Second(Second) error
	Completion(CompletionRecord) error
}

// Totals close a load run; counts are of the measured window unless said otherwise.
type Totals struct {
	Planned     int64 // arrivals of the whole schedule, warm-up included
	Scheduled   int64
	Sent        int64
	Unsent      int64
	Outcomes    map[string]map[Outcome]int64 // by operation
	Completions map[string]map[Outcome]int64 // by completion: sampled arrivals
	InFlightMax int64
	CapHit      int64 // arrivals that had to wait for the in-flight limit
	Clamped     int64 // times above the ten minutes of the histograms, kept as ten minutes; whole run
	WarmupEnd   time.Duration
	End         time.Duration // offset at which the last answer arrived
	Lateness    *hdr.Histogram
	Errors      []ErrorRecord
	Slowest     []SlowRequest
	Engine      client.Stats
	Cut         bool // arrivals were stopped early (context cancelled)
	Steady      bool // the warm-up ended because Steady said so
	Start       time.Time
}

// Live is a snapshot for a progress line.
type Live struct {
	At                  time.Duration
	Measuring           bool
	Scheduled, Sent     int64
	Done                int64
	InFlight, Waiting   int64
	LatenessP99         time.Duration
	OperationP95        map[string]time.Duration // OK responses of the last ten seconds
	Failed, OpenFollows int64
}
