package facts_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
)

func newDir(t *testing.T) *rundir.Dir {
	t.Helper()
	d, err := rundir.Create(t.TempDir(), "run", "x", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// load writes the trial and reads it back.
func load(t *testing.T, x factstest.Trial) *facts.Trial {
	t.Helper()
	d := newDir(t)
	x.Record.Name = "01-A"
	if err := x.Write(d); err != nil {
		t.Fatal(err)
	}
	got, err := facts.Load(d, "01-A")
	if err != nil {
		t.Fatal(err)
	}
	if got.Damage != "" {
		t.Fatalf("damage: %s", got.Damage)
	}
	return got
}

func repeat(ms float64, n int) []float64 { return slices.Repeat([]float64{ms}, n) }

func near(got, want float64) bool { return math.Abs(got-want) <= want/1000 }

// Golden vector V4 of the method: twenty values of which two timed out.
func TestGoldenV4ThroughTheFiles(t *testing.T) {
	x := load(t, factstest.Trial{Operations: []factstest.Operation{{Name: "op", Others: map[string]int64{"timeout": 2},
		OK: []float64{12, 13, 13.5, 14, 14.2, 14.8, 15, 15.1, 15.5, 16, 16.4, 17, 18, 19, 21, 24, 30, 55}}}})
	r := x.Operations["op"].Ranked()
	for q, want := range map[float64]float64{.5: 16, .75: 21, .85: 30, .9: 55} {
		if got := r.Quantile(q); got.Where != facts.Measured || !near(got.NS/1e6, want) || got.N != 20 {
			t.Errorf("q %v: got %+v, want %v ms", q, got, want)
		}
	}
	if got := r.Quantile(.95); got.Where != facts.AmongTimeouts || !math.IsInf(got.NS, 1) {
		t.Errorf("p95 of 20 with two timeouts: %+v", got)
	}
}

// One rule: values, then those that timed out, then failed, refused or unsent ones;
// declared business errors apart.
func TestWhereARankFalls(t *testing.T) {
	for _, c := range []struct {
		ok     int
		others map[string]int64
		q      float64
		n      int64
		where  facts.Beyond
		text   string
	}{
		{1000, nil, .95, 1000, facts.Measured, "20.0"},
		{950, map[string]int64{"timeout": 50}, .95, 1000, facts.Measured, "20.0"},
		{949, map[string]int64{"timeout": 51}, .95, 1000, facts.AmongTimeouts, "> 10 s"},
		{940, map[string]int64{"timeout": 9, "system": 51}, .95, 1000, facts.AmongFailed, "failed"},
		{940, map[string]int64{"timeout": 10, "system": 50}, .95, 1000, facts.AmongTimeouts, "> 10 s"},
		{949, map[string]int64{"system": 51}, .95, 1000, facts.AmongFailed, "failed"},
		{949, map[string]int64{"client": 51}, .95, 1000, facts.AmongFailed, "failed"},
		{949, map[string]int64{"unsent": 51}, .95, 1000, facts.AmongFailed, "failed"},
		{949, map[string]int64{"system": 17, "client": 17, "unsent": 17}, .95, 1000, facts.AmongFailed, "failed"},
		{950, map[string]int64{"functional": 5000}, .95, 950, facts.Measured, "20.0"},
		{0, map[string]int64{"timeout": 1000}, .5, 1000, facts.AmongTimeouts, "> 10 s"},
		{0, map[string]int64{"functional": 10}, .5, 0, facts.Measured, "-"},
		{199, nil, .95, 199, facts.Measured, "- (n=199)"},
		{200, nil, .95, 200, facts.Measured, "20.0"},
	} {
		x := load(t, factstest.Trial{Operations: []factstest.Operation{{Name: "op", OK: repeat(20, c.ok), Others: c.others}}})
		got := x.Operations["op"].Ranked().Quantile(c.q)
		if got.Where != c.where || got.N != c.n || got.Text() != c.text {
			t.Errorf("%d ok, %v: got %+v %q, want n %d, %v, %q", c.ok, c.others, got, got.Text(), c.n, c.where, c.text)
		}
	}
}

func TestShownAndJudged(t *testing.T) {
	for _, c := range []struct {
		q             float64
		n             int
		shown, judged bool
	}{{.95, 199, false, false}, {.95, 200, true, false}, {.95, 399, true, false}, {.95, 400, true, true}, {.5, 19, false, false}, {.5, 40, true, true}} {
		x := factstest.Trial{Operations: []factstest.Operation{{Name: "op", OK: repeat(1, c.n)}}}.Facts()
		if got := x.Operations["op"].Ranked().Quantile(c.q); got.Shown() != c.shown || got.Judged() != c.judged {
			t.Errorf("q %v of %d: shown %v, judged %v", c.q, c.n, got.Shown(), got.Judged())
		}
	}
}

// Whatever happens to a request that was answered well, no quantile gets better by it.
func TestFailingNeverImproves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ok := rapid.SliceOfN(rapid.Float64Range(.01, 5000), 1, 200).Draw(t, "ok")
		others := map[string]int64{}
		for _, o := range []string{"timeout", "system", "client", "unsent"} {
			others[o] = rapid.Int64Range(0, 20).Draw(t, o)
		}
		lost := rapid.IntRange(0, len(ok)-1).Draw(t, "lost")
		to := rapid.SampledFrom([]string{"timeout", "system", "client", "unsent"}).Draw(t, "to")
		worse := map[string]int64{}
		for k, v := range others {
			worse[k] = v
		}
		worse[to]++
		before := factstest.Trial{Operations: []factstest.Operation{{Name: "op", OK: ok, Others: others}}}.Facts().Operations["op"].Ranked()
		after := factstest.Trial{Operations: []factstest.Operation{{Name: "op", OK: slices.Delete(slices.Clone(ok), lost, lost+1), Others: worse}}}.Facts().Operations["op"].Ranked()
		if before.N() != after.N() {
			t.Fatalf("n %d became %d", before.N(), after.N())
		}
		for _, q := range []float64{.01, .25, .5, .9, .95, .99, .999} {
			b, a := before.Quantile(q), after.Quantile(q)
			if a.NS < b.NS*(1-.001) || a.Where < b.Where {
				t.Fatalf("q %v: %v %v became %v %v", q, b.NS, b.Where, a.NS, a.Where)
			}
		}
	})
}

