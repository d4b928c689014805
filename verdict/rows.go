package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
)

// maxSlow is how many of the slowest arrivals a report lists for each variant.
const maxSlow = 20

func errorRows(trials []*facts.Trial) []result.Error {
	type key struct{ op, class, signature string }
	rows := map[key]*result.Error{}
	all := map[string]int64{}
	for _, t := range trials {
		for name, o := range t.Operations {
			all[name] += cmp.Or(o.Scheduled, total(o.Outcomes)) // polls have no schedule
		}
		for name, c := range t.Completions {
			all[name] += c.Sampled
		}
		for _, e := range t.Errors {
			k := key{e.Operation, e.Outcome, e.Signature}
			r := rows[k]
			if r == nil {
				r = &result.Error{Class: e.Outcome, Operation: e.Operation, Signature: e.Signature, FirstS: float64(e.FirstNS) / 1e9, Example: e.Example,
					Pattern: pattern(e, t.MeasureNS)}
				rows[k] = r
			}
			r.Count += e.Count
			r.FirstS = min(r.FirstS, float64(e.FirstNS)/1e9)
			if r.Pattern != pattern(e, t.MeasureNS) {
				r.Pattern = "differs between runs"
			}
		}
	}
	var out []result.Error
	for k, r := range rows {
		r.SharePct = pct(r.Count, all[k.op])
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b result.Error) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Signature, b.Signature), cmp.Compare(a.Class, b.Class))
	})
	return out
}

// fewErrors are too few to show a pattern in time.
const fewErrors = 5

// pattern says when in the window of one trial the errors were seen.
func pattern(e rundir.ErrorEntry, measureNS int64) string {
	first, last, window := float64(e.FirstNS)/1e9, float64(e.LastNS)/1e9, float64(measureNS)/1e9
	from, until := first > .1*window, last < .9*window
	switch {
	case e.Count < fewErrors:
		return "single ones"
	case last-first < .05*window:
		return "burst at " + clock(first)
	case from && until:
		return fmt.Sprintf("from %s to %s", clock(first), clock(last))
	case from:
		return "from " + clock(first) + " on"
	case until:
		return "until " + clock(last)
	}
	return "steady"
}

func total(outcomes map[string]int64) int64 {
	var n int64
	for _, c := range outcomes {
		n += c
	}
	return n
}

func clock(s float64) string { return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60) }

// resources averages each process over the trials; maxima are over all of them.
func resources(trials []*facts.Trial) []result.Resource {
	byName := map[string]*result.Resource{}
	count := map[string]float64{}
	var order []string
	for _, t := range trials {
		ops := completed(t)
		for _, u := range t.Usages() {
			r := byName[u.Name]
			if r == nil {
				r = &result.Resource{Name: u.Name}
				byName[u.Name] = r
				order = append(order, u.Name)
			}
			count[u.Name]++
			r.CPUMeanCores += u.MeanCores
			r.CPUMaxCores = max(r.CPUMaxCores, u.MaxCores)
			if ops > 0 {
				r.CPUPerOpMS += u.CPU.Seconds() * 1e3 / float64(ops)
			}
			r.MemStartMiB += mib(u.MemStart)
			r.MemEndMiB += mib(u.MemEnd)
			r.MemMaxMiB = max(r.MemMaxMiB, mib(u.MemMax))
			if u.Limit > 0 {
				l := mib(u.Limit)
				r.LimitMiB = &l
			}
			r.Threads = max(r.Threads, u.Threads)
			r.Restarts += u.Restarts
			r.Samples += u.Samples
		}
	}
	out := []result.Resource{}
	for _, n := range order {
		r := byName[n]
		r.CPUMeanCores /= count[n]
		r.CPUPerOpMS /= count[n]
		r.MemStartMiB /= count[n]
		r.MemEndMiB /= count[n]
		out = append(out, *r)
	}
	return out
}

func completed(t *facts.Trial) int64 {
	var n int64
	for _, p := range t.TrialRecord.Operations {
		if o := t.Operations[p.Name]; o != nil {
			n += o.Outcomes["ok"] + o.Outcomes["functional"]
		}
	}
	return n
}

func slowest(trials []*facts.Trial) []result.Slow {
	var out []result.Slow
	for _, t := range trials {
		for _, s := range t.Slow {
			out = append(out, slowRow(t.Name, s))
		}
	}
	slices.SortStableFunc(out, func(a, b result.Slow) int { return cmp.Compare(b.MS, a.MS) })
	return out[:min(len(out), maxSlow)]
}

func slowRow(trial string, s rundir.SlowLine) result.Slow {
	connection := "new"
	if s.Reused {
		connection = "reused"
	}
	return result.Slow{Trial: trial, AtS: float64(s.IntendedNS) / 1e9, Operation: s.Operation, Outcome: s.Outcome,
		MS: float64(s.DoneNS-s.IntendedNS) / 1e6, ServiceMS: float64(s.DoneNS-s.SentNS) / 1e6,
		LateMS: float64(s.SentNS-s.IntendedNS) / float64(time.Millisecond), Status: s.Status,
		RequestBytes: s.RequestBytes, ResponseBytes: s.ResponseBytes, Connection: connection, Replica: s.Replica}
}
