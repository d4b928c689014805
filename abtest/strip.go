package abtest

import (
	"fmt"

	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/verdict"
)

// strip is the row of checks that says whether the numbers may be believed at all.
func (s *Session) strip(st Standing, r *result.Result) []result.Check {
	has := map[string]result.Warning{}
	for _, w := range r.Warnings {
		if _, seen := has[w.Code]; !seen {
			has[w.Code] = w
		}
	}
	asked, ok := 0, 0
	for _, t := range r.Treatment {
		if t.AAsked != "" || t.BAsked != "" {
			asked++
			if t.OK {
				ok++
			}
		}
	}
	checks := []result.Check{
		treatmentCheck(asked, ok, has),
		{Name: "load delivered", Status: passUnless(has, result.Fail, verdict.NotAtLoad), Text: s.delivered(r)},
		{Name: "generator", Status: passUnless(has, "warn", verdict.Late, verdict.GenSat), Text: generatorText(r)},
		{Name: "host", Status: passUnless(has, "warn", verdict.Host), Text: seenOr(has, "no steal, no foreign load", verdict.Host)},
		{Name: "warm-up", Status: passUnless(has, "warn", verdict.WarmUp), Text: seenOr(has, "settled before the window", verdict.WarmUp)},
		{Name: "failures", Status: passUnless(has, "warn", verdict.Failing, verdict.Incomplete), Text: seenOr(has, "none worth a warning", verdict.Failing, verdict.Incomplete)},
		{Name: "thresholds", Status: passUnless(has, result.Fail, verdict.Failed), Text: seenOr(has, held(r.Thresholds), verdict.Failed)},
		{Name: "pairs", Status: s.pairsStatus(st), Text: fmt.Sprintf("%d complete, judged after %v, at most %d", len(st.Pairs), s.plan.Looks, s.plan.PairsMax)},
	}
	if len(st.Pairs) == 0 {
		for i := range checks {
			if checks[i].Status == result.Pass {
				checks[i].Status, checks[i].Text = result.Unclear, "no complete pair of runs"
			}
		}
	}
	return checks
}

// held says how many thresholds hold; those with too few samples do not.
func held(ts []result.Threshold) string {
	if len(ts) == 0 {
		return "the scenario has none"
	}
	n := 0
	for _, t := range ts {
		if t.Status == result.Pass {
			n++
		}
	}
	return fmt.Sprintf("%d of %d hold", n, len(ts))
}

func treatmentCheck(asked, ok int, has map[string]result.Warning) result.Check {
	c := result.Check{Name: "B really different", Status: result.Pass, Text: fmt.Sprintf("%d of %d settings observed", ok, asked)}
	if w, bad := has[verdict.Treatment]; bad {
		c.Status, c.Text = result.Fail, w.Seen
	} else if asked == 0 {
		c.Status, c.Text = result.Unclear, "no setting was asked for"
	} else if w, bad := has[verdict.Unproven]; bad {
		c.Status, c.Text = "warn", w.Seen
	}
	return c
}

func (s *Session) delivered(r *result.Result) string {
	return fmt.Sprintf("sent A %.2f %%, B %.2f %% of %s", r.Arms[0].Generator.SentPct, r.Arms[1].Generator.SentPct, s.plan.Rate)
}

func generatorText(r *result.Result) string {
	a, b := r.Arms[0].Generator, r.Arms[1].Generator
	return fmt.Sprintf("lateness p99 A %.2f ms, B %.2f ms; own CPU %.0f %%", a.LateP99MS, b.LateP99MS, max(a.CPUPct, b.CPUPct))
}

func (s *Session) pairsStatus(st Standing) string {
	if st.Look < 0 {
		return result.Unclear
	}
	return result.Pass
}

func passUnless(has map[string]result.Warning, otherwise string, codes ...string) string {
	for _, c := range codes {
		if _, bad := has[c]; bad {
			return otherwise
		}
	}
	return result.Pass
}

func seenOr(has map[string]result.Warning, fine string, codes ...string) string {
	for _, c := range codes {
		if w, bad := has[c]; bad {
			return w.Seen
		}
	}
	return fine
}
