package rundir

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

type seen struct {
	Second int64
	Tag    Tag
	Counts map[int64]int64
}

func counts(h *hdr.PackedHistogram) map[int64]int64 {
	out := map[int64]int64{}
	for v, c := range h.ForEachBucket {
		out[v] = c
	}
	return out
}

func readAll(t *testing.T, path string) (got []seen, cut bool) {
	t.Helper()
	cut, err := ReadHistograms(path, func(s int64, tag Tag, h *hdr.PackedHistogram) error {
		got = append(got, seen{s, tag, counts(h)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, cut
}

func logged(t *testing.T, w *TrialWriter) {
	t.Helper()
	for _, x := range []struct {
		second int64
		tag    Tag
		h      *hdr.Histogram
	}{
		{0, Tag{"create_order", "ok", Response}, histogram(1000, 15_300_000, 15_300_000)},
		{0, LatenessTag, histogram(0, 40_000)},
		{7, Tag{"done.poll", "timeout", Service}, histogram(600e9)},
		{7, LatenessTag, histogram()}, // empty: left out
		{7, LatenessTag, nil},
	} {
		if err := w.Histogram(x.second, x.tag, x.h); err != nil {
			t.Fatal(err)
		}
	}
}

var wantLog = []seen{
	{0, Tag{"create_order", "ok", Response}, map[int64]int64{512: 1, 15_294_464: 2}},
	{0, LatenessTag, map[int64]int64{0: 1, 39_936: 1}},
	{7, Tag{"done.poll", "timeout", Service}, map[int64]int64{600_000_000_000 &^ (1<<29 - 1): 1}},
}

// Any HdrHistogram tool reads the log as we do.
func TestHistogramLog(t *testing.T) {
	d := newDir(t)
	write(t, d, fullRecord(d), func(w *TrialWriter) { logged(t, w) })
	path := d.Join("trials", "01-A")
	ours, cut := readAll(t, path)
	if cut {
		t.Error("a whole log is cut")
	}
	file, err := os.Open(path + "/latency.hlog")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var theirs []seen
	for r := hdr.NewHistogramLogReader(file); ; {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		tag, err := parseTag(h.Tag())
		if err != nil {
			t.Fatal(err)
		}
		s := seen{(h.StartTimeMs() - start.Unix()*1000) / 1000, tag, map[int64]int64{}}
		for _, b := range h.Distribution() {
			if b.Count > 0 {
				s.Counts[b.From] += b.Count
			}
		}
		theirs = append(theirs, s)
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("library and reader differ (-library +ours):\n%s", diff)
	}
	if diff := cmp.Diff(wantLog, ours); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKilledHistogramLog(t *testing.T) {
	d := newDir(t)
	write(t, d, fullRecord(d), func(w *TrialWriter) { logged(t, w) })
	path := d.Join("trials", "01-A")
	whole, err := os.ReadFile(path + "/latency.hlog")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := readAll(t, path)
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path+"/latency.hlog", whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got, cut := readAll(t, path)
		want := max(0, bytes.Count(whole[:n], []byte("\n"))-4) // four lines of header
		if cut != (n > 0 && whole[n-1] != '\n') || len(got) != want {
			t.Fatalf("cut at %d: cut %v, %d intervals, want %d", n, cut, len(got), want)
		}
		if want > 0 {
			if diff := cmp.Diff(all[:want], got); diff != "" {
				t.Fatalf("cut at %d:\n%s", n, diff)
			}
		}
	}
}

const header = "#[StartTime: 1000 (seconds since epoch), x]\n"

func encoded() string {
	b, err := histogram(1000).Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestBadIntervals(t *testing.T) {
	good := "Tag=a|ok|response,1001.000000,1.000000,0.001," + encoded() + "\n"
	for _, c := range []struct{ text, want string }{
		{header + "x\n" + good, ":2: interval without a tag"},
		{header + "Tag=a|ok|response,1001.0,1.0\n", ":2: interval has 3 fields, want tag, start, length, max and histogram"},
		{header + "Tag=a|ok,1001.0,1.0,0,x\n", `:2: tag "a|ok" is not operation|outcome|kind`},
		{header + strings.Replace(good, "1001.000000", "soon", 1), `:2: interval start "soon" is not a number of seconds`},
		{header + strings.Replace(good, "1001.000000", "NaN", 1), `:2: interval start "NaN" is not a number of seconds`},
		{header + strings.Replace(good, "1001.000000", "1e300", 1), `:2: interval start "1e300" is not a number of seconds`},
		{header + strings.Replace(good, "1001.000000", "990", 1), ":2: interval starts 10 s before the log's start time"},
		{header + good + "Tag=a|ok|response,1001.0,1.0,0,HISTFAAA\n", ":3: histogram: "},
		{good, ":1: interval before the log's #[StartTime: ...] line"},
		{"#[StartTime: now (s)]\n", `:1: start time "now" is not a number of seconds`},
		{header + good + good, ":2: stop"},
	} {
		_, err := readLog("x", strings.NewReader(c.text), func(int64, Tag, *hdr.PackedHistogram) error { return errors.New("stop") })
		if strings.HasSuffix(c.want, ":3: histogram: ") {
			_, err = readLog("x", strings.NewReader(c.text), func(int64, Tag, *hdr.PackedHistogram) error { return nil })
		}
		if err == nil || !strings.HasPrefix(err.Error(), "x"+c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := ReadHistograms(t.TempDir(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestTagsThatTheLogCannotCarry(t *testing.T) {
	d := newDir(t)
	w, err := d.NewTrial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	h := histogram(1)
	if err := w.Histogram(0, LatenessTag, h); err == nil || !strings.Contains(err.Error(), "before the trial's start") {
		t.Errorf("before Begin: %v", err)
	}
	if err := w.Begin(start); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "a b", "a,b", "a|b", "a\nb", "a\tb", `a"b`, "a=b", "#a"} {
		for _, tag := range []Tag{{bad, "ok", Response}, {"op", bad, Response}, {"op", "ok", bad}} {
			if err := w.Histogram(0, tag, h); err == nil || !strings.Contains(err.Error(), "may not hold spaces, commas, bars, quotes, = or #") {
				t.Errorf("%q: got %v", tag, err)
			}
		}
	}
	if err := w.Histogram(0, Tag{"bestellung-ü_1", "ok", Response}, h); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := readAll(t, w.Path()); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func FuzzHistogramLog(f *testing.F) {
	f.Add([]byte(header + "Tag=a|ok|response,1001.000000,1.000000,0.001," + encoded() + "\n"))
	f.Add([]byte(header + "Tag=a|ok|response,1001.0"))
	f.Add([]byte("\"legend\"\n#comment\n\nTag=,,,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := readLog("x", bytes.NewReader(data), func(second int64, tag Tag, h *hdr.PackedHistogram) error {
			if second < 0 || h == nil {
				t.Fatalf("second %d, histogram %v", second, h)
			}
			return nil
		})
		if err != nil && !strings.HasPrefix(err.Error(), "x:") {
			t.Fatalf("an error without its place: %v", err)
		}
	})
}
