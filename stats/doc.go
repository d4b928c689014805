// Package stats answers: given a few paired runs of two variants, what may be
// said about the difference, and how sure is it?
//
// # Model
//
// The unit of evidence is the run, never what happens inside it. Runs come in
// pairs, one of A and one of B, neighbours in time, in an order drawn at random
// (see [Plan]). Pair j gives A_j and B_j, the same summary of each run, and
//
//	d_j = ln(B_j / A_j)            (or p_Bj - p_Aj for proportions)
//	m   = mean of d_j, s = standard deviation with n-1, SE = s/sqrt(n)
//	t   = m/SE, Student t with n-1 degrees of freedom
//	interval at level a: m ± t_(n-1, 1-a/2) SE
//
// exp(m) is the ratio of the geometric means of the per-run summaries. See
// [LogRatios], [CensoredLogRatios] and [Rates].
//
// # Looking more than once
//
// A session may be judged after 4, 6, 8, 10 and 12 pairs. [Looks] holds the
// levels that keep the overall error at 5 %: the alpha-spending function
// .05 (n/12)^2 (Lan and DeMets 1983), exact for the paired t. Holm's procedure
// (1979) runs over the rows of that table for several primary metrics
// (Maurer and Bretz 2013), and [Session.Judge] strings it together.
//
// # Verdicts
//
// Two margins are fixed beforehand: NameAt, the smallest difference worth a
// name, and RuleOut, the difference that "same" must exclude.
//
//	worse, better   Holm-significant, and |m| >= NameAt
//	same            interval inside ±RuleOut, and |m| < NameAt (Schuirmann 1987)
//	unclear         neither; or fewer than [MinPairs] pairs
//	not comparable  a veto of the caller, or both sides censored
//
// # What it does not do
//
// It pools no samples across runs, trims no outliers, and uses no bootstrap:
// with 4 to 12 pairs percentile and BCa bootstraps reject a true null 10-20 % of
// the time. It reads no clock and knows nothing of where the values come from.
package stats
