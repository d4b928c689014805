package stats_test

import (
	"fmt"
	"math"

	"github.com/perfctl/perfctl/stats"
)

// The worked example of docs/METHOD.md: the p95 of one operation in ms, four pairs,
// the only primary metric, at the first look.
func ExampleLogRatios() {
	pairs := []stats.Pair{
		{A: 24.80, B: 27.45, AFirst: true},
		{A: 25.35, B: 27.90},
		{A: 23.34, B: 26.10},
		{A: 24.10, B: 26.05, AFirst: true},
	}
	for _, p := range pairs {
		fmt.Printf("d = ln(%.2f/%.2f) = %.6f\n", p.B, p.A, math.Log(p.B/p.A))
	}
	e, err := stats.LogRatios(pairs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("m %.6f, s %.6f, SE %.6f, t %.4f, p %.6f\n", e.Mean, e.SD, e.SE, e.T, e.P)

	session, err := stats.NewSession(stats.StandardLooks(), []stats.Metric{{
		NameAt:  stats.Margin{Rel: 0.05, Abs: 1},
		RuleOut: stats.Margin{Rel: 0.10, Abs: 2},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	const firstLook = 0
	judgement, err := session.Judge(firstLook, []stats.Evidence{e})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := judgement.Decisions[0]
	fmt.Printf("level %.5f, critical t %.4f\n", d.Level, stats.TCritical(d.Level, 3))
	fmt.Printf("interval %.6f to %.6f, name at %.6f\n", d.CI.Lo, d.CI.Hi, d.NameAt)
	fmt.Printf("ratio %.4f (%.4f to %.4f)\n", e.Ratio(e.Mean), e.Ratio(d.CI.Lo), e.Ratio(d.CI.Hi))
	fmt.Printf("A %.2f ms, change %+.2f ms (%+.2f to %+.2f)\n", e.Base, e.Delta(e.Mean), e.Delta(d.CI.Lo), e.Delta(d.CI.Hi))
	fmt.Printf("verdict %v\n", d.Verdict)
	// Output:
	// d = ln(27.45/24.80) = 0.101523
	// d = ln(27.90/25.35) = 0.095848
	// d = ln(26.10/23.34) = 0.111767
	// d = ln(26.05/24.10) = 0.077806
	// m 0.096736, s 0.014236, SE 0.007118, t 13.5906, p 0.000862
	// level 0.00555, critical t 7.1874
	// interval 0.045577 to 0.147895, name at 0.048790
	// ratio 1.1016 (1.0466 to 1.1594)
	// A 24.39 ms, change +2.48 ms (+1.14 to +3.89)
	// verdict worse
}

// The table of docs/METHOD.md: the smallest change that n pairs find with power .80,
// for three run-to-run coefficients of variation. A pair's log ratio holds the
// spread of two runs.
func ExampleDetectable() {
	looks := stats.StandardLooks()
	fmt.Print("run-to-run CV  sd of d ")
	for k := range looks.Len() {
		fmt.Printf("%5d pairs", looks.Pairs(k))
	}
	fmt.Println()
	for _, cv := range []float64{0.029, 0.043, 0.086} {
		sd := math.Sqrt(2 * math.Log1p(cv*cv))
		fmt.Printf("%11.1f %%  %.4f  ", 100*cv, sd)
		for k := range looks.Len() {
			fmt.Printf("%9.1f %%", 100*math.Expm1(stats.Detectable(looks.Pairs(k), sd, looks.Level(1, k))))
		}
		fmt.Println()
	}
	// Output:
	// run-to-run CV  sd of d     4 pairs    6 pairs    8 pairs   10 pairs   12 pairs
	//         2.9 %  0.0410       18.2 %      9.0 %      6.3 %      4.9 %      4.1 %
	//         4.3 %  0.0608       28.2 %     13.7 %      9.4 %      7.4 %      6.1 %
	//         8.6 %  0.1214       64.2 %     29.2 %     19.7 %     15.3 %     12.6 %
}
