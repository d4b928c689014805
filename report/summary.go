package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/result"
)

// details are the sentences under the verdict, without those that only say a row of the table of
// thresholds again.
func details(r *result.Result) []string {
	var out []string
	for _, d := range r.Verdict.Detail {
		said := slices.ContainsFunc(r.Thresholds, func(t result.Threshold) bool { return strings.HasPrefix(d, t.Text+":") })
		if !said {
			out = append(out, d)
		}
	}
	return out
}

// reasons says why metrics are not judged or have no number, those of one reason together.
func reasons(metrics []result.Metric) []string {
	var order []string
	names := map[string][]string{}
	for _, m := range metrics {
		why := strings.TrimSuffix(m.Why, ".")
		if why == "" {
			continue
		}
		if names[why] == nil {
			order = append(order, why)
		}
		names[why] = append(names[why], m.Name)
	}
	var out []string
	for _, why := range order {
		about := strings.Join(names[why], ", ")
		if len(metrics) > 1 && len(names[why]) == len(metrics) {
			about = "all metrics"
		}
		out = append(out, about+": "+why)
	}
	return out
}

// armPrefix names an arm before a fact about it; the only arm of a run needs no name.
func armPrefix(r *result.Result, a result.Arm) string {
	if len(r.Arms) < 2 {
		return ""
	}
	return a.Label + " "
}

// delivered says how much of the schedule each arm's generator sent.
func delivered(r *result.Result) string {
	var out []string
	for _, a := range r.Arms {
		text := armPrefix(r, a) + "nothing scheduled"
		if a.Generator.Scheduled > 0 {
			text = fmt.Sprintf("%s%s %% of %s arrivals sent", armPrefix(r, a), share(a.Generator.SentPct), count(a.Generator.Scheduled))
		}
		if a.Generator.Unsent > 0 {
			text += fmt.Sprintf(", %s unsent", count(a.Generator.Unsent))
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// failures says what failed in each arm, by class.
func failures(r *result.Result) string {
	var out []string
	measured := false
	for _, a := range r.Arms {
		for _, o := range a.Operations {
			measured = measured || o.Scheduled > 0
		}
		if text := armFailures(a); text != "" {
			out = append(out, armPrefix(r, a)+text)
		}
	}
	switch {
	case !measured:
		return "- (nothing was measured)"
	case len(out) > 0:
		return strings.Join(out, "; ")
	case len(r.Arms) > 1:
		return "none in either arm"
	}
	return "none"
}

func armFailures(a result.Arm) string {
	var functional, system, timeout, client, unsent, scheduled int64
	for _, o := range a.Operations {
		functional += o.Functional
		system += o.System
		timeout += o.Timeout
		client += o.Client
		unsent += o.Unsent
		scheduled += o.Scheduled
	}
	var parts []string
	for _, c := range []struct {
		n    int64
		name string
	}{{functional, "functional"}, {system, "system"}, {timeout, "timed out"}, {client, "client"}, {unsent, "unsent"}} {
		if c.n > 0 {
			parts = append(parts, count(c.n)+" "+c.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " of " + count(scheduled)
}

// verified says how many of the settings asked for were observed.
func verified(r *result.Result) string {
	if len(r.Treatment) == 0 {
		return ""
	}
	ok, confounds := 0, 0
	for _, t := range r.Treatment {
		if t.OK {
			ok++
		}
		if t.Confound {
			confounds++
		}
	}
	text := fmt.Sprintf("%d of %d settings", ok, len(r.Treatment))
	if confounds > 0 {
		text += fmt.Sprintf("; not asked and different: %d", confounds)
	}
	return text
}
