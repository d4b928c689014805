package verdict_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/verdict"
)

func TestSpectrum(t *testing.T) {
	var trials []*facts.Trial
	for i := range 3 {
		x := healthy()
		x.Operations[0] = factstest.Operation{Name: "op", OK: repeat(40*math.Pow(2, float64(i-1)), 990), Others: map[string]int64{"timeout": 10}}
		trials = append(trials, x.Facts())
	}
	s := verdict.Spectrum("A", "op", trials)
	if s.N != 3000 || math.Abs(s.Timeout-.01) > 1e-12 || len(s.Points) != 48 {
		t.Fatalf("n %d, %v without a value, %d points", s.N, s.Timeout, len(s.Points))
	}
	last := s.Points[len(s.Points)-1]
	if math.Abs(last.Q-.99) > 1e-12 || math.Abs(last.MS-40) > .08 { // geometric mean of 20, 40, 80
		t.Errorf("last point %+v", last)
	}
	// t(2, .975) ln 2 / sqrt 3
	if h := math.Log(*last.Hi / last.MS); math.Abs(h-4.302652729911*math.Ln2/math.Sqrt(3)) > 2e-3 || math.Abs(math.Log(last.MS / *last.Lo)-h) > 1e-9 {
		t.Errorf("band %v", h)
	}
	if two := verdict.Spectrum("A", "op", trials[:2]); two.Points[0].Lo != nil {
		t.Error("a band from two runs")
	}
	if none := verdict.Spectrum("A", "other", trials); none.N != 0 || none.Points == nil || len(none.Points) != 0 {
		t.Errorf("got %+v", none)
	}
}

// A constant rate stays constant in the drawing, also in a last, shorter step.
func TestTimeline(t *testing.T) {
	for _, seconds := range []int64{100, 500} {
		dir, err := rundir.Create(t.TempDir(), "run", "x", time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		var trials []*facts.Trial
		for i := range 2 {
			x := factstest.Trial{Record: rundir.Trial{Name: fmt.Sprint(i), WarmupEndNS: 3e9, MeasureNS: seconds * 1e9}, WarmupMS: 900,
				Operations: []factstest.Operation{{Name: "op", OK: repeat(20, int(100*seconds)), Others: map[string]int64{"system": 2 * seconds, "functional": seconds}}}}
			if err := x.Write(dir); err != nil {
				t.Fatal(err)
			}
			f, err := facts.Load(dir, fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			trials = append(trials, f)
		}
		tl := verdict.Timeline("A", "op", trials)
		step := (seconds + 239) / 240
		if tl.StepS != float64(step) || int64(len(tl.Scheduled)) != (seconds+step-1)/step {
			t.Fatalf("%d s: step %v, %d points", seconds, tl.StepS, len(tl.Scheduled))
		}
		for i := range tl.Scheduled {
			if math.Abs(tl.Scheduled[i]-103) > 1e-9 || math.Abs(tl.Achieved[i]-101) > 1e-9 || math.Abs(tl.Failed[i]-2) > 1e-9 || tl.P95MS[i] == nil || math.Abs(*tl.P95MS[i]-20) > .02 {
				t.Fatalf("%d s, point %d: %v %v %v %v", seconds, i, tl.Scheduled[i], tl.Achieved[i], tl.Failed[i], tl.P95MS[i])
			}
		}
	}
	if tl := verdict.Timeline("A", "op", nil); len(tl.Scheduled) != 0 || tl.P95MS == nil {
		t.Errorf("got %+v", tl)
	}
}
