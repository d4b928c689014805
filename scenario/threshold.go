package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// The statistics, by what they are of. Times are compared with durations, shares with
// percentages.

func timeStats() []string { return []string{"p50", "p90", "p95", "p99", "p99.9", "max"} }

func wholeRunStats() []string {
	return []string{"system_errors", "functional_errors", "timeouts", "delivered"}
}

func operationStats() []string {
	return append(timeStats(), "ok", "system_errors", "functional_errors", "timeouts")
}

func completionStats() []string { return append(timeStats(), "completed", "timeouts", "misses") }

// deciding are the statistics that an A-B session can judge.
func deciding() []string {
	return []string{"p50", "p90", "p95", "p99", "p99.9", "completed", "misses", "system_errors", "cpu", "memory"}
}

func resources() []string { return []string{"cpu", "memory"} }

// kindOf returns "operation" or "completion", or nothing for an unknown name.
func (r *reader) kindOf(subject string) string {
	for _, o := range r.out.Operations {
		switch {
		case o.Name == subject:
			return "operation"
		case o.Completion != nil && o.Completion.Name == subject:
			return "completion"
		}
	}
	return ""
}

// sent says whether arrivals of a subject happen at all.
func (r *reader) sent(subject string) bool {
	for _, o := range r.out.Operations {
		if o.Name == subject || o.Completion != nil && o.Completion.Name == subject {
			return o.Weight > 0
		}
	}
	return false
}

// subjects says which names exist.
func (r *reader) subjects(word string) string {
	var operations, completions []string
	for _, o := range r.out.Operations {
		operations = append(operations, o.Name)
		if o.Completion != nil {
			completions = append(completions, o.Completion.Name)
		}
	}
	hint := "operations: " + strings.Join(operations, ", ")
	if len(completions) > 0 {
		hint += "\ncompletions: " + strings.Join(completions, ", ")
	}
	if best := Nearest(word, append(operations, completions...)); best != "" {
		hint += "\n" + didYouMean(word, []string{best})
	}
	return hint
}

// words of a threshold or metric, with their places in the scalar's value.
type token struct {
	text       string
	start, end int
}

var tokenShape = regexp.MustCompile(`[<>=!]+|[^\s<>=!]+`)

func tokens(text string) []token {
	var list []token
	for _, at := range tokenShape.FindAllStringIndex(text, -1) {
		list = append(list, token{text[at[0]:at[1]], at[0], at[1]})
	}
	return list
}

// thresholds reads what the run must keep.
func (r *reader) thresholds(n *yaml.Node) {
	if n == nil {
		return
	}
	for _, item := range r.items(n, "thresholds", "- create_order p95 < 600ms") {
		if _, ok := r.text(item, "a threshold"); !ok {
			continue
		}
		if t, ok := r.threshold(item); ok {
			r.out.Thresholds = append(r.out.Thresholds, t)
		}
	}
}

// threshold reads "SUBJECT STAT OP VALUE" or, for the whole run, "STAT OP VALUE".
func (r *reader) threshold(n *yaml.Node) (Threshold, bool) {
	const form = "write OPERATION p95 < 600ms, COMPLETION completed >= 99%, or system_errors < 1%"
	t := Threshold{Text: strings.TrimSpace(n.Value), Pos: r.pos(n)}
	words := tokens(n.Value)
	op := slices.IndexFunc(words, func(w token) bool { return strings.ContainsAny(w.text[:1], "<>=!") })
	if op < 0 {
		r.errorAt(n, "a threshold compares a statistic with a value", form)
		return t, false
	}
	if !slices.Contains([]string{"<", "<=", ">", ">="}, words[op].text) {
		r.errorIn(n, words[op].start, words[op].end, fmt.Sprintf("cannot compare with %q", words[op].text), "write <, <=, > or >=")
		return t, false
	}
	t.Op = words[op].text
	subject, ok := r.subject(n, words[:op], "threshold on an unknown operation", form)
	if !ok {
		return t, false
	}
	t.Subject, t.Stat = subject.Subject, subject.Stat
	if t.Subject == "" && slices.Contains(resources(), t.Stat) {
		r.errorIn(n, words[0].start, words[0].end, fmt.Sprintf("a threshold on %s is not supported by this version", t.Stat), "")
		return t, false
	}
	value := words[op+1:]
	switch {
	case len(value) == 0:
		r.errorAt(n, "a threshold compares a statistic with a value", form)
		return t, false
	case len(value) > 1 && value[1].text == "abort":
		r.errorIn(n, value[1].start, value[len(value)-1].end, "abort is not supported by this version", "")
		return t, false
	case len(value) > 1:
		r.errorIn(n, value[1].start, value[len(value)-1].end, "unexpected text after the value", form)
		return t, false
	}
	return t, r.thresholdValue(n, value[0], &t)
}

