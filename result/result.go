// Package result is the judged document: what `perfctl` decided and the numbers
// it stands on, as versioned JSON types without behaviour. Judging writes it,
// rendering reads it, and nothing else passes between the two, so that a report can
// be drawn again on another machine from result.json alone.
//
// Units are in the names or in a "unit" field. A number that cannot be stood behind
// is absent (null) and its Text says why ("> 10 s", "failed", "- (n=95)").
package result

import "time"

// Schema names the document's form; readers refuse any other.
const Schema = "perfctl.result/1"

// Kinds of result.
const (
	KindABTest  = "abtest"
	KindRun     = "run"
	KindCompare = "compare"
)

// Statuses of a verdict.
const (
	Better        = "better"
	Worse         = "worse"
	Same          = "same"
	Unclear       = "unclear"
	NotComparable = "not comparable"
	Pass          = "pass"
	Fail          = "fail"
	Interrupted   = "interrupted"
)

// A Result is one judged experiment.
type Result struct {
	Schema     string       `json:"schema"`
	Kind       string       `json:"kind"`
	Run        Run          `json:"run"`
	Verdict    Verdict      `json:"verdict"`
	Validity   []Check      `json:"validity"`
	Warnings   []Warning    `json:"warnings"`
	Treatment  []Treatment  `json:"treatment,omitempty"`
	Metrics    []Metric     `json:"metrics"`
	Arms       []Arm        `json:"arms"` // one for a run, A then B for an A-B test
	Trials     []Trial      `json:"trials"`
	Looks      []Look       `json:"looks,omitempty"`
	Thresholds []Threshold  `json:"thresholds,omitempty"`
	Spectra    []Spectrum   `json:"spectra,omitempty"`
	Timelines  []Timeline   `json:"timelines,omitempty"`
	Settings   []Setting    `json:"environment"`
	Difference []Difference `json:"differences,omitempty"` // environment facts that differ between the trials
	Method     []string     `json:"method"`
	Files      []File       `json:"files"`
}

// Run identifies the experiment.
type Run struct {
	ID             string    `json:"id"`
	Started        time.Time `json:"started"`
	Seconds        float64   `json:"seconds"`
	Seed           uint64    `json:"seed"`
	Scenario       string    `json:"scenario"`
	Description    string    `json:"description,omitempty"`
	Notes          string    `json:"notes,omitempty"`
	ScenarioSHA256 string    `json:"scenario_sha256"`
	Tier           string    `json:"tier"`
	Git            string    `json:"git,omitempty"`
	GitDirty       bool      `json:"git_dirty,omitempty"`
	Perfctl        string    `json:"perfctl"`
	Host           string    `json:"host"`   // one line: CPU, cores, memory, kernel
	Scope          string    `json:"scope"`  // "4+4 runs, ABBA/BAAB, 10 s each after 4 s warm-up, 900/s poisson, seed 41"
	Repeat         string    `json:"repeat"` // the command line that does it again
	Interrupted    bool      `json:"interrupted,omitempty"`
	Quick          bool      `json:"quick,omitempty"`
}

// Verdict is the answer. Sentence is one sentence of at most 140 characters.
type Verdict struct {
	Status   string   `json:"status"`
	Exit     int      `json:"exit"`
	Valid    bool     `json:"valid"`
	Sentence string   `json:"sentence"`
	Tally    string   `json:"tally,omitempty"`  // "tpc: worse on 1 of 5, same on 3, unclear on 1."
	Detail   []string `json:"detail,omitempty"` // one sentence a primary metric, and what a quick session cannot show
}

// A Check is one cell of the validity strip. Status is pass, warn, fail or unclear.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Text   string `json:"text"`
}

// A Warning travels with the numbers. Level is stop (replaces the verdict), limit
// (withdraws or bounds the named metrics) or note.
type Warning struct {
	Code    string `json:"code"`
	Level   string `json:"level"`
	Metric  string `json:"metric,omitempty"`
	Variant string `json:"variant,omitempty"`
	Trial   string `json:"trial,omitempty"`
	Seen    string `json:"seen"`
	Effect  string `json:"effect"`
	Action  string `json:"action,omitempty"`
}

