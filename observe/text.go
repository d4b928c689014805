package observe

import (
	"fmt"
	"strconv"
	"strings"
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

// parseText reads Prometheus text, version 0.0.4, line by line. A line that breaks the
// format is counted and left out; the lines around it are still read. Timestamps in the
// text are checked and not used: the time of the scrape is the time of its samples.
func parseText(text string) exposition {
	e := exposition{kinds: map[string]string{}, help: map[string]string{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.Trim(line, " \t\r\n")
		if line == "" {
			continue
		}
		var err error
		if line[0] == '#' {
			err = e.comment(line[1:])
		} else {
			err = e.sample(line)
		}
		if err != nil {
			e.bad++
			if e.bad == 1 {
				e.worst = fmt.Sprintf("line %d: %v", number, err)
			}
		}
	}
	return e
}

// comment reads what follows "#": HELP, TYPE or free text.
func (e *exposition) comment(text string) error {
	word, rest := cutBlank(text)
	if word != "HELP" && word != "TYPE" {
		return nil
	}
	name, rest := cutBlank(rest)
	if n := nameLength(name, true); n == 0 || n != len(name) {
		return fmt.Errorf("%q is no metric name", name)
	}
	if word == "HELP" {
		e.help[name] = rest
		return nil
	}
	switch rest {
	case "counter", "gauge", "histogram", "summary", "untyped":
	default:
		return fmt.Errorf("%q is no metric type", rest)
	}
	if _, twice := e.kinds[name]; twice {
		return fmt.Errorf("a second type for %s", name)
	}
	e.kinds[name] = rest
	return nil
}

// cutBlank splits off the first word.
func cutBlank(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}

func (e *exposition) sample(line string) error {
	n := nameLength(line, true)
	if n == 0 {
		return fmt.Errorf("%.40q does not begin with a metric name", line)
	}
	s := sample{name: line[:n]}
	rest := strings.TrimLeft(line[n:], " \t")
	if strings.HasPrefix(rest, "{") {
		var err error
		if s.labels, rest, err = parseLabels(rest[1:]); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	} else if rest == line[n:] {
		return fmt.Errorf("%.40q: no value after the name", line)
	}
	f := strings.Fields(rest)
	if len(f) != 1 && len(f) != 2 {
		return fmt.Errorf("%s: want a value and at most a timestamp, got %.40q", s.name, rest)
	}
	if strings.ContainsAny(f[0], "pPxX_") {
		return fmt.Errorf("%s: %q is no decimal number", s.name, f[0])
	}
	var err error
	if s.value, err = strconv.ParseFloat(f[0], 64); err != nil {
		return fmt.Errorf("%s: %q is no number", s.name, f[0])
	}
	if len(f) == 2 {
		if _, err := strconv.ParseInt(f[1], 10, 64); err != nil {
			return fmt.Errorf("%s: timestamp %q is no number of milliseconds", s.name, f[1])
		}
	}
	e.samples = append(e.samples, s)
	return nil
}

// parseLabels reads the labels after "{" and returns what follows "}".
func parseLabels(s string) (labels []label, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " \t")
		if strings.HasPrefix(s, "}") {
			return labels, s[1:], nil
		}
		n := nameLength(s, false)
		if n == 0 {
			return nil, "", fmt.Errorf("%.40q does not begin with a label name", s)
		}
		l := label{name: s[:n]}
		s = strings.TrimLeft(s[n:], " \t")
		if !strings.HasPrefix(s, "=") {
			return nil, "", fmt.Errorf("no = after label %s", l.name)
		}
		s = strings.TrimLeft(s[1:], " \t")
		if l.value, s, err = parseQuoted(s); err != nil {
			return nil, "", fmt.Errorf("label %s: %w", l.name, err)
		}
		for _, other := range labels {
			if other.name == l.name {
				return nil, "", fmt.Errorf("label %s twice", l.name)
			}
		}
		labels = append(labels, l)
		s = strings.TrimLeft(s, " \t")
		if strings.HasPrefix(s, ",") {
			s = s[1:]
		} else if !strings.HasPrefix(s, "}") {
			return nil, "", fmt.Errorf("no comma or } after label %s", l.name)
		}
	}
}

// parseQuoted reads a quoted label value; \\, \" and \n are the escapes of the format.
func parseQuoted(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", fmt.Errorf("the value is not quoted")
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return strings.ToValidUTF8(b.String(), "\uFFFD"), s[i+1:], nil
		case '\\':
			i++
			if i == len(s) {
				return "", "", fmt.Errorf("the quoted value does not end")
			}
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case '\\', '"':
				b.WriteByte(s[i])
			default:
				return "", "", fmt.Errorf("unknown escape \\%c", s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", fmt.Errorf("the quoted value does not end")
}

// nameLength is the length of the name that s begins with. Metric names may contain
// colons, label names not; neither begins with a digit.
func nameLength(s string, metric bool) int {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || metric && c == ':'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
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
