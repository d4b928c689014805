package report

import (
	"fmt"
	"strconv"

	"github.com/perfctl/perfctl/result"
)

// The tables behind the answer: operations, completions, errors, resources, the generator,
// the slowest requests, the trials and the looks.

// shownQuantiles are the columns of the operations table, in order.
var shownQuantiles = []string{"p50", "p90", "p95", "p99", "p99.9", "max"}

func operationsTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "operation"}, {Name: "arm"}, {Name: "/s", Number: true}, {Name: "ok %", Number: true}},
		Caption: "Response times in ms from the intended start, ranked over the scheduled arrivals. What timed out, failed or was not sent lies beyond every measured value. Service time starts at the send."}
	for _, q := range shownQuantiles {
		t.Columns = append(t.Columns, column{Name: q, Number: true, Detail: q == "p90" || q == "p99.9"})
	}
	for _, name := range []string{"scheduled", "sent", "functional", "system", "timeout", "client", "unsent", "failed median", "service p50", "service p95", "service p99", "weight %"} {
		t.Columns = append(t.Columns, column{Name: name, Number: true, Detail: true})
	}
	for _, op := range byName(r) {
		t.Rows = append(t.Rows, operationRow(op.arm, op.operation))
	}
	return t
}

func operationRow(a result.Arm, o result.Operation) row {
	cells := []cell{text(o.Name), {Text: a.Label, Class: "arm-" + letter(a.Label)}, text(three(o.PerSecond)), text(okShare(o))}
	for _, q := range shownQuantiles {
		cells = append(cells, text(quantile(o.Quantiles, q)))
	}
	for _, n := range []int64{o.Scheduled, o.Sent, o.Functional, o.System, o.Timeout, o.Client, o.Unsent} {
		cells = append(cells, text(count(n)))
	}
	failed := missing
	if o.Failed != nil {
		failed = orMissing(o.Failed.Text)
	}
	cells = append(cells, text(failed))
	for _, q := range []string{"p50", "p95", "p99"} {
		cells = append(cells, cell{Text: quantile(o.Service, q), Class: "quiet"})
	}
	return row{Cells: append(cells, text(share(o.WeightPct)))}
}

// armOperation is one operation of one arm.
type armOperation struct {
	arm       result.Arm
	operation result.Operation
}

// byName lists the operations of all arms, those of one name next to each other.
func byName(r *result.Result) []armOperation {
	var out []armOperation
	done := map[string]bool{}
	for _, first := range r.Arms {
		for _, named := range first.Operations {
			if done[named.Name] {
				continue
			}
			done[named.Name] = true
			for _, a := range r.Arms {
				for _, o := range a.Operations {
					if o.Name == named.Name {
						out = append(out, armOperation{a, o})
					}
				}
			}
		}
	}
	return out
}

func okShare(o result.Operation) string {
	if o.Scheduled == 0 {
		return missing
	}
	return share(100 * float64(o.OK) / float64(o.Scheduled))
}

// quantile is the printed text of a named quantile.
func quantile(quantiles []result.Quantile, name string) string {
	for _, q := range quantiles {
		if q.Name == name {
			return orMissing(q.Text)
		}
	}
	return missing
}

// capOf is the limit of requests in flight, where there was one.
func capOf(g result.Generator) string {
	if g.Cap == 0 {
		return missing
	}
	return count(int64(g.Cap))
}

// timed is the printed text of a named quantile with its unit, where it is a number.
func timed(quantiles []result.Quantile, name string) string {
	for _, q := range quantiles {
		if q.Name == name && q.Value != nil {
			return withUnit(orMissing(q.Text), "ms")
		}
	}
	return quantile(quantiles, name)
}

func completionsTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "completion"}, {Name: "arm"}, {Name: "of", Detail: true}, {Name: "sampled", Number: true, Detail: true},
		{Name: "accepted", Number: true}, {Name: "done %", Number: true}, {Name: "failed", Number: true, Detail: true},
		{Name: "timed out", Number: true}, {Name: "not accepted", Number: true, Detail: true}, {Name: "p50", Number: true}, {Name: "p95", Number: true},
		{Name: "p99", Number: true, Detail: true}, {Name: "polls", Number: true, Detail: true}, {Name: "misses", Number: true, Detail: true},
		{Name: "disagreements", Number: true, Detail: true}, {Name: "timeout", Number: true, Detail: true}, {Name: "resolution"}},
		Caption: "Work followed until it was done, from the intended start of the request that began it, in ms."}
	type key struct{ operation, name string }
	done := map[key]bool{}
	for _, first := range r.Arms {
		for _, named := range first.Completions {
			k := key{named.Operation, named.Name}
			if done[k] {
				continue
			}
			done[k] = true
			for _, a := range r.Arms {
				for _, c := range a.Completions {
					if (key{c.Operation, c.Name}) == k {
						t.Rows = append(t.Rows, completionRow(a, c))
					}
				}
			}
		}
	}
	return t
}