// A Treatment row is one setting asked of a variant, and what was observed.
type Treatment struct {
	Where     string `json:"where"`
	Setting   string `json:"setting"`
	AAsked    string `json:"a_asked"`
	AObserved string `json:"a_observed"`
	BAsked    string `json:"b_asked"`
	BObserved string `json:"b_observed"`
	OK        bool   `json:"ok"`
	Confound  bool   `json:"confound,omitempty"` // differs, and was not asked for
}

// A Metric is one row of the table "what changed".
type Metric struct {
	Name       string    `json:"name"` // "create_order p95"
	Operation  string    `json:"operation"`
	Stat       string    `json:"stat"`
	Unit       string    `json:"unit"`   // ms, MiB, %, ms/op
	Better     string    `json:"better"` // lower or higher
	Primary    bool      `json:"primary"`
	Shown      bool      `json:"judged"` // false: shown, not judged; Why says why
	Why        string    `json:"why,omitempty"`
	A          Value     `json:"a"`
	B          Value     `json:"b"`
	Pairs      int       `json:"pairs"`
	Change     *float64  `json:"change,omitempty"` // in Unit, of the geometric means
	ChangePct  *float64  `json:"change_pct,omitempty"`
	CI95       []float64 `json:"ci95,omitempty"`        // percent, low and high (repeated interval)
	CI95Unit   []float64 `json:"ci95_unit,omitempty"`   // the same in Unit
	PHolm      *float64  `json:"p_adjusted,omitempty"`  // Holm for primaries, Benjamini-Hochberg for the others
	NameAt     float64   `json:"name_at_pct,omitempty"` // effective margins in percent, at the values of A
	RuleOut    float64   `json:"rule_out_pct,omitempty"`
	Detectable *float64  `json:"detectable_pct,omitempty"` // the smallest change these data would have shown (80 % power)
	PairsNeed  int       `json:"pairs_needed,omitempty"`   // forecast to settle an unclear one
	Verdict    string    `json:"verdict"`                  // better, worse, same, unclear, not comparable, or "" when not judged
	Sentence   string    `json:"sentence"`
}

// A Value is one side of a metric: the geometric mean of the runs' values (mean for rates).
type Value struct {
	Mean  *float64   `json:"mean,omitempty"`
	Text  string     `json:"text"` // as printed: "24.5", "> 10 s", "failed", "-"
	CVPct *float64   `json:"cv_pct,omitempty"`
	Runs  []*float64 `json:"runs"` // one a trial, null when censored or missing
	N     int64      `json:"n"`    // scheduled arrivals behind it, all runs
}

// An Arm is everything counted about one variant over its valid trials.
type Arm struct {
	Label       string       `json:"label"` // A, B, or the scenario name for a run
	Variant     string       `json:"variant"`
	Title       string       `json:"title"`
	Trials      int          `json:"trials"`
	Operations  []Operation  `json:"operations"`
	Completions []Completion `json:"completions,omitempty"`
	Errors      []Error      `json:"errors,omitempty"`
	Resources   []Resource   `json:"resources,omitempty"`
	Generator   Generator    `json:"generator"`
	Slowest     []Slow       `json:"slowest,omitempty"`
}

// An Operation is a row of the operations table. Quantiles are of response times over
// the scheduled arrivals, in ms.
type Operation struct {
	Name       string     `json:"name"`
	WeightPct  float64    `json:"weight_pct"`
	Scheduled  int64      `json:"scheduled"`
	Sent       int64      `json:"sent"`
	PerSecond  float64    `json:"per_second"`
	OK         int64      `json:"ok"`
	Functional int64      `json:"functional"`
	System     int64      `json:"system"`
	Timeout    int64      `json:"timeout"`
	Client     int64      `json:"client"`
	Unsent     int64      `json:"unsent"`
	Quantiles  []Quantile `json:"quantiles"`        // p50 p90 p95 p99 p99.9 max
	Service    []Quantile `json:"service"`          // p50 p95 p99 of service time
	HDR        string     `json:"hdr,omitempty"`    // HdrHistogram V2, base64, ns, OK responses of the measured windows
	Failed     *Quantile  `json:"failed,omitempty"` // median time of the failures
}

