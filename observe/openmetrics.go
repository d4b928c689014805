package observe

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteOpenMetrics writes all samples as OpenMetrics 1.0 text: one block a family, in it
// one a metric, and its points in the order of time. Names stay as they were scraped: a
// counter whose samples do not end in _total has no legal type there and becomes unknown.
func (s *Scraper) WriteOpenMetrics(w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.write(w)
}

func (s *store) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	names := make([]string, 0, len(s.families))
	for name := range s.families {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s.families[name].write(b, s.families)
	}
	b.WriteString("# EOF\n")
	return b.Flush()
}

func (f *family) write(b *bufio.Writer, all map[string]*family) {
	name, kind := f.declared(all)
	b.WriteString("# TYPE " + name + " " + kind + "\n")
	if f.help != "" {
		b.WriteString("# HELP " + name + " " + escaper.Replace(f.help) + "\n")
	}
	var line []byte
	for _, m := range f.metrics() {
		for _, at := range m.order() {
			line = m[at.series].line(line[:0], m[at.series].points[at.point])
			b.Write(line)
		}
	}
}

// declared is the family's name and type in OpenMetrics.
func (f *family) declared(all map[string]*family) (name, kind string) {
	switch f.kind {
	case "gauge", "summary":
		return f.name, f.kind
	case "histogram":
		for _, s := range f.series {
			if s.name == f.name+"_bucket" && s.label("le") == "+Inf" {
				return f.name, f.kind
			}
		}
	case "counter":
		base, ok := strings.CutSuffix(f.name, "_total")
		if _, taken := all[base]; ok && !taken && base != "" {
			return base, f.kind
		}
	}
	return f.name, "unknown"
}

// A metric is the series of a family that differ only in le or quantile, or in the parts
// of a histogram or summary.
type metric []*series

// metrics groups the family's series, both in the order in which they were first seen.
func (f *family) metrics() []metric {
	index := map[string]int{}
	var out []metric
	for _, s := range f.series {
		key := seriesKey("", slices.DeleteFunc(slices.Clone(s.labels), func(l label) bool {
			return l.name == "le" && f.kind == "histogram" || l.name == "quantile" && f.kind == "summary"
		}))
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

type place struct {
	ms            int64
	series, point int
}

// order lists a metric's points by time, and within one time by series.
func (m metric) order() []place {
	var all []place
	for i, s := range m {
		for j, p := range s.points {
			all = append(all, place{p.ms, i, j})
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.ms, b.ms), cmp.Compare(a.series, b.series))
	})
	return all
}

func (s *series) line(b []byte, p point) []byte {
	b = append(b, s.name...)
	for i, l := range s.labels {
		if i == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = append(b, l.name...)
		b = append(b, '=', '"')
		b = append(b, escaper.Replace(l.value)...)
		b = append(b, '"')
	}
	b = append(b, '}', ' ') // the service is always among the labels
	b = strconv.AppendFloat(b, p.value, 'g', -1, 64)
	b = append(b, ' ')
	b = strconv.AppendInt(b, p.ms/1000, 10)
	b = append(b, '.')
	b = append(b, strconv.Itoa(int(p.ms%1000) + 1000)[1:]...)
	return append(b, '\n')
}

// escaper is for label values and help alike.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
