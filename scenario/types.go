package scenario

import (
	"time"

	"github.com/perfctl/perfctl/arrival"
)

// A Scenario is a checked scenario file: every reference in it resolves, every
// quantity has its unit, and lists keep the order of the file.
type Scenario struct {
	File        string // the name used in error messages; embedded ones as "community-vs-tpc.yaml"
	Source      []byte // the text as read, hashed into the manifest
	Name        string
	Description string
	Notes       string
	Target      Target
	Services    []Service
	Feeders     []Feeder
	Seed        []Seed
	Operations  []Operation
	Load        Load
	Warmup      Warmup
	Reset       Reset
	Thresholds  []Threshold
	Observe     Observe
	Variants    []Variant
	ABTest      ABTest
	Secrets     []string // values that must not reach a report, a log or a manifest: see Mask
}

// Target says where the system under test runs. Exactly one field is set.
type Target struct {
	Process  *ProcessTarget
	External bool
}

// ProcessTarget starts programs on this machine.
type ProcessTarget struct {
	Programs []Program
	Wait     time.Duration // readiness deadline; default 30 s
}

// A Program is one process. Command is a literal argument list except for
// ${perfctl} (the running binary), ${addr.SERVICE} (host:port of a service) and
// ${port.SERVICE}.
type Program struct {
	Name    string
	Command []Template
	Env     []EnvVar
	Pos     Pos
}

// EnvVar is one NAME=value setting.
type EnvVar struct {
	Name  string
	Value Template
	Pos   Pos
}

// A Service is one HTTP endpoint of the system under test.
type Service struct {
	Name    string
	URL     string // http://host:port; the port "auto" is chosen free by the process tier
	Health  string // path that answers 200 when ready; empty means none
	Metrics string // path of its Prometheus text; empty means none
	Program string // process that serves it, for resources; may be empty
	Headers []HeaderTemplate
	Timeout time.Duration // of one exchange; default 10 s
	Pos     Pos
}

// A Feeder is named rows of values: an inline list or a JSON file of an array.
// Values are text; rows that are objects keep their fields. A seed of the same name makes
// its items from these rows (${row.FIELD}) and then takes the place of the feeder.
type Feeder struct {
	Name  string
	Order string // random (default), sequential
	Rows  []Row
	Pos   Pos
}

// Row is one value with optional fields, as JSON text each.
type Row struct {
	Value  string
	Fields map[string]string
}

// Seed creates data through the system's own API after each reset and keeps an id
// of each reply; the kept ids become a feeder of the same name.
type Seed struct {
	Name     string
	Count    int
	Request  Request
	Expect   []int
	Keep     string // JSONPath
	Parallel int    // default 8
	Pos      Pos
}

// A Request is one HTTP request with holes. URL is the service's base plus Path.
type Request struct {
	Method  string
	Service string
	Path    Template
	Headers []HeaderTemplate
	Body    *Body // nil means none
	Pos     Pos
}

// HeaderTemplate is a header with holes.
type HeaderTemplate struct {
	Name  string
	Value Template
}

// Body is a request body. JSON bodies are compact JSON text with holes.
type Body struct {
	ContentType string
	Template    Template
}

// An Operation is one kind of request in the mix.
type Operation struct {
	Name       string
	Weight     int64 // relative; the sum over operations is > 0
	Request    Request
	Expect     []int        // statuses that are OK; default 200-299 as nil
	Functional []Functional // declared business errors
	Save       []Save
	Completion *Completion
	Pos        Pos
}

// Functional declares a business error: a status and, when Code is not empty, a text
// that the body must contain as a JSON string value of "code" or "error".
type Functional struct {
	Status int
	Code   string
}

// Save extracts a value of the reply: RFC 9535 JSONPath.
type Save struct{ Name, Path string }

// A Completion follows an accepted request until its work is done.
type Completion struct {
	Name    string
	Sample  float64 // share of accepted requests that are followed, (0, 1]
	Poll    Request
	Until   Condition // terminal states
	Success []string  // of those, the good ones; default all
	Every   time.Duration
	Timeout time.Duration
	Pos     Pos
}