// thresholdValue reads the value in the unit of the statistic.
func (r *reader) thresholdValue(n *yaml.Node, w token, t *Threshold) bool {
	if slices.Contains(timeStats(), t.Stat) {
		t.Unit = "ms"
		d, err := parseDuration(w.text)
		if err == nil && d == 0 {
			err = fmt.Errorf("must be above zero")
		}
		if err != nil {
			r.errorIn(n, w.start, w.end, fmt.Sprintf("%s is compared with a time: %q %v", t.Stat, w.text, err), "write 600ms or 1s")
			return false
		}
		t.Value = float64(d) / float64(time.Millisecond)
		return true
	}
	t.Unit = "%"
	v, err := parsePercent(w.text)
	if err != nil {
		r.errorIn(n, w.start, w.end, fmt.Sprintf("%s is compared with a percentage: %q %v", t.Stat, w.text, err), "write 1% or 99.5%")
		return false
	}
	t.Value = v
	return true
}

// subject reads "SUBJECT STAT" or a statistic of the whole run.
func (r *reader) subject(n *yaml.Node, words []token, unknown, form string) (Metric, bool) {
	m := Metric{Pos: r.pos(n)}
	if len(words) == 0 || len(words) > 2 {
		r.errorAt(n, "this is not SUBJECT STATISTIC", form)
		return m, false
	}
	first := words[0]
	whole := append(wholeRunStats(), resources()...)
	if len(words) == 1 {
		m.Stat = first.text
		switch {
		case slices.Contains(whole, m.Stat):
			return m, true
		case r.kindOf(m.Stat) != "":
			r.errorIn(n, first.start, first.end, fmt.Sprintf("which statistic of %s?", m.Stat), form)
		case slices.Contains(append(operationStats(), completionStats()...), m.Stat):
			r.errorIn(n, first.start, first.end, fmt.Sprintf("%s of what?", m.Stat), r.subjects(m.Stat))
		default:
			r.errorIn(n, first.start, first.end, fmt.Sprintf("unknown statistic %q", m.Stat), knownWords("of the whole run", m.Stat, whole))
		}
		return m, false
	}
	m.Subject, m.Stat = first.text, words[1].text
	stats := operationStats()
	switch r.kindOf(m.Subject) {
	case "":
		r.errorIn(n, first.start, first.end, fmt.Sprintf("%s %q", unknown, m.Subject), r.subjects(m.Subject))
		return m, false
	case "completion":
		stats = completionStats()
	}
	if !slices.Contains(stats, m.Stat) {
		r.errorIn(n, words[1].start, words[1].end, fmt.Sprintf("unknown statistic %q of %s %s", m.Stat, r.kindOf(m.Subject), m.Subject), knownWords("known", m.Stat, stats))
		return m, false
	}
	if !r.sent(m.Subject) {
		r.errorIn(n, first.start, first.end, fmt.Sprintf("%s is never sent: its weight is 0", m.Subject), "give it a weight, or remove this line")
		return m, false
	}
	return m, true
}
