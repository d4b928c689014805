package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/perfctl/perfctl/result"
)

// The fixtures are whole documents as judging writes them, one for each kind of answer. Their
// numbers are made up but consistent with each other.

type fixture struct {
	name  string
	build func() *result.Result
}

var fixtures = []fixture{
	{"unclear", unclear},
	{"better", better},
	{"treatment", treatment},
	{"censored", censored},
	{"run", failingRun},
	{"interrupted", interrupted},
	{"hostile", hostile},
}

func ptr(v float64) *float64 { return &v }

// shown writes a value as judging does.
func shown(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// world makes the noise of one fixture; the seed is fixed, so the bytes are.
type world struct{ rand *rand.Rand }

func newWorld(seed uint64) world { return world{rand.New(rand.NewPCG(seed, seed))} }

func (w world) around(v, relative float64) float64 {
	return math.Round(v*math.Exp(w.rand.NormFloat64()*relative)*1000) / 1000
}

func (w world) value(mean, cv float64, runs int, n int64) result.Value {
	v := result.Value{Mean: ptr(mean), Text: shown(mean), CVPct: ptr(cv), N: n}
	for range runs {
		v.Runs = append(v.Runs, ptr(w.around(mean, cv/100)))
	}
	return v
}

func (w world) metric(op, stat string, a, pct, half float64, verdict string, primary bool) result.Metric {
	b := a * (1 + pct/100)
	return result.Metric{Name: op + " " + stat, Operation: op, Stat: stat, Unit: "ms", Better: "lower", Primary: primary, Shown: true,
		A: w.value(a, half*0.6, 6, 54000), B: w.value(b, half*0.6, 6, 54000), Pairs: 6,
		Change: ptr(b - a), ChangePct: ptr(pct), CI95: []float64{pct - half, pct + half},
		CI95Unit: []float64{a * (pct - half) / 100, a * (pct + half) / 100}, PHolm: ptr(0.61), NameAt: 5, RuleOut: 10,
		Detectable: ptr(1.4 * half), Verdict: verdict,
		Sentence: fmt.Sprintf("%s %s: %s, B is %+.1f %% (95 %% CI %+.1f to %+.1f %%).", op, stat, verdict, pct, pct-half, pct+half)}
}

func quantiles(p50, spread float64) []result.Quantile {
	var out []result.Quantile
	for i, name := range []string{"p50", "p90", "p95", "p99", "p99.9", "max"} {
		v := p50 * math.Pow(spread, float64(i))
		out = append(out, result.Quantile{Name: name, Value: ptr(v), Text: shown(v)})
	}
	return out
}

func service(p50, spread float64) []result.Quantile {
	q := quantiles(p50, spread)
	return []result.Quantile{q[0], q[2], q[3]}
}

func operation(name string, weight, p50, spread float64, n int64) result.Operation {
	return result.Operation{Name: name, WeightPct: weight, Scheduled: n, Sent: n, PerSecond: float64(n) / 60, OK: n,
		Quantiles: quantiles(p50, spread), Service: service(p50*0.98, spread), HDR: "HISTFAAAAB=="}
}

func arm(label, variant string, factor float64) result.Arm {
	a := result.Arm{Label: label, Variant: variant, Title: label + " " + variant, Trials: 6,
		Operations: []result.Operation{operation("create_order", 60, 15.9*factor, 1.35, 32400),
			operation("reserve_stock", 25, 14.2*factor, 1.33, 13500), operation("create_customer", 15, 15.1*factor, 1.34, 8100)},
		Completions: []result.Completion{{Name: "order_to_confirmed", Operation: "create_order", Sampled: 3240, Accepted: 3240, Succeeded: 3238,
			Failed: 1, TimedOut: 1, Polls: 6804, Misses: 12, Resolution: "known to within 0.6 ms (median), 3 ms (p95)", ResolutionMS: 0.6,
			TimeoutMS: 10000, Quantiles: quantiles(61*factor, 1.4)}},
		Resources: []result.Resource{
			{Name: "order-service", CPUMeanCores: 0.41 * factor, CPUMaxCores: 0.9, CPUPerOpMS: 6.1 * factor, MemStartMiB: 180, MemEndMiB: 231,
				MemMaxMiB: 240, LimitMiB: ptr(512), LimitCores: ptr(2), Threads: 41, GCPct: ptr(1.2), GCMaxMS: ptr(14), Samples: 300},
			{Name: "hazelcast", CPUMeanCores: 0.2, CPUMaxCores: 0.4, CPUPerOpMS: 1.1, MemStartMiB: 250, MemEndMiB: 275, MemMaxMiB: 276, Threads: 22, Samples: 300}},
		Generator: result.Generator{Scheduled: 54000, Sent: 54000, SentPct: 100, LateP50MS: 0.03, LateP99MS: 0.31, LateMaxMS: 2.2, InFlightMax: 41,
			Cap: 4000, CPUCores: 0.08, CPUPct: 4, GCMaxMS: 0.4, Dialed: 64, Path: "direct, loopback"},
	}
	for i := range 5 {
		a.Slowest = append(a.Slowest, result.Slow{Trial: "01-" + label, AtS: 1.5 + 1.7*float64(i), Operation: "create_order", Outcome: "ok", MS: 204.5 - 9*float64(i),
			ServiceMS: 204.1 - 9*float64(i), LateMS: 0.4, Status: 201, RequestBytes: 812, ResponseBytes: 190, Connection: "reused", Replica: "order-1"})
	}
	return a
}

// abtest is the frame that the A-B fixtures share: six pairs, a burn-in, curves and timelines.
func abtest(w world) *result.Result {
	started := time.Date(2026, 11, 30, 10, 2, 11, 0, time.UTC)
	r := &result.Result{Schema: result.Schema, Kind: result.KindABTest,
		Run: result.Run{ID: "abtest-community-vs-tpc-20261130-100211", Started: started, Seconds: 214, Seed: 41, Scenario: "community-vs-tpc",
			Description: "Does thread-per-core networking lower order latency at 900/s?", ScenarioSHA256: "5f2c9e0b7a", Tier: "process",
			Git: "ee06fc6", Perfctl: "1.0.0", Host: "8 x Example CPU 3.1 GHz, 16 GiB, Linux 6.12",
			Scope: "6+6 runs, ABBA/BAAB, 10 s each after 4 s warm-up, 900/s poisson, seed 41", Repeat: "perfctl abtest community-vs-tpc --seed 41 --pairs 13"},
		Validity: []result.Check{{Name: "treatment", Status: "pass", Text: "6 of 6 settings observed"}, {Name: "generator", Status: "pass", Text: "lateness p99 0.31 ms, 100 % sent"},
			{Name: "errors", Status: "pass", Text: "none in either arm"}, {Name: "steady", Status: "warn", Text: "p95 of trial 07-B drifts by 8 %"},
			{Name: "completion", Status: "pass", Text: "99.9 % of accepted orders done"}},
		Arms: []result.Arm{arm("A", "community", 1), arm("B", "tpc", 0.985)},
		Treatment: []result.Treatment{
			{Where: "order-service", Setting: "engine", AAsked: "pool", AObserved: "pool", BAsked: "tpc", BObserved: "tpc", OK: true},
			{Where: "order-service", Setting: "GOMEMLIMIT", AAsked: "512MiB", AObserved: "512MiB", BAsked: "512MiB", BObserved: "512MiB", OK: true}},
		Settings: []result.Setting{{Name: "GOMAXPROCS", Value: "8"}, {Name: "CPU governor", Value: "performance"}},
		Method: []string{"The unit is the run: each value is one quantile of one run.", "Effect: geometric mean of B/A over pairs; repeated 95 % interval of the looks taken.",
			"Holm over the deciding metrics, Benjamini-Hochberg over the others."},
		Files: []result.File{{Path: "report.html", What: "this report"}, {Path: "result.json", What: "the judged document"}, {Path: "trials/", What: "facts of each trial"}},
	}
	r.Trials = append(r.Trials, result.Trial{Name: "00-burn-in", Label: "burn-in", Variant: "community", Start: started, Valid: false, Why: "burn-in, never counted",
		SentPct: 100, OKPct: 100, LateP99: 0.5, Values: map[string]float64{"create_order p95": 31}})
	for slot := 1; slot <= 12; slot++ {
		label, variant := "A", "community"
		if (slot/2)%2 == 1 {
			label, variant = "B", "tpc"
		}
		r.Trials = append(r.Trials, result.Trial{Name: fmt.Sprintf("%02d-%s", slot, label), Slot: slot, Block: (slot + 3) / 4, Pair: (slot + 1) / 2, Label: label, Variant: variant,
			Start: started.Add(time.Duration(slot) * 17 * time.Second), Valid: true, SentPct: 100, OKPct: 100, LateP99: w.around(0.3, 0.1),
			Values: map[string]float64{"create_order p95": w.around(24.3, 0.04), "reserve_stock p95": w.around(22.9, 0.04), "create_customer p95": w.around(24, 0.05)}})
	}
	for i, op := range []string{"create_order", "reserve_stock", "create_customer"} {
		r.Spectra = append(r.Spectra, w.spectrum(op, "A", 15.9-float64(i), 1), w.spectrum(op, "B", 15.9-float64(i), 0.97))
	}
	r.Timelines = []result.Timeline{w.timeline("A", 24), w.timeline("B", 23.6)}
	return r
}

func (w world) spectrum(op, label string, p50, tail float64) result.Spectrum {
	s := result.Spectrum{Operation: op, Label: label, N: 32400, LimitMS: ptr(100)}
	for i := range 60 {
		nines := 0.02 + float64(i)*0.058
		ms := p50 * math.Pow(10, 0.24*(nines-0.3)*tail) * (1 + 0.02*math.Sin(3*nines))
		s.Points = append(s.Points, result.SpectrumPoint{Q: 1 - math.Pow(10, -nines), MS: ms, Lo: ptr(ms * (1 - 0.01 - 0.02*nines)), Hi: ptr(ms * (1 + 0.01 + 0.025*nines))})
	}
	return s
}

func (w world) timeline(label string, p95 float64) result.Timeline {
	t := result.Timeline{Label: label, StepS: 1, Operation: "create_order"}
	for i := range 10 {
		s := w.around(900, 0.02)
		t.Scheduled = append(t.Scheduled, s)
		t.Achieved = append(t.Achieved, s-float64(i%3))
		t.Failed = append(t.Failed, 0)
		t.P95MS = append(t.P95MS, ptr(w.around(p95, 0.05)))
	}
	return t
}

func unclear() *result.Result {
	w := newWorld(1)
	r := abtest(w)
	r.Verdict = result.Verdict{Status: result.Unclear, Exit: 3, Valid: true,
		Sentence: "Can't tell whether tpc helps: create_order p95 -1.4 % (95 % CI -6.8 to +4.0 %), 6 pairs.",
		Tally:    "tpc: same on 1 of 3, unclear on 2.", Detail: []string{"create_order p95: can't tell after 6 pairs; between 6.8 % better and 4.0 % worse. About 13 pairs would settle it."}}
	r.Metrics = []result.Metric{
		w.metric("create_order", "p50", 15.9, 0.2, 2, result.Same, false),
		w.metric("create_order", "p95", 24.5, -1.4, 5.4, result.Unclear, true),
		w.metric("create_order", "p99", 61, -4.6, 12, result.Unclear, false),
		w.metric("reserve_stock", "p95", 23.1, -0.7, 4.4, result.Same, true),
		w.metric("create_customer", "p95", 24.4, -2.4, 6.7, result.Unclear, true),
		w.metric("order_to_confirmed", "p95", 171, -0.6, 3.5, result.Same, false)}
	r.Metrics[1].PairsNeed = 13
	cpu := w.metric("order-service CPU", "per operation", 6.1, -4.6, 1.7, result.Same, false)
	cpu.Unit = "ms/op"
	tail := result.Metric{Name: "create_customer p99.9", Operation: "create_customer", Stat: "p99.9", Unit: "ms", Better: "lower", Why: "- (n=8100): 8 samples beyond it a run, 20 needed",
		A: result.Value{Text: "- (n=8100)"}, B: result.Value{Text: "- (n=8100)"}, Pairs: 6}
	r.Metrics = append(r.Metrics, cpu, tail)
	r.Warnings = []result.Warning{{Code: "POLLQ", Level: "note", Metric: "order_to_confirmed", Seen: "completion times are known to within 3 ms", Effect: "differences below 3 ms mean nothing", Action: "poll more often to see smaller ones"}}
	r.Looks = []result.Look{{Pairs: 4, Metrics: []result.LookMetric{{Name: "create_order p95", M: -0.011, S: 0.034, N: 4, P: 0.55, Level: 0.0056, Verdict: result.Unclear}, {Name: "reserve_stock p95", M: -0.004, S: 0.03, N: 4, P: 0.8, Level: 0.0056, Verdict: result.Unclear}}},
		{Pairs: 6, Stop: true, Metrics: []result.LookMetric{{Name: "create_order p95", M: -0.0141, S: 0.036, N: 6, P: 0.42, Level: 0.0125, Verdict: result.Unclear}, {Name: "reserve_stock p95", M: -0.007, S: 0.027, N: 6, P: 0.61, Level: 0.0125, Verdict: result.Same}}}}
	return r
}

func better() *result.Result {
	w := newWorld(2)
	r := abtest(w)
	r.Arms[1] = arm("B", "tpc", 0.82)
	r.Verdict = result.Verdict{Status: result.Better, Exit: 0, Valid: true, Sentence: "tpc is better: create_order p95 -18.2 % (95 % CI -22.1 to -14.3 %), 24.5 to 20.0 ms, 6 pairs.",
		Tally: "tpc: better on 2 of 3, same on 1."}
	r.Metrics = []result.Metric{
		w.metric("create_order", "p95", 24.5, -18.2, 3.9, result.Better, true),
		w.metric("reserve_stock", "p95", 23.1, -12.4, 5, result.Better, true),
		w.metric("create_customer", "p95", 24.4, -1.2, 3, result.Same, true),
		w.metric("create_order", "p99", 61, 44, 38, result.Unclear, false)}
	memory := w.metric("hazelcast memory", "max", 275, 18.2, 1.4, result.Worse, false)
	memory.Unit = "MiB"
	rate := result.Metric{Name: "error rate", Operation: "error rate", Unit: "%", Better: "lower", Primary: true, Shown: true, A: result.Value{Mean: ptr(0), Text: "0", N: 54000},
		B: result.Value{Mean: ptr(0.02), Text: "0.02", N: 54000}, Pairs: 6, Change: ptr(0.02), CI95Unit: []float64{-0.01, 0.05}, Verdict: result.Same, Sentence: "error rate: no meaningful difference."}
	r.Metrics = append(r.Metrics, memory, rate)
	bad := &r.Trials[5]
	bad.Valid, bad.Why, bad.Warnings = false, "another process used 1.4 cores for 3 s", []string{"NEIGHBOUR"}
	bad.Values["create_order p95"] = 29.4
	r.Arms[1].Errors = []result.Error{{Class: "system", Operation: "reserve_stock", Signature: "503 upstream reset", Count: 12, SharePct: 0.09, FirstS: 4.2, Pattern: "burst at 0:04", MedianMS: "1.3", Example: "req-18c2"}}
	r.Arms[1].Operations[1].System, r.Arms[1].Operations[1].OK = 12, 13488
	r.Warnings = []result.Warning{
		{Code: "NEIGHBOUR", Level: "limit", Trial: r.Trials[5].Name, Seen: "another process used 1.4 of 8 cores during 3 s of the window", Effect: "trial and its pair do not count", Action: "stop other work on this machine"},
		{Code: "CONFOUND", Level: "limit", Variant: "tpc", Seen: "GOGC was 100 in A and 200 in B", Effect: "the difference may be due to it", Action: "set GOGC alike in both"},
		{Code: "DIRTY", Level: "note", Seen: "the working tree has uncommitted changes", Effect: "the commit does not say what was measured"}}
	r.Run.GitDirty = true
	r.Treatment = append(r.Treatment, result.Treatment{Where: "order-service", Setting: "GOGC", AObserved: "100", BObserved: "200", OK: true, Confound: true})
	r.Difference = []result.Difference{{Name: "GOGC", A: "100", B: "200"}}
	r.Thresholds = []result.Threshold{{Text: "create_order p95 < 600ms", Label: "A", Value: "24.5 ms", Status: "pass", N: 32400}, {Text: "create_order p95 < 600ms", Label: "B", Value: "20.0 ms", Status: "pass", N: 32400}}
	return r
}

func treatment() *result.Result {
	w := newWorld(3)
	r := abtest(w)
	r.Verdict = result.Verdict{Status: result.NotComparable, Exit: 3, Sentence: "No test took place: high-memory ran with 512 MiB, as the baseline did (asked 1024 MiB)."}
	r.Treatment = []result.Treatment{{Where: "order-service", Setting: "memory limit", AAsked: "512 MiB", AObserved: "512 MiB", BAsked: "1024 MiB", BObserved: "512 MiB"}}
	r.Validity[0] = result.Check{Name: "treatment", Status: "fail", Text: "0 of 1 settings observed"}
	r.Warnings = []result.Warning{{Code: "TREATMENT", Level: "stop", Variant: "high-memory", Seen: "memory limit of order-service is 512 MiB, asked 1024 MiB", Effect: "no verdict: both sides ran alike", Action: "check that the limit reaches the process, then run again"}}
	r.Metrics = []result.Metric{w.metric("create_order", "p95", 24.5, -1.4, 5.4, result.NotComparable, true), w.metric("reserve_stock", "p95", 23.1, -0.7, 4.4, result.NotComparable, true)}
	return r
}

func censored() *result.Result {
	w := newWorld(4)
	r := abtest(w)
	r.Verdict = result.Verdict{Status: result.NotComparable, Exit: 3, Valid: true,
		Sentence: "order_to_confirmed p95: not comparable; 85 % of orders in both variants hit the 10 s timeout.", Tally: "tpc: not comparable on 1 of 2, same on 1."}
	saga := result.Metric{Name: "order_to_confirmed p95", Operation: "order_to_confirmed", Stat: "p95", Unit: "ms", Better: "lower", Primary: true, Shown: true,
		A: result.Value{Text: "> 10 s", N: 3240, Runs: []*float64{nil, nil}}, B: result.Value{Text: "> 10 s", N: 3240, Runs: []*float64{nil, nil}}, Pairs: 6,
		Why: "more than 5 % of the work in every run hit the 10 s timeout", Verdict: result.NotComparable, Sentence: "order_to_confirmed p95: not comparable."}
	r.Metrics = []result.Metric{w.metric("create_order", "p95", 24.5, -0.4, 2.4, result.Same, true), saga}
	for i := range r.Arms {
		c := &r.Arms[i].Completions[0]
		c.Succeeded, c.TimedOut = 489, 2751
		c.Quantiles = []result.Quantile{{Name: "p50", Text: "> 10 s"}, {Name: "p95", Text: "> 10 s"}, {Name: "p99", Text: "> 10 s"}}
		r.Arms[i].Errors = []result.Error{{Class: "timeout", Operation: "order_to_confirmed", Signature: "not CONFIRMED within 10 s", Count: 2751, SharePct: 84.9, FirstS: 0.6, Pattern: "steady"}}
	}
	for i := range r.Spectra {
		s := &r.Spectra[i]
		s.Timeout, s.LimitMS = 0.06, nil
		s.Points = s.Points[:21]
	}
	for i := range r.Timelines {
		r.Timelines[i].P95MS[3], r.Timelines[i].P95MS[4] = nil, nil
		r.Timelines[i].Failed = []float64{0, 0, 0, 40, 51, 20, 0, 0, 0, 0}
	}
	r.Warnings = []result.Warning{{Code: "CENSORED", Level: "limit", Metric: "order_to_confirmed p95", Seen: "85 % of the sampled orders ended by the 10 s timeout", Effect: "p95 > 10 s; no difference is computed", Action: "lower the rate, or raise completion.timeout"}}
	return r
}

func failingRun() *result.Result {
	w := newWorld(5)
	r := abtest(w)
	a := arm("orders", "", 1)
	a.Trials = 1
	a.Operations[1].Functional, a.Operations[1].OK = 2210, 13500-2210
	a.Errors = []result.Error{{Class: "functional", Operation: "reserve_stock", Signature: "409 INSUFFICIENT_STOCK", Count: 2210, SharePct: 16.4, FirstS: 52.1, Pattern: "from 0:52 on", MedianMS: "1.3"}}
	a.Operations[2].Quantiles[4] = result.Quantile{Name: "p99.9", Text: "- (n=8100)"}
	r.Kind, r.Arms, r.Treatment, r.Metrics, r.Looks = result.KindRun, []result.Arm{a}, nil, []result.Metric{}, nil
	r.Run.ID, r.Run.Scenario, r.Run.Scope, r.Run.Repeat = "run-orders-20261130-100211", "orders", "1 run of 60 s after 10 s warm-up, 900/s poisson, seed 41", "perfctl run orders --seed 41"
	r.Verdict = result.Verdict{Status: result.Fail, Exit: 1, Valid: true, Sentence: "1 of 3 thresholds fails: create_order p95 is 29.0 ms, limit 25 ms, at 900/s for 60 s."}
	r.Thresholds = []result.Threshold{{Text: "create_order p95 < 25ms", Label: "orders", Value: "29.0 ms", Status: "fail", N: 32400}, {Text: "system_errors < 1%", Label: "orders", Value: "0 %", Status: "pass", N: 54000},
		{Text: "order_to_confirmed p99.99 < 1s", Label: "orders", Value: "- (n=3240)", Status: "nodata", N: 3240}}
	r.Trials = []result.Trial{{Name: "01-orders", Slot: 1, Label: "orders", Start: r.Run.Started, Valid: true, SentPct: 100, OKPct: 95.9, LateP99: 0.31, Values: map[string]float64{}}}
	r.Verdict.Detail = []string{"create_order p95 < 25ms: fail (29.0 ms, n=32400).", "A run says nothing about differences between two runs."}
	r.Spectra = []result.Spectrum{w.spectrum("create_order", "orders", 15.9, 1), w.spectrum("reserve_stock", "orders", 14.2, 1)}
	r.Spectra[1].LimitMS = ptr(4000)
	t := w.timeline("orders", 29)
	for len(t.Scheduled) < 60 {
		more := w.timeline("orders", 29)
		t.Scheduled, t.Achieved, t.Failed, t.P95MS = append(t.Scheduled, more.Scheduled...), append(t.Achieved, more.Achieved...), append(t.Failed, more.Failed...), append(t.P95MS, more.P95MS...)
	}
	for i := 52; i < 60; i++ {
		t.Failed[i], t.Achieved[i] = 225, t.Achieved[i]-225
	}
	r.Timelines = []result.Timeline{t}
	r.Warnings = []result.Warning{{Code: "FUNCTIONAL", Level: "note", Metric: "reserve_stock", Seen: "409 INSUFFICIENT_STOCK from 0:52 on", Effect: "counted apart from system errors", Action: "seed more stock for a longer run"},
		{Code: "FASTFAIL", Level: "note", Metric: "reserve_stock", Seen: "failures take 1.3 ms, successes 14.2 ms", Effect: "failures never enter the times of successes"}}
	return r
}

// interrupted has nothing: stopped before the first trial ended.
func interrupted() *result.Result {
	return &result.Result{Schema: result.Schema, Kind: result.KindABTest,
		Run:     result.Run{ID: "abtest-x", Started: time.Date(2026, 11, 30, 10, 2, 11, 0, time.UTC), Seed: 41, Scenario: "community-vs-tpc", Perfctl: "1.0.0", Interrupted: true, Repeat: "perfctl abtest community-vs-tpc --seed 41"},
		Verdict: result.Verdict{Status: result.Interrupted, Exit: 130, Sentence: "Interrupted before the first trial ended: nothing was measured."},
		Arms:    []result.Arm{{Label: "A", Variant: "community", Operations: []result.Operation{{Name: "create_order"}}}, {Label: "B", Variant: "tpc"}}}
}

const nasty = "</script><img src=x onerror=alert(1)>|`*_[a](javascript:x)\x1b[31m\u202e--> @all"

// hostile has markup in every name that a user or a server chooses, and long names.
func hostile() *result.Result {
	w := newWorld(6)
	r := abtest(w)
	r.Verdict = result.Verdict{Status: result.Unclear, Exit: 3, Valid: true, Sentence: "Can't tell: " + nasty}
	long := "a_very_long_operation_name_that_no_terminal_of_eighty_columns_can_show_whole_" + nasty
	r.Metrics = []result.Metric{w.metric(nasty, "p95", 24.5, -1.4, 540, result.Unclear, true), w.metric(long, "p99.9", 12345, 3, 8, result.Unclear, true)}
	for i := range r.Arms {
		a := &r.Arms[i]
		a.Operations[0].Name, a.Variant, a.Completions[0].Name, a.Resources[0].Name = nasty, "variant with a long name "+nasty, long, nasty
		a.Errors = []result.Error{{Class: nasty, Operation: long, Signature: nasty, Count: 1, Pattern: nasty, Example: nasty}}
		a.Slowest[0].Operation, a.Slowest[0].Replica = nasty, nasty
	}
	for i := range r.Spectra {
		if r.Spectra[i].Operation == "create_order" {
			r.Spectra[i].Operation = nasty
		}
		r.Timelines[i%2].Operation = nasty
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		t.Name, t.Variant, t.Why, t.Warnings = nasty, nasty, nasty, []string{nasty}
		t.Values = map[string]float64{nasty + " p95": 20 + float64(i)}
	}
	r.Run.Scenario, r.Run.Scope, r.Run.Description, r.Run.Notes, r.Run.Host, r.Run.Repeat, r.Run.Git = nasty, nasty, nasty, nasty, nasty, nasty, nasty
	r.Treatment[0].Setting, r.Treatment[0].BObserved = nasty, nasty
	r.Settings = append(r.Settings, result.Setting{Name: nasty, Value: nasty})
	r.Difference = []result.Difference{{Name: nasty, A: nasty, B: nasty}}
	r.Method, r.Files = append(r.Method, nasty), append(r.Files, result.File{Path: nasty, What: nasty})
	r.Warnings = []result.Warning{{Code: nasty, Level: "limit", Metric: nasty, Variant: nasty, Seen: nasty, Effect: nasty, Action: nasty}}
	r.Thresholds = []result.Threshold{{Text: nasty, Label: "A", Value: nasty, Status: nasty}}
	r.Validity = append(r.Validity, result.Check{Name: nasty, Status: "warn", Text: nasty})
	return r
}
