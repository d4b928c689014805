package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// The limits of the method: below 4 complete pairs there is never a verdict, and more than 8 deciding
// metrics leave no power to any of them.
const (
	minPairs   = 4
	maxPairs   = 100
	maxPrimary = 8
)

// abtest reads the defaults of an A-B test. With two variants of which one is the
// baseline, a and b need not be named.
func (r *reader) abtest(n *yaml.Node) {
	t := &r.out.ABTest
	r.defaultSides(t)
	if n == nil {
		return
	}
	f := r.fields(n, "abtest", "abtest", "a", "b", "decide_on", "pairs_min", "pairs_max", "max_time", "name_at", "rule_out", "quick")
	if n.Kind != yaml.MappingNode {
		return
	}
	if len(r.out.Variants) == 0 {
		r.errorAt(n, "abtest without variants", "add variants: { NAME: { baseline: true }, OTHER: { env: ... } }")
		return
	}
	if f["a"] != nil {
		t.A = r.side(f["a"], "a")
	}
	if f["b"] != nil {
		t.B = r.side(f["b"], "b")
	}
	if f["a"] != nil && f["b"] != nil && t.A == t.B && t.A != "" {
		r.warnAt(f["b"], "a and b are the same variant", "this is an A-A test: it shows the noise and can find no difference")
	}
	if f["decide_on"] != nil {
		t.Primary = r.primary(f["decide_on"])
	}
	if f["pairs_min"] != nil {
		t.PairsMin = int(r.integer(f["pairs_min"], "pairs_min", minPairs, maxPairs))
	}
	if f["pairs_max"] != nil {
		before := len(r.problems)
		t.PairsMax = int(r.integer(f["pairs_max"], "pairs_max", minPairs, maxPairs))
		if t.PairsMax < t.PairsMin && len(r.problems) == before {
			r.errorAt(f["pairs_max"], fmt.Sprintf("pairs_max is below pairs_min, %d", t.PairsMin), "")
		}
	}
	if f["max_time"] != nil {
		t.MaxTime = r.duration(f["max_time"], "max_time", time.Minute)
	}
	if f["name_at"] != nil {
		t.NameAt = r.margins(f["name_at"], "name_at")
	}
	if f["rule_out"] != nil {
		t.RuleOut = r.margins(f["rule_out"], "rule_out")
		r.compareMargins(f["rule_out"], t)
	}
	if f["quick"] != nil {
		t.Quick = r.quick(f["quick"])
	}
}

// defaultSides names the baseline as a and the only other variant as b.
func (r *reader) defaultSides(t *ABTest) {
	for _, v := range r.out.Variants {
		switch {
		case v.Baseline:
			t.A = v.Name
		case len(r.out.Variants) == 2:
			t.B = v.Name
		}
	}
	if t.A == "" {
		t.B = ""
	}
}

func (r *reader) side(n *yaml.Node, what string) string {
	var names []string
	for _, v := range r.out.Variants {
		names = append(names, v.Name)
	}
	name, ok := r.text(n, what)
	if ok && !slices.Contains(names, name) {
		r.errorAt(n, fmt.Sprintf("unknown variant %q", name), knownWords("variants", name, names))
	}
	return name
}