// The buckets are the histogram library's own.
func TestBucketsAreTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Int64Range(0, 5e6), rapid.Int64Range(0, int64(10*time.Minute))).Draw(t, "ns")
		h := hdr.New(1000, int64(10*time.Minute), 3)
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		var d facts.Distribution
		d.AddValue(v)
		got := d.Buckets()
		if len(got) != 1 || got[0].Count != 1 {
			t.Fatalf("%v", got)
		}
		for _, b := range h.Distribution() {
			if b.Count > 0 && (float64(b.From) != got[0].Low || float64(b.To+1) != got[0].High) {
				t.Fatalf("%d: library %d to %d, ours %v to %v", v, b.From, b.To, got[0].Low, got[0].High)
			}
		}
	})
}

func TestForeignHistogramsAreRefused(t *testing.T) {
	for _, h := range []*hdr.PackedHistogram{hdr.NewPacked(1, int64(10*time.Minute), 3), hdr.NewPacked(1000, int64(10*time.Minute), 2)} {
		var d facts.Distribution
		if err := d.Add(h); err == nil || !strings.Contains(err.Error(), "perfctl writes them from 1000 ns with 3 digits") {
			t.Errorf("got %v", err)
		}
	}
	d := newDir(t)
	x := factstest.Trial{Record: rundir.Trial{Name: "01-A"}, Operations: []factstest.Operation{{Name: "op", OK: repeat(1, 10)}}}
	w, err := d.NewTrial("02-B")
	if err != nil {
		t.Fatal(err)
	}
	h := hdr.New(1, int64(10*time.Minute), 2)
	if err := h.RecordValue(5); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{x.Write(d), w.Begin(time.Unix(0, 0)), w.Histogram(0, rundir.Tag{Operation: "op", Outcome: "ok", Kind: rundir.Response}, h),
		w.Ledger(rundir.LedgerLine{Measured: true}), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := facts.Load(d, "02-B"); err == nil || !strings.Contains(err.Error(), "latency.hlog:5: histogram from 1 ns with 2 digits") {
		t.Errorf("got %v", err)
	}
}

func TestDistribution(t *testing.T) {
	var d, empty facts.Distribution
	d.AddValue(-5)
	d.AddValue(1e6)
	d.AddValue(3e9)
	if d.N() != 3 || d.Above(1e6) != 1 || d.Above(0) != 2 {
		t.Errorf("n %d, above 1 ms %d, above 0 %d", d.N(), d.Above(1e6), d.Above(0))
	}
	if empty.Max() != 0 || !near(d.Max(), 3e9) || d.Max() <= 3e9 {
		t.Errorf("max %v, empty %v", d.Max(), empty.Max())
	}
}

// The warm-up sends too; none of it is counted.
func TestWarmupIsNotCounted(t *testing.T) {
	x := load(t, factstest.Trial{Record: rundir.Trial{WarmupEndNS: 5e9, MeasureNS: 10e9}, WarmupMS: 900,
		Operations: []factstest.Operation{{Name: "op", OK: repeat(20, 1000), Others: map[string]int64{"system": 3, "timeout": 4, "client": 5, "unsent": 6, "functional": 7}}}})
	o := x.Operations["op"]
	if o.Scheduled != 1025 || o.Response.N() != 1000 || o.Service.N() != 1000 || !near(o.Response.Max()/1e6, 20) || x.Seconds != 10 {
		t.Errorf("scheduled %d, ok %d, max %v ms, %d s", o.Scheduled, o.Response.N(), o.Response.Max()/1e6, x.Seconds)
	}
	if diff := cmp.Diff(map[string]int64{"ok": 1000, "system": 3, "timeout": 4, "client": 5, "unsent": 6, "functional": 7}, o.Outcomes); diff != "" {
		t.Error(diff)
	}
	if len(o.PerSecond) != 10 || len(o.Schedule) != 15 {
		t.Errorf("%d measured seconds, %d of the schedule", len(o.PerSecond), len(o.Schedule))
	}
	var n, timedOut, failed int64
	for _, s := range o.PerSecond {
		n, timedOut, failed = n+s.N(), timedOut+s.TimedOut, failed+s.Failed
	}
	if n != 1018 || timedOut != 4 || failed != 14 {
		t.Errorf("%d arrivals in the seconds, %d timed out, %d failed", n, timedOut, failed)
	}
	got := o.Medians(4, 5) // the last of 20 s had no arrivals
	if !near(got[0]/1e6, 900) || !near(got[1]/1e6, 20) || !near(got[2]/1e6, 20) || !math.IsNaN(got[3]) {
		t.Errorf("medians %v", got)
	}
}

func TestNumbersAsText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{facts.MS(24_512_345), "24.5"}, {facts.MS(9_999e6), "9999"}, {facts.MS(12.34e9), "12.3 s"}, {facts.Time(24_512_345), "24.5 ms"},
		{facts.Time(12.34e9), "12.3 s"}, {facts.MS(0), "0"}, {facts.MS(99_970_000), "100"}, {facts.Significant(9.996), "10.0"}, {facts.Significant(.01234), "0.0123"}, {facts.Significant(1234567), "1234567"},
		{facts.Significant(-1.234), "-1.23"}, {facts.Significant(math.Inf(1)), "+Inf"}, {facts.Significant(1e-12), "0.000000"},
		{facts.Seconds(10 * time.Second), "10 s"}, {facts.Seconds(1500 * time.Millisecond), "1.5 s"}, {facts.Seconds(500 * time.Millisecond), "500 ms"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func ExampleQuantile_Text() {
	x := factstest.Trial{Operations: []factstest.Operation{{Name: "op", OK: repeat(24.5, 940), Others: map[string]int64{"timeout": 60}}}}.Facts()
	r := x.Operations["op"].Ranked()
	fmt.Println(r.Quantile(.5).Text(), r.Quantile(.95).Text(), r.Quantile(.999).Text())
	// Output: 24.5 > 10 s - (n=1000)
}
