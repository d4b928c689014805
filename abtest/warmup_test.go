package abtest

import (
	"math"
	"testing"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/verdict"
)

func TestWindowOf(t *testing.T) {
	for warm, want := range map[int]int{45: 9, 60: 10, 20: 10, 10: 5, 4: 2, 3: 1, 2: 1, 1: 1, 47: 1, 180: 10} {
		if got := windowOf(warm); got != want {
			t.Errorf("%d s: windows of %d s, want %d", warm, got, want)
		}
		if warm%windowOf(warm) != 0 {
			t.Errorf("%d s: a window of %d s holds warm-up and measurement", warm, windowOf(warm))
		}
	}
}

func TestWarmup(t *testing.T) {
	steady := func(int) float64 { return 40 }
	for _, c := range []struct {
		name  string
		shape func(second int) float64 // median of the second in ms; 45 s are warm-up
		pairs int
		quick bool
		level string
		seen  string
	}{
		{"steady", steady, 4, false, "", ""},
		{"settled just in time", func(s int) float64 { return 40 + 20*math.Exp(-float64(s)/15) }, 4, false, "", ""},
		{"too late", func(s int) float64 { return 40 + 40*math.Exp(-float64(s)/30) }, 4, false, verdict.Stop, "reserve_stock settles 90 s after the start, the warm-up is 45 s"},
		{"too late, quick", func(s int) float64 { return 40 + 40*math.Exp(-float64(s)/30) }, 4, true, verdict.Limit, "reserve_stock settles 90 s after the start, the warm-up is 45 s"},
		{"too late, noticed later", func(s int) float64 { return 40 + 40*math.Exp(-float64(s)/30) }, 6, false, verdict.Limit, "reserve_stock settles 90 s after the start, the warm-up is 45 s"},
		{"never", func(s int) float64 { return 40 * math.Exp(float64(s)/150) }, 4, false, verdict.Stop, "reserve_stock had not settled by the middle of the run"},
		{"a drift of 3 %", func(s int) float64 { return 40 * math.Exp(-.0002*float64(s)) }, 4, false, verdict.Stop, "the first third of the windows differs from the last by +2.6 %"},
		{"a drift of 3 % of 1 ms does not matter", func(s int) float64 { return math.Exp(-.0002 * float64(s)) }, 4, false, "", ""},
		{"settles by 0.1 ms only", func(s int) float64 { return .4 + .4*math.Exp(-float64(s)/30) }, 4, false, "", ""},
		{"three pairs", func(s int) float64 { return 40 * math.Exp(float64(s)/150) }, 3, false, "", ""},
	} {
		p := planOf(t, []string{"create_order p95"}, standard...)
		p.WarmupNS, p.MeasureNS, p.Quick = 45e9, 180e9, c.quick
		s := sessionOf(t, p)
		s.scenario.Operations[0].Weight = 0 // reserve_stock is the main operation
		for pair := 1; pair <= c.pairs; pair++ {
			for _, label := range order(true) {
				x := trialOf(slotOf(pair, label, true), 20)
				x.Record.WarmupEndNS, x.Record.MeasureNS = p.WarmupNS, p.MeasureNS
				f := x.Facts()
				schedule := make([]facts.Distribution, 225)
				for i := range schedule {
					schedule[i].AddValue(int64(c.shape(i) * (1 + .001*float64(pair)) * 1e6))
				}
				f.Operations["reserve_stock"].Schedule = schedule
				s.Add(f)
			}
		}
		r := judged1(t, s)
		if w := warningOf(r, verdict.WarmUp); w.Level != c.level || w.Seen != c.seen {
			t.Errorf("%s: %+v, want %s %q", c.name, w, c.level, c.seen)
		}
	}
}