// primary reads the metrics that decide.
func (r *reader) primary(n *yaml.Node) []Metric {
	const form = "write OPERATION p95, COMPLETION completed or misses, system_errors, cpu or memory"
	items := r.items(n, "decide_on", "decide_on: [create_order p95, cpu]")
	if n.Kind == yaml.SequenceNode && len(items) == 0 {
		r.errorAt(n, "decide_on is empty", form)
	}
	if len(items) > maxPrimary {
		r.errorAt(items[maxPrimary], fmt.Sprintf("more than %d metrics cannot decide", maxPrimary), "each one takes power from the others; keep those that you would act on")
	}
	var list []Metric
	for _, item := range items {
		if _, ok := r.text(item, "a metric"); !ok {
			continue
		}
		m, ok := r.subject(item, tokens(item.Value), "unknown operation or completion", form)
		if !ok {
			continue
		}
		twice := slices.ContainsFunc(list, func(l Metric) bool { return l.Subject == m.Subject && l.Stat == m.Stat })
		switch {
		case !slices.Contains(deciding(), m.Stat) || m.Stat == "system_errors" && m.Subject != "":
			r.errorAt(item, m.Stat+" cannot decide: it is shown, never judged", form)
		case twice:
			r.errorAt(item, fmt.Sprintf("%q is here twice", strings.TrimSpace(item.Value)), "")
		case m.Subject == "" && slices.Contains(resources(), m.Stat) && r.out.Target.Process == nil:
			r.errorAt(item, m.Stat+" is not measured: perfctl does not start the processes of this target", "remove it")
		default:
			list = append(list, m)
		}
	}
	return list
}

// margins reads STATISTIC: "5% 1ms" lines.
func (r *reader) margins(n *yaml.Node, what string) map[string]Margin {
	known := deciding()
	margins := map[string]Margin{}
	for _, e := range r.entries(n, what) {
		stat := e.key.Value
		if !slices.Contains(known, stat) {
			r.errorAt(e.key, fmt.Sprintf("unknown statistic %q in %s", stat, what), knownWords("known", stat, known))
			continue
		}
		if m, ok := r.margin(e.value, stat); ok {
			margins[stat] = m
		}
	}
	return margins
}

// margin reads a percentage, an absolute value in the unit of the statistic, or both.
func (r *reader) margin(n *yaml.Node, stat string) (Margin, bool) {
	text, ok := r.text(n, stat)
	if !ok {
		return Margin{}, false
	}
	unit, form := "ms", "write 5% 1ms, 5% or 1ms"
	switch {
	case stat == "memory":
		unit, form = "MiB", "write 5% 16MiB, 5% or 16MiB"
	case stat != "cpu" && !slices.Contains(timeStats(), stat):
		unit, form = "pp", "write 0.5pp (percentage points)"
	}
	var m Margin
	for _, word := range strings.Fields(text) {
		set := &m.Percent
		number, found := strings.CutSuffix(word, "%")
		if !found || unit == "pp" {
			set = &m.Absolute
			number, found = strings.CutSuffix(word, unit)
		}
		v, err := parseNumber(number)
		if !found || err != nil || v <= 0 || *set != 0 {
			r.errorAt(n, fmt.Sprintf("%q is not a margin of %s", text, stat), form)
			return Margin{}, false
		}
		*set = v
	}
	return m, true
}

// compareMargins demands that what is ruled out is not smaller than what is named.
func (r *reader) compareMargins(n *yaml.Node, t *ABTest) {
	for _, e := range r.entries(n, "rule_out") {
		name, named := t.NameAt[e.key.Value]
		out, ruled := t.RuleOut[e.key.Value]
		if named && ruled && (out.Percent < name.Percent || out.Absolute < name.Absolute) {
			r.errorAt(e.value, fmt.Sprintf("rule_out of %s is below its name_at", e.key.Value), "a difference that is named cannot be ruled out")
		}
	}
}

// quick reads the load of --quick.
func (r *reader) quick(n *yaml.Node) *Quick {
	f := r.fields(n, "quick", "abtest.quick", "rate", "warmup", "duration")
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for _, need := range []struct{ key, example string }{
		{"rate", "rate: 900/s"}, {"warmup", "warmup: 4s"}, {"duration", "duration: 10s"},
	} {
		if f[need.key] == nil {
			r.require(n, "abtest.quick", need.key, need.example)
		}
	}
	q := &Quick{}
	if f["rate"] != nil {
		q.Rate = r.rate(f["rate"], "rate")
	}
	if f["warmup"] != nil {
		q.Warmup = r.duration(f["warmup"], "warmup", 0)
	}
	if f["duration"] != nil {
		q.Duration = r.duration(f["duration"], "duration", time.Second)
	}
	return q
}
