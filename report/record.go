package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/perfctl/perfctl/result"
)

// The record: what every single trial, look and slow request was, and under which settings.

func slowestTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "arm"}, {Name: "trial", Detail: true}, {Name: "at s", Number: true}, {Name: "operation"}, {Name: "outcome"},
		{Name: "response ms", Number: true}, {Name: "service ms", Number: true}, {Name: "lateness ms", Number: true}, {Name: "status", Number: true, Detail: true},
		{Name: "request B", Number: true, Detail: true}, {Name: "response B", Number: true, Detail: true}, {Name: "connection"}, {Name: "replica", Detail: true}}}
	for _, a := range r.Arms {
		for _, s := range a.Slowest {
			code := missing
			if s.Status != 0 {
				code = strconv.Itoa(s.Status)
			}
			t.Rows = append(t.Rows, row{Cells: append([]cell{{Text: a.Label, Class: "arm-" + letter(a.Label)}}, texts(
				s.Trial, decimals(s.AtS, 2), s.Operation, s.Outcome, three(s.MS), three(s.ServiceMS), three(s.LateMS), code,
				count(int64(s.RequestBytes)), count(s.ResponseBytes), s.Connection, s.Replica)...)})
		}
	}
	return t
}

// trialMetrics are the metrics whose values stand beside each trial: those that decide, or
// the first ones of a run, at most four.
func trialMetrics(r *result.Result) []result.Metric {
	var out []result.Metric
	for _, m := range primariesFirst(r.Metrics) {
		if len(out) < 4 && (m.Primary || r.Kind == result.KindRun) {
			out = append(out, m)
		}
	}
	return out
}

func trialsTable(r *result.Result) table {
	metrics := trialMetrics(r)
	t := table{Columns: []column{{Name: "slot", Number: true}, {Name: "trial"}, {Name: "arm"}, {Name: "block", Number: true, Detail: true},
		{Name: "pair", Number: true, Detail: true}, {Name: "start", Detail: true}, {Name: "sent %", Number: true}, {Name: "ok %", Number: true},
		{Name: "lateness p99 ms", Number: true, Detail: true}}}
	for i, m := range metrics {
		t.Columns = append(t.Columns, column{Name: withUnit(m.Name, m.Unit), Number: true, Detail: i > 1})
	}
	t.Columns = append(t.Columns, column{Name: "counts"}, column{Name: "warnings", Detail: true})
	for _, tr := range r.Trials {
		label := tr.Label
		if tr.Variant != "" && tr.Variant != tr.Label {
			label += " " + tr.Variant
		}
		cells := append(texts(strconv.Itoa(tr.Slot), tr.Name), cell{Text: orMissing(label), Class: "arm-" + letter(tr.Label)})
		cells = append(cells, texts(ordinal(tr.Block), ordinal(tr.Pair), instant(tr.Start),
			share(tr.SentPct), share(tr.OKPct), three(tr.LateP99))...)
		for _, m := range metrics {
			v, ok := tr.Values[m.Name]
			if !ok {
				cells = append(cells, text(missing))
				continue
			}
			cells = append(cells, text(three(v)))
		}
		counts := cell{Text: mark{"✓", "yes", "pass"}.String(), Class: "pass"}
		if !tr.Valid {
			counts = cell{Text: mark{"✗", "no", "warn"}.String(), Class: "warn", Note: tr.Why}
		}
		t.Rows = append(t.Rows, row{Cells: append(cells, counts, text(strings.Join(tr.Warnings, ", ")))})
	}
	return t
}

// ordinal writes a block or pair number; the burn-in belongs to none.
func ordinal(n int) string {
	if n <= 0 {
		return missing
	}
	return strconv.Itoa(n)
}

func looksTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "after pairs", Number: true}, {Name: "metric"}, {Name: "mean log ratio", Number: true},
		{Name: "sd", Number: true}, {Name: "n", Number: true}, {Name: "p", Number: true}, {Name: "level", Number: true}, {Name: "verdict"}},
		Caption: "Each interim analysis of the sequential test, on the scale of log ratios. The level is what p has to be below at that look."}
	for _, l := range r.Looks {
		for i, m := range l.Metrics {
			class := ""
			if i == 0 {
				class = "first"
			}
			t.Rows = append(t.Rows, row{Class: class, Cells: append(texts(strconv.Itoa(l.Pairs), m.Name, decimals(m.M, 4), decimals(m.S, 4),
				strconv.Itoa(m.N), decimals(m.P, 4), decimals(m.Level, 4)), status(markOf(m.Verdict)))})
		}
	}
	return t
}

func differencesTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "fact"}, {Name: "A"}, {Name: "B"}},
		Caption: "Facts about the environment that were not the same in all trials."}
	for _, d := range r.Difference {
		t.Rows = append(t.Rows, row{Cells: texts(d.Name, d.A, d.B)})
	}
	return t
}

func environmentTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "setting"}, {Name: "value"}}}
	add := func(name, value string) {
		stated := slices.ContainsFunc(r.Settings, func(s result.Setting) bool { return s.Name == name })
		if value != "" && !stated {
			t.Rows = append(t.Rows, row{Cells: texts(name, value)})
		}
	}
	git := r.Run.Git
	if git != "" && r.Run.GitDirty {
		git += " (uncommitted changes)"
	}
	add("scenario", r.Run.Scenario)
	add("scenario sha256", r.Run.ScenarioSHA256)
	add("run", r.Run.ID)
	add("started", instant(r.Run.Started))
	add("took", span(r.Run.Seconds))
	add("seed", strconv.FormatUint(r.Run.Seed, 10))
	add("tier", r.Run.Tier)
	add("host", r.Run.Host)
	add("git", git)
	add("perfctl", r.Run.Perfctl)
	for _, s := range r.Settings {
		t.Rows = append(t.Rows, row{Cells: texts(s.Name, s.Value)})
	}
	return t
}

func filesTable(r *result.Result) table {
	t := table{Columns: []column{{Name: "file"}, {Name: "what"}}}
	for _, f := range r.Files {
		t.Rows = append(t.Rows, row{Cells: []cell{{Text: orMissing(f.Path), Class: "code"}, text(f.What)}})
	}
	return t
}
