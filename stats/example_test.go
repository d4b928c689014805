package stats_test

import (
	"fmt"

	"github.com/perfctl/perfctl/stats"
)

// One primary metric after eight pairs: margins first, then the evidence.
func ExampleSession() {
	session, err := stats.NewSession(stats.StandardLooks(), []stats.Metric{{
		NameAt:  stats.Margin{Rel: 0.05, Abs: 1},
		RuleOut: stats.Margin{Rel: 0.10, Abs: 2},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	evidence, err := stats.LogRatios([]stats.Pair{
		{A: 24.80, B: 27.45}, {A: 25.35, B: 27.90}, {A: 23.34, B: 26.10}, {A: 24.10, B: 26.05},
		{A: 25.02, B: 27.80}, {A: 24.55, B: 27.30}, {A: 23.90, B: 26.65}, {A: 25.10, B: 27.20},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	const thirdLook = 2
	judgement, err := session.Judge(thirdLook, []stats.Evidence{evidence})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := judgement.Decisions[0]
	fmt.Printf("%v by %.1f %%: %+.1f (%+.1f to %+.1f), done: %v\n", d.Verdict,
		100*(evidence.Ratio(evidence.Mean)-1), evidence.Delta(evidence.Mean),
		evidence.Delta(d.CI.Lo), evidence.Delta(d.CI.Hi), judgement.Done)
	// Output: worse by 10.3 %: +2.5 (+2.1 to +2.9), done: true
}