// A Quantile is printed as Text; Value in ms is absent when it cannot be stood behind.
type Quantile struct {
	Name  string   `json:"name"`
	Value *float64 `json:"ms,omitempty"`
	Text  string   `json:"text"`
}

// A Completion is a row of the completion table: work followed until it was done.
type Completion struct {
	Name          string     `json:"name"`
	Operation     string     `json:"operation"`
	Sampled       int64      `json:"sampled"`
	Accepted      int64      `json:"accepted"`
	Succeeded     int64      `json:"succeeded"`
	Failed        int64      `json:"failed"`
	TimedOut      int64      `json:"timed_out"`
	NotAccepted   int64      `json:"not_accepted"`
	Polls         int64      `json:"polls"`
	Misses        int64      `json:"misses"`
	Disagreements int64      `json:"disagreements"`
	Resolution    string     `json:"resolution"` // "known to within 0.6 ms (median), 3 ms (p95)"
	ResolutionMS  float64    `json:"resolution_ms"`
	TimeoutMS     float64    `json:"timeout_ms"`
	Quantiles     []Quantile `json:"quantiles"`
}

// An Error is a row of the error ledger.
type Error struct {
	Class     string  `json:"class"` // functional, system, timeout, client, unsent
	Operation string  `json:"operation"`
	Signature string  `json:"signature"`
	Count     int64   `json:"count"`
	SharePct  float64 `json:"share_pct"` // of the operation's scheduled arrivals
	FirstS    float64 `json:"first_s"`   // seconds into the measured window, earliest over the trials
	Pattern   string  `json:"pattern"`   // "steady", "from 0:52 on", "burst at 0:10"
	MedianMS  string  `json:"median_ms,omitempty"`
	Example   string  `json:"example,omitempty"`
}

// A Resource is one process (container, pod) over the measured windows.
type Resource struct {
	Name         string   `json:"name"`
	CPUMeanCores float64  `json:"cpu_mean_cores"`
	CPUMaxCores  float64  `json:"cpu_max_cores"`
	CPUPerOpMS   float64  `json:"cpu_per_op_ms"` // CPU ms per completed operation
	MemStartMiB  float64  `json:"mem_start_mib"`
	MemEndMiB    float64  `json:"mem_end_mib"`
	MemMaxMiB    float64  `json:"mem_max_mib"`
	LimitMiB     *float64 `json:"limit_mib,omitempty"`
	LimitCores   *float64 `json:"limit_cores,omitempty"`
	Threads      int      `json:"threads"`
	GCPct        *float64 `json:"gc_pct,omitempty"`
	GCMaxMS      *float64 `json:"gc_max_ms,omitempty"`
	Restarts     int      `json:"restarts"`
	OOMKills     int      `json:"oom_kills"`
	Samples      int      `json:"samples"`
}

// Generator is perfctl itself while it sent the load.
type Generator struct {
	Scheduled   int64   `json:"scheduled"`
	Sent        int64   `json:"sent"`
	SentPct     float64 `json:"sent_pct"`
	Unsent      int64   `json:"unsent"`
	LateP50MS   float64 `json:"late_p50_ms"`
	LateP99MS   float64 `json:"late_p99_ms"`
	LateMaxMS   float64 `json:"late_max_ms"`
	InFlightMax int64   `json:"in_flight_max"`
	Cap         int     `json:"cap"`
	CapHit      int64   `json:"cap_hit"`
	CPUCores    float64 `json:"cpu_cores"`
	CPUPct      float64 `json:"cpu_pct"` // of the cores it may use
	GCMaxMS     float64 `json:"gc_max_ms"`
	Dialed      int64   `json:"dialed"`
	Path        string  `json:"path"` // "direct, loopback"
}

