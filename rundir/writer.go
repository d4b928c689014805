package rundir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// A TrialWriter appends the facts of one trial. It is safe for concurrent use.
type TrialWriter struct {
	path  string
	base  int64 // whole Unix second of the trial's start
	files map[string]*appender
	hlog  *hdr.HistogramLogWriter
	mu    sync.Mutex
}

var appended = []string{"latency.hlog", "ledger.ndjson", "completions.ndjson", "resources.ndjson", "events.ndjson", "slow.ndjson"}

// NewTrial makes the folder of one trial and opens its files. A folder that holds a
// trial already is refused, so that no two trials are mixed.
func (d *Dir) NewTrial(name string) (*TrialWriter, error) {
	w := &TrialWriter{path: d.Join("trials", name), files: map[string]*appender{}}
	if err := os.MkdirAll(filepath.Join(w.path, "logs"), 0o755); err != nil {
		return nil, fmt.Errorf("trial folder: %w", err)
	}
	for _, f := range appended {
		a, err := newAppender(filepath.Join(w.path, f))
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.files[f] = a
	}
	return w, nil
}

// Path is the trial's folder.
func (w *TrialWriter) Path() string { return w.path }

// Begin fixes the instant from which the trial's seconds count and writes the
// histogram log's header.
func (w *TrialWriter) Begin(start time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.base = start.Unix()
	w.hlog = hdr.NewHistogramLogWriter(w.files["latency.hlog"].buf)
	return errors.Join(
		w.hlog.OutputComment("[perfctl: tags are operation|outcome|kind, values are ns, one line a second of the schedule]"),
		w.hlog.OutputLogFormatVersion(),
		w.hlog.OutputStartTime(w.base*1000),
		w.hlog.OutputLegend(),
		w.files["latency.hlog"].flush())
}

// Histogram appends one second of one series. Nil and empty histograms are left out.
func (w *TrialWriter) Histogram(second int64, tag Tag, h *hdr.Histogram) error {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	if err := tag.check(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hlog == nil {
		return errors.New("latency.hlog: a histogram before the trial's start is known")
	}
	h.SetTag(tag.String())
	h.SetStartTimeMs((w.base + second) * 1000)
	h.SetEndTimeMs((w.base + second + 1) * 1000)
	return w.hlog.OutputIntervalHistogram(h)
}

// Trial replaces trial.json.
func (w *TrialWriter) Trial(t Trial) error {
	t.Version = Version
	return writeJSON(filepath.Join(w.path, "trial.json"), t)
}

// Ledger appends one second and pushes that second's histograms to the kernel too.
func (w *TrialWriter) Ledger(l LedgerLine) error {
	w.mu.Lock()
	err := w.files["latency.hlog"].flush()
	w.mu.Unlock()
	return errors.Join(err, w.files["ledger.ndjson"].line(l))
}

// Completion appends one followed arrival.
func (w *TrialWriter) Completion(l CompletionLine) error {
	return w.files["completions.ndjson"].line(l)
}

// Resource appends one sample.
func (w *TrialWriter) Resource(l ResourceLine) error { return w.files["resources.ndjson"].line(l) }

// Event appends one event.
func (w *TrialWriter) Event(l EventLine) error { return w.files["events.ndjson"].line(l) }

// Slow appends one slow arrival.
func (w *TrialWriter) Slow(l SlowLine) error { return w.files["slow.ndjson"].line(l) }

// Close flushes, syncs and closes every file.
func (w *TrialWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, a := range w.files {
		errs = append(errs, a.close())
	}
	return errors.Join(errs...)
}

// An appender writes whole lines to one file. A failed write stays: all later ones fail too.
type appender struct {
	mu  sync.Mutex
	f   *os.File
	buf *bufio.Writer
	enc *json.Encoder
}

func newAppender(path string) (*appender, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(f, 64<<10)
	return &appender{f: f, buf: buf, enc: json.NewEncoder(buf)}, nil
}

func (a *appender) line(v any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.enc.Encode(v); err != nil {
		return fmt.Errorf("%s: %w", a.f.Name(), err)
	}
	return a.buf.Flush()
}

func (a *appender) flush() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.buf.Flush()
}

func (a *appender) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return errors.Join(a.buf.Flush(), a.f.Sync(), a.f.Close())
}
