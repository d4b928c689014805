package observe

import (
	"errors"
	"fmt"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// A sample is one line of Prometheus text: a series and its value.
type sample struct {
	name   string
	labels []label // as in the text
	value  float64
}

type label struct{ name, value string }

// An exposition is what one scrape said. Kinds and help are by family name.
type exposition struct {
	samples []sample
	kinds   map[string]string
	help    map[string]string
	bad     int
	worst   string // the first bad line and why it is bad
}

// names is what version 0.0.4 and OpenMetrics 1.0 both allow. A name in quotes, which
// later versions have, could not be written as it is.
const names = model.LegacyValidation

// parseText reads Prometheus text, version 0.0.4. A line that breaks the format is counted
// and left out; the lines around it are still read. Timestamps in the text are checked and
// not used: the time of the scrape is the time of its samples.
//
// The parser gets each line alone, and samples without their type. Given a whole page it
// ends at the first bad line, and folds a histogram or summary into one value: lost are
// how le was spelled, by which Delta finds a series; the order; the fraction of a summary's
// count; the first of doubled lines; and in silence a line that is no part of the family.
func parseText(text string) exposition {
	e := exposition{kinds: map[string]string{}, help: map[string]string{}}
	parser := expfmt.NewTextParser(names)
	number := 0
	// The parser drops a line whose label is not UTF-8; a service's data are no fault of its text.
	for line := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		number++
		line = strings.Trim(line, " \t\r\n") // the parser takes a blank at the end for a timestamp
		if line == "" {
			continue
		}
		var err error
		if line[0] == '#' {
			err = e.comment(&parser, line)
		} else {
			err = e.sample(&parser, line)
		}
		if err != nil {
			e.bad++
			if e.bad == 1 {
				e.worst = fmt.Sprintf("line %d: %.200s", number, err)
			}
		}
	}
	return e
}

// reason leaves out the parser's line number: every line is its first.
func reason(name string, err error) error {
	if bad, ok := errors.AsType[expfmt.ParseError](err); ok {
		err = errors.New(bad.Msg)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// stray doubles a backslash that escapes nothing. Prometheus itself reads it as it is; the
// parser would drop the help.
var stray = strings.NewReplacer(`\\`, `\\`, `\n`, `\n`, `\`, `\\`)

// comment reads HELP and TYPE; other comments are free text.
func (e *exposition) comment(parser *expfmt.TextParser, line string) error {
	words := strings.FieldsFunc(line[1:], func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) < 3 || words[0] != "HELP" && words[0] != "TYPE" {
		return nil
	}
	name := words[1]
	if !names.IsValidMetricName(name) {
		return fmt.Errorf("%.40q is no metric name", name)
	}
	if words[0] == "HELP" {
		line = stray.Replace(line)
	}
	// The parser forgets a family that has no sample.
	families, err := parser.TextToMetricFamilies(strings.NewReader(line + "\n" + name + " 0\n"))
	if err != nil {
		return reason(name, err)
	}
	if words[0] == "HELP" {
		e.help[name] = families[name].GetHelp()
		return nil
	}
	if _, twice := e.kinds[name]; twice {
		return fmt.Errorf("a second type for %s", name)
	}
	e.kinds[name] = strings.ToLower(families[name].GetType().String())
	return nil
}

func (e *exposition) sample(parser *expfmt.TextParser, line string) error {
	// The parser ends a name where its letters end: a-1 5 would be an a of -1 at time 5.
	name := line
	if i := strings.IndexAny(line, " \t{"); i >= 0 {
		name = line[:i]
	}
	if !names.IsValidMetricName(name) {
		return fmt.Errorf("%.40q does not begin with a metric name", line)
	}
	families, err := parser.TextToMetricFamilies(strings.NewReader(line + "\n"))
	if err != nil {
		return reason(name, err)
	}
	for _, m := range families[name].GetMetric() {
		s := sample{name: name, value: m.GetUntyped().GetValue()}
		for _, l := range m.GetLabel() {
			s.labels = append(s.labels, label{l.GetName(), l.GetValue()})
		}
		e.samples = append(e.samples, s)
	}
	return nil
}

// family returns the name under which a sample's type and help are declared: its own, or
// that of the histogram or summary that it is a part of.
func (e exposition) family(name string) string {
	if _, ok := e.kinds[name]; ok {
		return name
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, ok := strings.CutSuffix(name, suffix)
		if !ok {
			continue
		}
		kind := e.kinds[base]
		if kind == "histogram" || kind == "summary" && suffix != "_bucket" {
			return base
		}
	}
	return name
}
