package rundir

import "time"

// Version is the schema version of the files; readers refuse any other.
const Version = 1

// States of a run directory. Running is what a crash leaves behind.
const (
	Running     = "running"
	Complete    = "complete"
	Interrupted = "interrupted"
	FailedState = "failed"
)

// A Manifest says what was planned and with what. It is written before the first
// trial starts and replaced by an atomic rename when the state changes.
type Manifest struct {
	Version        int       `json:"version"`
	Kind           string    `json:"kind"` // abtest or run
	ID             string    `json:"id"`
	Command        []string  `json:"command"`
	Started        time.Time `json:"started"`
	Ended          time.Time `json:"ended,omitzero"`
	State          string    `json:"state"`
	Reason         string    `json:"reason,omitempty"`
	Perfctl        string    `json:"perfctl"`
	Git            string    `json:"git,omitempty"`
	GitDirty       bool      `json:"git_dirty,omitempty"`
	Seed           uint64    `json:"seed"`
	ScenarioName   string    `json:"scenario_name"`
	ScenarioFile   string    `json:"scenario_file"`
	ScenarioSHA256 string    `json:"scenario_sha256"`
	Scenario       string    `json:"scenario"` // the text, secrets masked
	Tier           string    `json:"tier"`
	Host           Host      `json:"host"`
	Plan           Plan      `json:"plan"`
	Earlier        int       `json:"earlier_sessions"` // of the same scenario and variants in the same results folder
}

// Host is the machine that ran perfctl.
type Host struct {
	OS       string `json:"os"`
	Kernel   string `json:"kernel"`
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemoryMB int64  `json:"memory_mib"`
	Hostname string `json:"hostname"`
	Governor string `json:"governor,omitempty"`
	GoMax    int    `json:"gomaxprocs"`
}

// A Plan is fixed before the first trial; changing any of it makes a new session.
type Plan struct {
	Method      string   `json:"method"` // abtest/1 or run/1
	A           string   `json:"a,omitempty"`
	B           string   `json:"b,omitempty"`
	Rate        string   `json:"rate"`
	PerSecond   float64  `json:"per_second"`
	Arrivals    string   `json:"arrivals"` // constant or poisson
	WarmupNS    int64    `json:"warmup_ns"`
	MeasureNS   int64    `json:"measure_ns"`
	DrainNS     int64    `json:"drain_ns"`
	MaxInFlight int      `json:"max_in_flight"`
	Looks       []int    `json:"looks,omitempty"`
	PairsMax    int      `json:"pairs_max,omitempty"`
	MaxTimeNS   int64    `json:"max_time_ns,omitempty"`
	Quick       bool     `json:"quick,omitempty"`
	Primary     []string `json:"primary,omitempty"`
	Burn        bool     `json:"burn_in"` // slot 0 is a trial that is never used
	Slots       []Slot   `json:"slots"`
}

// A Slot is one planned trial.
type Slot struct {
	Index   int    `json:"index"`
	Block   int    `json:"block"` // from 1; 0 is the burn-in
	Pair    int    `json:"pair"`  // from 1; 0 is the burn-in
	First   bool   `json:"first"` // the first of its pair
	Label   string `json:"label"` // A, B
	Variant string `json:"variant"`
	Seed    uint64 `json:"seed"` // of the requests; the same in both trials of a pair
}

// A Trial is what one trial was and counted. Times are offsets from Start in ns.
type Trial struct {
	Version     int                         `json:"version"`
	Name        string                      `json:"name"`
	Slot        Slot                        `json:"slot"`
	Attempt     int                         `json:"attempt"` // from 1; a re-run of an invalid trial is 2
	Start       time.Time                   `json:"start"`   // of the first scheduled arrival
	State       string                      `json:"state"`
	Error       string                      `json:"error,omitempty"`
	WarmupEndNS int64                       `json:"warmup_end_ns"` // the measured window begins here
	MeasureNS   int64                       `json:"measure_ns"`
	EndNS       int64                       `json:"end_ns"` // last answer
	Planned     int64                       `json:"planned"`
	Scheduled   int64                       `json:"scheduled"` // in the measured window, like all below
	Sent        int64                       `json:"sent"`
	Unsent      int64                       `json:"unsent"`
	Operations  []OperationPlan             `json:"operations"`
	Completions []CompletionPlan            `json:"completions,omitempty"`
	Outcomes    map[string]map[string]int64 `json:"outcomes"` // operation -> outcome -> count
	Lateness    Quantiles                   `json:"lateness"`
	InFlightMax int64                       `json:"in_flight_max"`
	CapHit      int64                       `json:"cap_hit"`
	Dialed      int64                       `json:"dialed"`
	Path        string                      `json:"path"`
	Cut         bool                        `json:"cut,omitempty"`
	Errors      []ErrorEntry                `json:"errors,omitempty"`
	Asked       []Setting                   `json:"asked"`    // of the variant
	Observed    []Setting                   `json:"observed"` // on the live system, after it was ready
	Facts       []Setting                   `json:"facts"`    // of the environment, not asked for (versions, executables)
	Generator   Self                        `json:"generator"`
	HostUse     HostUse                     `json:"host_use"`
	Seeded      map[string]int              `json:"seeded"`
	UpNS        int64                       `json:"up_ns"`
	SeedNS      int64                       `json:"seed_ns"`
	Unproven    []string                    `json:"unproven,omitempty"` // settings that are not shown to be in use
	Notes       []string                    `json:"notes,omitempty"`
}

