package single

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

func trial() factstest.Trial {
	return factstest.Trial{Record: rundir.Trial{Name: "01-A", Slot: rundir.Slot{Index: 1, Label: "A"}, WarmupEndNS: 2e9, MeasureNS: 10e9,
		Lateness: rundir.Quantiles{N: 1000, P99: 100e3}, Facts: []rundir.Setting{{Where: "shop", Name: "version", Value: "7"}}},
		Operations: []factstest.Operation{{Name: "browse", OK: slices.Repeat([]float64{5}, 100)}, {Name: "buy", OK: slices.Repeat([]float64{20}, 900)}}, WarmupMS: 500}
}

// judgeOne writes one trial, or none, and judges the directory.
func judgeOne(t *testing.T, text string, x *factstest.Trial, state string) *result.Result {
	t.Helper()
	dir, err := rundir.Create(t.TempDir(), "run", "shop", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(parse(t, text), Options{MaxInFlight: 9})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteManifest(rundir.Manifest{Kind: result.KindRun, State: state, ScenarioName: "shop", ScenarioFile: "shop.yaml", Scenario: text, ScenarioSHA256: "0123456789abcdef0", Plan: p}); err != nil {
		t.Fatal(err)
	}
	if x != nil {
		if err := x.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Judge(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Error(err)
	}
	return r
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, thresholds string
		change           func(*factstest.Trial)
		state            string
		want             result.Verdict
		checks           [2]string // statuses of the strip
	}{
		{"holds", "buy p95 < 30ms, browse p50 < 10ms", nil, rundir.Complete,
			result.Verdict{Status: "pass", Valid: true, Sentence: "Holds all 2 thresholds at 1 run, 10s after 2s warm-up, 50/s constant.",
				Detail: []string{"buy p95 < 30ms: pass (20.0 ms, n=900).", "browse p50 < 10ms: pass (5.00 ms, n=100)."}}, [2]string{"pass", "pass"}},
		{"fails", "buy p95 < 15ms, buy p50 < 10ms, buy p90 < 30ms", nil, rundir.Complete,
			result.Verdict{Status: "fail", Exit: 1, Valid: true, Sentence: "Fails buy p95 < 15ms (20.0 ms); buy p50 < 10ms (20.0 ms).",
				Detail: []string{"buy p95 < 15ms: fail (20.0 ms, n=900).", "buy p50 < 10ms: fail (20.0 ms, n=900).", "buy p90 < 30ms: pass (20.0 ms, n=900)."}}, [2]string{"pass", "pass"}},
		{"too few samples", "buy p95 < 30ms, browse p95 < 10ms", nil, rundir.Complete,
			result.Verdict{Status: "unclear", Exit: 3, Valid: true, Sentence: "Too few samples for browse p95 < 10ms (- (n=100)).",
				Detail: []string{"buy p95 < 30ms: pass (20.0 ms, n=900).", "browse p95 < 10ms: nodata (- (n=100), n=100)."}}, [2]string{"pass", "pass"}},
		{"a failure outweighs too few samples", "buy p95 < 10ms, browse p95 < 10ms", nil, rundir.Complete,
			result.Verdict{Status: "fail", Exit: 1, Valid: true, Sentence: "Fails buy p95 < 10ms (20.0 ms).",
				Detail: []string{"buy p95 < 10ms: fail (20.0 ms, n=900).", "browse p95 < 10ms: nodata (- (n=100), n=100)."}}, [2]string{"pass", "pass"}},
		{"25 % errors never pass", "system_errors < 2%", func(x *factstest.Trial) {
			x.Operations[1] = factstest.Operation{Name: "buy", OK: slices.Repeat([]float64{20}, 650), Others: map[string]int64{"system": 250}}
		}, rundir.Complete, result.Verdict{Status: "fail", Exit: 1, Valid: true, Sentence: "Fails system_errors < 2% (25.00 %).",
			Detail: []string{"system_errors < 2%: fail (25.00 %, n=1000)."}}, [2]string{"pass", "pass"}},
		{"half was never sent", "buy p50 < 30ms", func(x *factstest.Trial) {
			x.Operations[1] = factstest.Operation{Name: "buy", OK: slices.Repeat([]float64{20}, 400), Others: map[string]int64{"unsent": 500}}
		}, rundir.Complete, result.Verdict{Status: "fail", Exit: 1, Valid: true, Sentence: "Fails buy p50 < 30ms (failed).",
			Detail: []string{"buy p50 < 30ms: fail (failed, n=900)."}}, [2]string{"fail", "pass"}},
		{"no thresholds", "", nil, rundir.Complete,
			result.Verdict{Status: "pass", Valid: true, Sentence: "Measured 1000 arrivals; the scenario has no thresholds to hold them against."}, [2]string{"pass", "pass"}},
		{"the generator's fault", "buy p95 < 15ms", func(x *factstest.Trial) { x.Record.CapHit, x.Record.InFlightMax = 7, 9 }, rundir.Complete,
			result.Verdict{Status: "unclear", Exit: 3, Sentence: "No answer: GENSAT: 7 arrivals waited for the limit of requests in flight (9 at once).",
				Detail: []string{"buy p95 < 15ms: fail (20.0 ms, n=900)."}}, [2]string{"pass", "warn"}},
		{"cut short", "buy p95 < 30ms", func(x *factstest.Trial) { x.Record.State = rundir.Interrupted }, rundir.Interrupted,
			result.Verdict{Status: "unclear", Exit: 130, Sentence: "No answer: the trial did not end: interrupted.",
				Detail: []string{"buy p95 < 30ms: pass (20.0 ms, n=900)."}}, [2]string{"pass", "warn"}},
	} {
		text := shop
		if c.thresholds != "" {
			text += "thresholds: [ " + c.thresholds + " ]\n"
		}
		x := trial()
		if c.change != nil {
			c.change(&x)
		}
		r := judgeOne(t, text, &x, c.state)
		if diff := cmp.Diff(c.want, r.Verdict); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if got := [2]string{r.Validity[0].Status, r.Validity[1].Status}; got != c.checks {
			t.Errorf("%s: strip %v", c.name, r.Validity)
		}
		if utf8.RuneCountInString(r.Verdict.Sentence) > 140 {
			t.Errorf("%s: %s", c.name, r.Verdict.Sentence)
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	want := result.Verdict{Status: "unclear", Exit: 3, Sentence: "Nothing was measured.", Detail: []string{"buy p95 < 30ms: nodata (-, n=0)."}}
	r := judgeOne(t, shop+"thresholds: [ buy p95 < 30ms ]\n", nil, rundir.FailedState)
	if diff := cmp.Diff(want, r.Verdict); diff != "" {
		t.Error(diff)
	}
	if r.Validity[0].Status != "unclear" || r.Validity[1].Status != "unclear" || len(r.Trials) != 0 {
		t.Errorf("got %+v", r.Validity)
	}
}

func TestDocument(t *testing.T) {
	x := trial()
	r := judgeOne(t, shop+variants+"thresholds: [ buy p95 < 30ms, buy p99 < 10ms ]\n", &x, rundir.Running)
	if r.Arms[0].Label != "A" || r.Arms[0].Variant != "small" || r.Arms[0].Generator.Cap != 9 || r.Arms[0].Generator.Scheduled != 1000 || r.Timelines[0].Operation != "buy" ||
		len(r.Spectra) != 2 || *r.Spectra[1].LimitMS != 10 || r.Trials[0].SentPct != 100 || r.Trials[0].LateP99 != .1 || r.Trials[0].OKPct != 100 {
		t.Errorf("got %+v", r.Arms[0])
	}
	if last := r.Settings[len(r.Settings)-1]; last != (result.Setting{Name: "shop version", Value: "7"}) {
		t.Errorf("got %+v", last)
	}
	if !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.Code == verdict.Interrupted && w.Seen == "the run was cut short" }) {
		t.Errorf("got %+v", r.Warnings)
	}
	if got := clip(strings.Repeat("ü", 150)); utf8.RuneCountInString(got) != 140 {
		t.Errorf("got %q", got)
	}
}

func TestJudgeErrors(t *testing.T) {
	dir, err := rundir.Create(t.TempDir(), "run", "shop", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	try := func(want string) {
		t.Helper()
		if _, err := Judge(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	try("manifest.json")
	m := rundir.Manifest{ScenarioFile: "shop.yaml", Scenario: "perfctl: 9\n"}
	if err := dir.WriteManifest(m); err != nil {
		t.Fatal(err)
	}
	try("the run directory's scenario: ")
	m.Scenario = shop
	x := trial()
	if err := x.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{dir.WriteManifest(m), dir.WriteFile("trials/01-A/trial.json", []byte(`{"version":5}`))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	try("version 5")
}
