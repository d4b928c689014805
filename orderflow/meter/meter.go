// Package meter answers a Prometheus scrape: counters, gauges and histograms, written in the text
// format 0.0.4. Values are updated with atomics, so a measurement costs no lock.
package meter

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Label is one label of a series.
type Label struct{ Name, Value string }

// Registry holds the series of one service, in families of one name.
type Registry struct {
	mu       sync.Mutex
	families []*family
}

type family struct {
	name, help, kind string
	series           []series
}

type series struct {
	labels []Label
	write  func(w *bufio.Writer, name string, labels []Label)
}

// Counter is a number that only grows.
type Counter struct{ n atomic.Int64 }

// Add adds n, which must not be negative.
func (c *Counter) Add(n int64) { c.n.Add(n) }

// Value returns the count.
func (c *Counter) Value() int64 { return c.n.Load() }

// Counter registers a counter. The name should end in _total.
func (r *Registry) Counter(name, help string, labels ...Label) *Counter {
	c := &Counter{}
	r.CounterFunc(name, help, func() float64 { return float64(c.Value()) }, labels...)
	return c
}

// CounterFunc registers a counter that is kept elsewhere.
func (r *Registry) CounterFunc(name, help string, value func() float64, labels ...Label) {
	r.add(name, help, "counter", labels, writeValue(value))
}

// GaugeFunc registers a gauge that is kept elsewhere.
func (r *Registry) GaugeFunc(name, help string, value func() float64, labels ...Label) {
	r.add(name, help, "gauge", labels, writeValue(value))
}

// SummaryFunc registers a summary without quantiles that is kept elsewhere.
func (r *Registry) SummaryFunc(name, help string, value func() (sum float64, count uint64), labels ...Label) {
	r.add(name, help, "summary", labels, func(w *bufio.Writer, name string, labels []Label) {
		sum, count := value()
		writeSample(w, name+"_sum", labels, sum)
		writeSample(w, name+"_count", labels, float64(count))
	})
}

func writeValue(value func() float64) func(*bufio.Writer, string, []Label) {
	return func(w *bufio.Writer, name string, labels []Label) { writeSample(w, name, labels, value()) }
}

// add appends a series to its family, which the first series of a name creates.
func (r *Registry) add(name, help, kind string, labels []Label, write func(*bufio.Writer, string, []Label)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := series{labels: labels, write: write}
	i := slices.IndexFunc(r.families, func(f *family) bool { return f.name == name })
	if i < 0 {
		r.families = append(r.families, &family{name: name, help: help, kind: kind, series: []series{s}})
		return
	}
	r.families[i].series = append(r.families[i].series, s)
}

// WriteText writes all series in the text format.
func (r *Registry) WriteText(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	buf := bufio.NewWriter(w)
	for _, f := range r.families {
		buf.WriteString("# HELP " + f.name + " " + escapeHelp(f.help) + "\n# TYPE " + f.name + " " + f.kind + "\n")
		for _, s := range f.series {
			s.write(buf, f.name, s.labels)
		}
	}
	return buf.Flush()
}

func writeSample(w *bufio.Writer, name string, labels []Label, value float64) {
	w.WriteString(name)
	for i, l := range labels {
		if i == 0 {
			w.WriteByte('{')
		} else {
			w.WriteByte(',')
		}
		w.WriteString(l.Name + `="` + escapeValue(l.Value) + `"`)
	}
	if len(labels) > 0 {
		w.WriteByte('}')
	}
	w.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

func escapeHelp(s string) string { return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(s) }

func escapeValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
