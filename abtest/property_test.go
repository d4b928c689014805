package abtest

import (
	"bytes"
	"io"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
)

func swapped(s string) string {
	switch s {
	case result.Better:
		return result.Worse
	case result.Worse:
		return result.Better
	}
	return s
}

// Who is called A does not matter: the verdicts turn round, and nothing else.
func TestSwappingTheSidesMirrorsTheVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{4, 6, 8, 12}).Draw(t, "pairs")
		effect := rapid.SampledFrom([]float64{0, 0, .1, .3, -.3}).Draw(t, "effect")
		p := planOf(t, []string{"create_order p95", "errors"}, standard...)
		x, y := sessionOf(t, p), sessionOf(t, p)
		for j := range n {
			first := j%4 == 0 || j%4 == 3
			ms := rapid.Float64Range(40, 60).Draw(t, "ms") // where the percents of the margins are the larger part on either side
			d := math.Exp(effect + rapid.Float64Range(-.1, .1).Draw(t, "noise"))
			lost := [2]int64{rapid.Int64Range(0, 40).Draw(t, "lost a"), rapid.Int64Range(0, 40).Draw(t, "lost b")}
			for i, label := range []string{"A", "B"} {
				value := ms
				if label == "B" {
					value *= d
				}
				make1 := func(l string, first bool) factstest.Trial {
					t := trialOf(slotOf(j+1, l, first), value)
					t.Operations[0].OK = t.Operations[0].OK[lost[i]:]
					t.Operations[0].Others = map[string]int64{"timeout": lost[i]}
					t.Record.Asked, t.Record.Observed = nil, []rundir.Setting{{Where: "x", Name: "side", Value: label}}
					return t
				}
				x.Add(make1(label, first).Facts())
				y.Add(make1(map[string]string{"A": "B", "B": "A"}[label], !first).Facts())
			}
		}
		rx, ry := judged1(t, x), judged1(t, y)
		for i, m := range rx.Metrics {
			o := ry.Metrics[i]
			if m.Verdict != swapped(o.Verdict) {
				t.Fatalf("%s: %s (%v), swapped %s (%v)", m.Name, m.Sentence, m.PHolm, o.Sentence, o.PHolm)
			}
			if m.PHolm != nil && o.PHolm != nil && math.Abs(*m.PHolm-*o.PHolm) > 1e-9 {
				t.Fatalf("%s: p %v, swapped %v", m.Name, *m.PHolm, *o.PHolm)
			}
		}
	})
}

// If some of B's good answers had failed instead, B would not look better for it.
func TestFailingNeverHelps(t *testing.T) {
	rank := map[string]int{result.Better: 0, result.Same: 1, result.Unclear: 2, result.NotComparable: 2, result.Worse: 3}
	rapid.Check(t, func(t *rapid.T) {
		p := planOf(t, []string{"create_order p95", "errors"}, 8)
		before, after := sessionOf(t, p), sessionOf(t, p)
		to := rapid.SampledFrom([]string{"timeout", "system", "unsent"}).Draw(t, "to")
		for j := range 8 {
			first := j%4 == 0 || j%4 == 3
			more := rapid.IntRange(1, 60).Draw(t, "more")
			for _, label := range order(first) {
				x := trialOf(slotOf(j+1, label, first), 20+float64(j%3))
				before.Add(x.Facts())
				if label == "B" {
					x.Operations[0].OK = x.Operations[0].OK[more:]
					x.Operations[0].Others = map[string]int64{to: int64(more)}
				}
				after.Add(x.Facts())
			}
		}
		a, b := judged1(t, before), judged1(t, after)
		for i := range a.Metrics {
			x, y := a.Metrics[i], b.Metrics[i]
			if rank[y.Verdict] < rank[x.Verdict] {
				t.Fatalf("%s: %s became %s", x.Name, x.Sentence, y.Sentence)
			}
		}
		if b.Verdict.Exit == 0 && b.Verdict.Status == result.Better {
			t.Fatalf("%+v", b.Verdict)
		}
	})
}

// Whatever the facts, the document is JSON and every report can be drawn from it.
func TestEveryDocumentCanBeWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := planOf(t, []string{"create_order p95", "done p95", "done completed", "cpu", "memory", "errors"}, 2, 4, 6)
		p.Quick = rapid.Bool().Draw(t, "quick")
		s := sessionOf(t, p)
		s.scenario = parse(t, shop+"thresholds: [ create_order p95 < 15ms, done p95 < 1s, delivered >= 99%, done completed >= 99% ]\n")
		outcomes := []string{"timeout", "system", "client", "unsent", "functional"}
		for j := range rapid.IntRange(0, 6).Draw(t, "pairs") {
			for _, label := range order(j%2 == 0) {
				x := trialOf(slotOf(j+1, label, j%2 == 0), 0)
				for o := range x.Operations {
					x.Operations[o].OK = rapid.SliceOfN(rapid.Float64Range(0, 20000), 0, 60).Draw(t, "ok")
					x.Operations[o].Others = map[string]int64{rapid.SampledFrom(outcomes).Draw(t, "outcome"): rapid.Int64Range(0, 500).Draw(t, "n")}
				}
				follow(&x, rapid.Float64Range(1, 9000).Draw(t, "ms"), rapid.Float64Range(0, 1).Draw(t, "width"), rapid.IntRange(0, 500).Draw(t, "done"), rapid.IntRange(0, 50).Draw(t, "late"))
				if rapid.Bool().Draw(t, "sampled") {
					x.Resources = []rundir.ResourceLine{{Name: "p", OffsetNS: 0, Working: rapid.Int64Range(0, 1<<30).Draw(t, "b")}, {Name: "p", OffsetNS: 11e9, CPUNS: rapid.Int64Range(0, 9e9).Draw(t, "cpu")}}
				}
				if rapid.IntRange(0, 9).Draw(t, "spoilt") == 0 {
					x.Record.HostUse = rundir.HostUse{Known: true, SwapBytes: 5}
				}
				s.Add(x.Facts())
			}
		}
		r := judged1(t, s)
		wellFormed(t, r.Verdict.Sentence)
		if n := utf8.RuneCountInString(r.Verdict.Sentence); n == 0 || n > 140 {
			t.Fatalf("%d characters: %s", n, r.Verdict.Sentence)
		}
		for _, d := range slices.Concat(r.Verdict.Detail, []string{r.Verdict.Tally}) {
			wellFormed(t, d)
		}
		for name, render := range map[string]func(io.Writer, *result.Result) error{"json": report.JSON, "markdown": report.Markdown, "html": report.HTML, "junit": report.JUnit} {
			var b bytes.Buffer
			if err := render(&b, r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if name != "html" && bytes.Contains(b.Bytes(), []byte("NaN")) {
				t.Fatalf("%s holds a NaN:\n%s", name, b.String())
			}
		}
	})
}