// A Condition is "JSONPATH in [A, B]" or "JSONPATH == A".
type Condition struct {
	Path string
	In   []string
}

// Load is how much is sent and when.
type Load struct {
	Rate        arrival.Rate
	Duration    time.Duration
	Poisson     bool // else constant
	MaxInFlight int  // 0 means auto
	RatePos     Pos
}

// Warmup is sent at full load and not measured. Until "steady" may lengthen it up to Max.
type Warmup struct {
	For         time.Duration
	UntilSteady bool
	Max         time.Duration
}

// Reset says what happens between trials: "recreate" (stop, clean, start, seed), "reseed" or "none".
type Reset struct{ Do string }

// A Threshold is "SUBJECT STAT OP VALUE": "create_order p95 < 600ms",
// "order_to_confirmed completed >= 99%", "system_errors < 1%".
type Threshold struct {
	Text    string
	Subject string // an operation, a completion, or empty for the whole run
	Stat    string // p50 p90 p95 p99 p99.9 max, completed, ok, system_errors, functional_errors, timeouts, delivered
	Op      string // < <= > >=
	Value   float64
	Unit    string // "ms" or "%"
	Pos     Pos
}

// Observe says how often the system under test is looked at.
type Observe struct {
	Resources time.Duration // process samples; default 1 s
	Scrape    time.Duration // Prometheus endpoints of services; default 5 s
}

// A Variant is one configuration of the system under test.
type Variant struct {
	Name       string
	Title      string // words for reports; default the name
	Baseline   bool
	Env        []EnvVar // added to every program, or to PROGRAM when written PROGRAM.NAME
	RequireEnv []string
	Verify     []Probe
	Pos        Pos
}

// A Probe observes a setting on the live system by an HTTP GET and a JSONPath.
type Probe struct {
	Service string
	GetPath string
	Path    string // JSONPath
	Equals  string // as text: a JSON string without quotes, or the number or word as written
	Pos     Pos
}

// ABTest holds the defaults of `perfctl abtest`.
type ABTest struct {
	A, B     string
	Primary  []Metric // what decides; nil means the default of the method
	PairsMin int
	PairsMax int
	MaxTime  time.Duration
	NameAt   map[string]Margin // by statistic, overrides
	RuleOut  map[string]Margin
	Quick    *Quick
}

// Quick is the short session of --quick: its own load.
type Quick struct {
	Rate             arrival.Rate
	Warmup, Duration time.Duration
}

// A Metric names something that decides: "create_order p95", "order_to_confirmed completed", "cpu", "memory".
type Metric struct {
	Subject, Stat string
	Pos           Pos
}

// A Margin is relative and absolute; both must be exceeded.
type Margin struct {
	Percent  float64
	Absolute float64 // ms, MiB or percentage points, by the metric
}

// Pos is a place in a scenario file, counted from 1; columns count characters.
type Pos struct{ Line, Column int }

// A Template is text with holes, evaluated once for each arrival.
type Template struct {
	Parts []Part
	Pos   Pos
}

// A Part is literal text, or a call when Call is not nil.
type Part struct {
	Text string
	Call *Call
	Mode Mode
}

// Mode says how the value of a call is written.
type Mode uint8

// Raw writes the value as it is (paths, headers, text bodies; paths are escaped by the
// evaluator with PathEscape). JSONText writes it escaped, inside a JSON string literal
// whose quotes are in the literal text. JSONValue writes it as a JSON value of its own
// kind (a number for int and seq, a field's own JSON text for row, else a quoted string).
const (
	Raw Mode = iota
	PathSegment
	JSONText
	JSONValue
)

// A Call is one ${...} expression. The argument of pick and next is a feeder or seed, that
// of saved the name. row.FIELD reads the feeder that has the name of the seed in which it
// stands: item i of the seed is made from row i. ${env.NAME} is evaluated by Parse and is
// never a Call.
type Call struct {
	Name string // seq run uuid int text pick next row saved; of programs: perfctl addr port
	Args []Arg
	Pos  Pos
}

// An Arg is an argument of a call: a number, a range "0..2000" or a name.
type Arg struct {
	Text     string
	Min, Max int64 // of a number (both equal) or a range
	IsNumber bool
}