// OperationPlan is the planned share of one operation and when it times out.
type OperationPlan struct {
	Name      string  `json:"name"`
	Share     float64 `json:"share"`
	TimeoutNS int64   `json:"timeout_ns"`
}

// CompletionPlan describes one completion.
type CompletionPlan struct {
	Name      string  `json:"name"`
	Operation string  `json:"operation"`
	Sample    float64 `json:"sample"`
	TimeoutNS int64   `json:"timeout_ns"`
}

// Quantiles of a histogram, ns.
type Quantiles struct {
	N   int64 `json:"n"`
	P50 int64 `json:"p50_ns"`
	P99 int64 `json:"p99_ns"`
	Max int64 `json:"max_ns"`
}

// ErrorEntry is one signature of one operation in the measured window.
type ErrorEntry struct {
	Operation string `json:"operation"`
	Outcome   string `json:"outcome"`
	Signature string `json:"signature"`
	Count     int64  `json:"count"`
	FirstNS   int64  `json:"first_ns"` // into the measured window
	LastNS    int64  `json:"last_ns"`
	Example   string `json:"example,omitempty"`
}

// A Setting is one observed or asked fact. Proof says how it was seen.
type Setting struct {
	Where string `json:"where"`
	Name  string `json:"name"`
	Value string `json:"value"`
	Proof string `json:"proof,omitempty"` // "process environment", "GET order:/actuator/info $.settings.engine"
}

// Self is the generator's own use of the machine over the measured window.
type Self struct {
	CPUNS   int64 `json:"cpu_ns"`
	WallNS  int64 `json:"wall_ns"`
	Cores   int   `json:"cores"`
	GCMaxNS int64 `json:"gc_max_ns"`
	RSS     int64 `json:"rss_bytes"`
}

// HostUse is the machine over the measured window, in shares of all its cores.
type HostUse struct {
	Known      bool    `json:"known"`
	StealShare float64 `json:"steal_share"`
	OtherShare float64 `json:"other_share"` // CPU used by neither perfctl nor the system under test
	OtherKnown bool    `json:"other_known"` // false when the CPU of the system under test was not observed
	SwapBytes  int64   `json:"swap_bytes"`  // swapped in or out
	ClockStep  int64   `json:"clock_step_ns"`
}

// LedgerLine is one second of ledger.ndjson.
type LedgerLine struct {
	Second    int64                       `json:"s"` // of the schedule, from 0
	Measured  bool                        `json:"measured"`
	Scheduled map[string]int64            `json:"scheduled"`
	Outcomes  map[string]map[string]int64 `json:"outcomes"`
	Sent      int64                       `json:"sent"`
	Done      int64                       `json:"done"`
	InFlight  int64                       `json:"in_flight"`
	Waiting   int64                       `json:"waiting,omitempty"`
}

// CompletionLine is one followed arrival in completions.ndjson.
type CompletionLine struct {
	Index         int64  `json:"i"`
	Completion    string `json:"completion"`
	IntendedNS    int64  `json:"intended_ns"`
	Measured      bool   `json:"measured"`
	LowerNS       int64  `json:"lower_ns"`
	UpperNS       int64  `json:"upper_ns"`
	Outcome       string `json:"outcome"`
	Polls         int    `json:"polls"`
	Misses        int    `json:"misses,omitempty"`
	Disagreements int    `json:"disagreements,omitempty"`
	PollErrors    int    `json:"poll_errors,omitempty"`
}

// ResourceLine is one sample of one process in resources.ndjson. CPU is cumulative.
type ResourceLine struct {
	OffsetNS   int64  `json:"t_ns"` // from the trial's Start; negative before it
	Name       string `json:"name"`
	PID        int    `json:"pid"`
	CPUNS      int64  `json:"cpu_ns"`
	RSS        int64  `json:"rss_bytes"`
	Working    int64  `json:"working_set_bytes"`
	Limit      int64  `json:"limit_bytes,omitempty"`
	Threads    int    `json:"threads"`
	Throttled  int64  `json:"throttled_ns,omitempty"`
	Descriptor int    `json:"descriptors,omitempty"`
}

// EventLine is one event in events.ndjson.
type EventLine struct {
	Time     time.Time `json:"time"`
	OffsetNS int64     `json:"t_ns"`
	Kind     string    `json:"kind"` // start, ready, seeded, warm-up, measure, drain, stop, exit, restart, oom, warning
	Name     string    `json:"name,omitempty"`
	Text     string    `json:"text,omitempty"`
}

// SlowLine is one of the slowest arrivals in slow.ndjson.
type SlowLine struct {
	Index         int64  `json:"i"`
	Operation     string `json:"operation"`
	Outcome       string `json:"outcome"`
	IntendedNS    int64  `json:"intended_ns"` // into the measured window
	SentNS        int64  `json:"sent_ns"`
	DoneNS        int64  `json:"done_ns"`
	Status        int    `json:"status"`
	RequestBytes  int    `json:"request_bytes"`
	ResponseBytes int64  `json:"response_bytes"`
	Reused        bool   `json:"reused"`
	Replica       string `json:"replica,omitempty"`
	Remote        string `json:"remote,omitempty"`
	Key           string `json:"key,omitempty"`
}