func completionRow(a result.Arm, c result.Completion) row {
	return row{Cells: append([]cell{text(c.Name), {Text: a.Label, Class: "arm-" + letter(a.Label)}}, texts(
		c.Operation, count(c.Sampled), count(c.Accepted), doneShare(c), count(c.Failed), count(c.TimedOut), count(c.NotAccepted),
		quantile(c.Quantiles, "p50"), quantile(c.Quantiles, "p95"), quantile(c.Quantiles, "p99"),
		count(c.Polls), count(c.Misses), count(c.Disagreements), limit(c.TimeoutMS), c.Resolution)...)}
}

func doneShare(c result.Completion) string {
	if c.Accepted == 0 {
		return missing
	}
	return share(100 * float64(c.Succeeded) / float64(c.Accepted))
}

func errorsTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "arm"}, {Name: "class"}, {Name: "operation"}, {Name: "signature"}, {Name: "count", Number: true},
		{Name: "% of arrivals", Number: true}, {Name: "first at", Number: true, Detail: true}, {Name: "pattern"},
		{Name: "median ms", Number: true, Detail: true}, {Name: "example", Detail: true}}}
	for _, a := range r.Arms {
		for _, e := range a.Errors {
			t.Rows = append(t.Rows, row{Cells: append([]cell{{Text: a.Label, Class: "arm-" + letter(a.Label)}}, texts(
				e.Class, e.Operation, e.Signature, count(e.Count), share(e.SharePct), decimals(e.FirstS, 1)+" s", e.Pattern, e.MedianMS, e.Example)...)})
		}
	}
	return t
}

func resourcesTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "process"}, {Name: "arm"}, {Name: "CPU mean", Number: true}, {Name: "CPU max", Number: true, Detail: true},
		{Name: "CPU limit", Number: true, Detail: true}, {Name: "CPU ms / operation", Number: true}, {Name: "MiB start", Number: true, Detail: true},
		{Name: "MiB end", Number: true, Detail: true}, {Name: "MiB max", Number: true}, {Name: "MiB limit", Number: true},
		{Name: "max % of limit", Number: true, Detail: true}, {Name: "threads", Number: true, Detail: true}, {Name: "GC %", Number: true, Detail: true},
		{Name: "GC max ms", Number: true}, {Name: "restarts, OOM", Number: true}, {Name: "samples", Number: true, Detail: true}},
		Caption: "Sampled through the measured windows. CPU in cores."}
	done := map[string]bool{}
	for _, first := range r.Arms {
		for _, named := range first.Resources {
			if done[named.Name] {
				continue
			}
			done[named.Name] = true
			for _, a := range r.Arms {
				for _, p := range a.Resources {
					if p.Name == named.Name {
						t.Rows = append(t.Rows, resourceRow(a, p))
					}
				}
			}
		}
	}
	return t
}

func resourceRow(a result.Arm, p result.Resource) row {
	limit := missing
	if p.LimitMiB != nil && *p.LimitMiB > 0 {
		limit = share(100 * p.MemMaxMiB / *p.LimitMiB)
	}
	return row{Cells: append([]cell{text(p.Name), {Text: a.Label, Class: "arm-" + letter(a.Label)}}, texts(
		three(p.CPUMeanCores), three(p.CPUMaxCores), optional(p.LimitCores, three), three(p.CPUPerOpMS),
		three(p.MemStartMiB), three(p.MemEndMiB), three(p.MemMaxMiB), optional(p.LimitMiB, three), limit,
		strconv.Itoa(p.Threads), optional(p.GCPct, three), optional(p.GCMaxMS, three),
		fmt.Sprintf("%d, %d", p.Restarts, p.OOMKills), strconv.Itoa(p.Samples))...)}
}

func generatorTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "arm"}, {Name: "scheduled", Number: true}, {Name: "sent", Number: true, Detail: true}, {Name: "sent %", Number: true},
		{Name: "unsent", Number: true}, {Name: "lateness p50 ms", Number: true, Detail: true}, {Name: "lateness p99 ms", Number: true},
		{Name: "lateness max ms", Number: true, Detail: true}, {Name: "in flight max / cap", Number: true}, {Name: "waited at cap", Number: true, Detail: true},
		{Name: "own CPU %", Number: true}, {Name: "own CPU cores", Number: true, Detail: true}, {Name: "own GC max ms", Number: true, Detail: true},
		{Name: "dialed", Number: true, Detail: true}, {Name: "path"}},
		Caption: "perfctl itself while it sent the load. Lateness is sent minus intended start."}
	for _, a := range r.Arms {
		g := a.Generator
		sent := missing
		if g.Scheduled > 0 {
			sent = share(g.SentPct)
		}
		t.Rows = append(t.Rows, row{Cells: append([]cell{{Text: armTitle(a), Class: "arm-" + letter(a.Label)}}, texts(
			count(g.Scheduled), count(g.Sent), sent, count(g.Unsent), three(g.LateP50MS), three(g.LateP99MS), three(g.LateMaxMS),
			count(g.InFlightMax)+" / "+capOf(g), count(g.CapHit), three(g.CPUPct), three(g.CPUCores),
			three(g.GCMaxMS), count(g.Dialed), g.Path)...)})
	}
	return t
}