// A Slow is one of the slowest arrivals.
type Slow struct {
	Trial         string  `json:"trial"`
	AtS           float64 `json:"at_s"` // intended start, seconds into the measured window
	Operation     string  `json:"operation"`
	Outcome       string  `json:"outcome"`
	MS            float64 `json:"ms"`
	ServiceMS     float64 `json:"service_ms"`
	LateMS        float64 `json:"late_ms"`
	Status        int     `json:"status"`
	RequestBytes  int     `json:"request_bytes"`
	ResponseBytes int64   `json:"response_bytes"`
	Connection    string  `json:"connection"` // new or reused
	Replica       string  `json:"replica,omitempty"`
}

// A Trial is a row of the run table.
type Trial struct {
	Name     string             `json:"name"` // directory below trials/
	Slot     int                `json:"slot"`
	Block    int                `json:"block"`
	Pair     int                `json:"pair"`
	Label    string             `json:"label"` // A, B; burn-in for run 0
	Variant  string             `json:"variant"`
	Start    time.Time          `json:"start"`
	Valid    bool               `json:"valid"`
	Why      string             `json:"why,omitempty"` // why it does not count
	SentPct  float64            `json:"sent_pct"`
	OKPct    float64            `json:"ok_pct"`
	LateP99  float64            `json:"late_p99_ms"`
	Values   map[string]float64 `json:"values"` // by metric name, those that exist
	Warnings []string           `json:"warnings,omitempty"`
}

// A Look is one interim analysis.
type Look struct {
	Pairs   int                `json:"pairs"`
	Metrics []LookMetric       `json:"metrics"`
	Stop    bool               `json:"stop"`
	Levels  map[string]float64 `json:"levels,omitempty"`
}

// A LookMetric is one primary metric at one look, on the log scale.
type LookMetric struct {
	Name    string  `json:"name"`
	M       float64 `json:"m"`
	S       float64 `json:"s"`
	N       int     `json:"n"`
	P       float64 `json:"p"`
	Level   float64 `json:"level"`
	Verdict string  `json:"verdict"`
}

// A Threshold is one line of the scenario, evaluated on each arm.
type Threshold struct {
	Text   string `json:"text"`
	Label  string `json:"label"`  // arm
	Value  string `json:"value"`  // as printed
	Status string `json:"status"` // pass, fail, nodata
	N      int64  `json:"n"`
}

// A Spectrum is the percentile curve of one operation for one arm, for drawing.
type Spectrum struct {
	Operation string          `json:"operation"`
	Label     string          `json:"label"`
	N         int64           `json:"n"`
	Points    []SpectrumPoint `json:"points"`         // increasing quantile, ends where 10 samples are left
	Timeout   float64         `json:"censored_share"` // share of scheduled arrivals without a value
	LimitMS   *float64        `json:"threshold_ms,omitempty"`
}

// A SpectrumPoint is the geometric mean over runs of the run quantile, with the run-to-run 95 % interval when there are at least 3 runs.
type SpectrumPoint struct {
	Q  float64  `json:"q"`
	MS float64  `json:"ms"`
	Lo *float64 `json:"lo,omitempty"`
	Hi *float64 `json:"hi,omitempty"`
}

// A Timeline is per second of the measured window, averaged over the arm's valid trials.
type Timeline struct {
	Label     string     `json:"label"`
	StepS     float64    `json:"step_s"`
	Scheduled []float64  `json:"scheduled"` // per second
	Achieved  []float64  `json:"achieved"`  // OK responses by the second of their intended start
	Failed    []float64  `json:"failed"`
	P95MS     []*float64 `json:"p95_ms"` // of the first operation; null where fewer than 20 samples
	Operation string     `json:"p95_operation"`
}

// A Setting is one line of the environment record.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Difference is an environment fact that was not the same in all trials.
type Difference struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A File is one of the run directory, relative to it.
type File struct {
	Path string `json:"path"`
	What string `json:"what"`
}
