package meter

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWriteText(t *testing.T) {
	var r Registry
	c := r.Counter("jobs_total", "Jobs\nof \\ all kinds.", Label{"kind", `a"b\c` + "\n"})
	r.Counter("jobs_total", "", Label{"kind", "z"}, Label{"side", "left"})
	r.GaugeFunc("level", "Level.", func() float64 { return 1.5 })
	h := r.Histogram("wait_seconds", "Wait.", []time.Duration{time.Millisecond, time.Second}, Label{"q", "x"})
	r.SummaryFunc("pause_seconds", "Pauses.", func() (float64, uint64) { return 0.25, 4 })
	c.Add(2)
	h.Observe(time.Millisecond) // an upper bound belongs to its bucket
	h.Observe(time.Millisecond + 1)
	h.Observe(2 * time.Second)

	var out strings.Builder
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `# HELP jobs_total Jobs\nof \\ all kinds.
# TYPE jobs_total counter
jobs_total{kind="a\"b\\c\n"} 2
jobs_total{kind="z",side="left"} 0
# HELP level Level.
# TYPE level gauge
level 1.5
# HELP wait_seconds Wait.
# TYPE wait_seconds histogram
wait_seconds_bucket{q="x",le="0.001"} 1
wait_seconds_bucket{q="x",le="1"} 2
wait_seconds_bucket{q="x",le="+Inf"} 3
wait_seconds_sum{q="x"} 2.002000001
wait_seconds_count{q="x"} 3
# HELP pause_seconds Pauses.
# TYPE pause_seconds summary
pause_seconds_sum 0.25
pause_seconds_count 4
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteTextReportsTheWriter(t *testing.T) {
	var r Registry
	r.Counter("a_total", "A.")
	if err := r.WriteText(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}
