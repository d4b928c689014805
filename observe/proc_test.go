package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The names of these processes try to look like the end of the name field.
const (
	statRunning = "4242 (a) S 1 (x) S 4000 4242 4242 0 -1 4194560 900 50 3 0 1234 66 70 8 20 0 17 0 987654321 1 2 3\n"
	statZombie  = "77 (java) Z 1 77 77 0 -1 4194560 900 50 3 0 5 6 0 0 20 0 1 0 42 0 0\n"
)

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       stat
		err        string
	}{
		{name: "running", text: statRunning, want: stat{
			state: 'S', own: 13 * time.Second, waited: 780 * time.Millisecond, threads: 17, start: 987654321}},
		{name: "zombie", text: statZombie, want: stat{state: 'Z', own: 110 * time.Millisecond, threads: 1, start: 42}},
		{name: "no name", text: "1 sh S", err: "no command name"},
		{name: "short", text: "1 (sh) S 1 2 3", err: "4 fields after the command name, 20 needed"},
		{name: "no count", text: strings.Replace(statZombie, " 5 6 ", " 5 x ", 1), err: `field 15: "x" is no count`},
		{name: "negative threads", text: strings.Replace(statZombie, "20 0 1 0 42", "20 0 -1 0 42", 1), err: `field 20: "-1"`},
		{name: "overflow", text: strings.Replace(statZombie, " 42 ", " 99999999999999999999 ", 1), err: "field 22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStat([]byte(c.text))
			checkError(t, err, c.err)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(stat{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseStatus(t *testing.T) {
	whole := "Name:\tjava\nVmPeak:\t  999 kB\nVmRSS:\t  300 kB\nRssAnon:\t  200 kB\nRssFile:\t   70 kB\nRssShmem:\t   30 kB\nThreads:\t9\n"
	for _, c := range []struct {
		name, text string
		want       memory
		err        string
	}{
		{name: "whole", text: whole, want: memory{rss: 300 << 10, working: 230 << 10}},
		{name: "kernel thread", text: "Name:\tkthreadd\nThreads:\t1\n", err: "0 of them are there"},
		{name: "one missing", text: strings.Replace(whole, "RssShmem", "RssShmen", 1), err: "2 of them are there"},
		{name: "unit", text: strings.Replace(whole, "300 kB", "300 MB", 1), err: `VmRSS is "300 MB"`},
		{name: "number", text: strings.Replace(whole, "200 kB", "-2 kB", 1), err: `RssAnon is "-2 kB"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStatus([]byte(c.text))
			checkError(t, err, c.err)
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseCPUTotals(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       cpuTotals
		err        string
	}{
		{name: "two cores", text: "cpu  100 1 20 300 40 5 6 7 50 9\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu1 1 2 3\nintr 1\n",
			want: cpuTotals{cores: 2, idle: 3400 * time.Millisecond, steal: 70 * time.Millisecond}},
		{name: "old kernel", text: "cpu 1 2 3 4\n", err: "4 times, 8 needed"},
		{name: "no number", text: "cpu 1 2 3 4 5 6 7 x 0 0\n", err: `"x"`},
		{name: "no total", text: "cpu0 1 2 3 4 5 6 7 8\n", err: "no cpu line"},
		{name: "no core", text: "cpu 1 2 3 4 5 6 7 8 9\n", err: "no core"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseCPUTotals([]byte(c.text))
			checkError(t, err, c.err)
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseSmallFiles(t *testing.T) {
	swaps, err := parseSwaps([]byte("nr_free_pages 5\npswpin 30\npswpout 12\npswpin_x 7\n"))
	if err != nil || swaps != 42 {
		t.Errorf("swapped %d pages, %v; want 42", swaps, err)
	}
	_, err = parseSwaps([]byte("pswpin 3\n"))
	checkError(t, err, "found 1")
	_, err = parseSwaps([]byte("pswpin 3\npswpout -3\n"))
	checkError(t, err, `pswpout is "-3"`)

	total, err := parseMemTotal([]byte("MemFree: 1 kB\nMemTotal:       2048 kB\n"))
	if err != nil || total != 2<<20 {
		t.Errorf("memory %d, %v; want 2 MiB", total, err)
	}
	_, err = parseMemTotal([]byte("MemTotal: many kB\n"))
	checkError(t, err, "no MemTotal")

	if got := parseModel([]byte("processor\t: 0\nmodel name\t: Some  CPU @ 2.00GHz\nmodel name\t: other\n")); got != "Some CPU @ 2.00GHz" {
		t.Errorf("model %q", got)
	}
	if got := parseModel([]byte("processor\t: 0\n")); got != "" {
		t.Errorf("model %q, want none", got)
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Fatalf("unexpected error: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Fatalf("error %v, want one that contains %q", err, want)
	}
}

// FuzzProc: whatever a file of /proc holds, there is a value or an error, and a time is
// never negative.
func FuzzProc(f *testing.F) {
	f.Add(statRunning)
	f.Add(statZombie)
	f.Add("VmRSS:\t 1 kB\nRssAnon:\t 1 kB\nRssShmem:\t 0 kB\n")
	f.Add("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0\npswpin 1\npswpout 2\nMemTotal: 3 kB\nmodel name: x\n")
	f.Fuzz(func(t *testing.T, text string) {
		b := []byte(text)
		if s, err := parseStat(b); err == nil && (s.own < 0 || s.waited < 0 || s.threads < 0) {
			t.Errorf("stat %+v", s)
		}
		if m, err := parseStatus(b); err == nil && (m.rss < 0 || m.working < 0) {
			t.Errorf("memory %+v", m)
		}
		if c, err := parseCPUTotals(b); err == nil && (c.cores < 1 || c.idle < 0 || c.steal < 0) {
			t.Errorf("cpu %+v", c)
		}
		if n, err := parseSwaps(b); err == nil && n < 0 {
			t.Errorf("swaps %d", n)
		}
		if n, err := parseMemTotal(b); err == nil && n <= 0 {
			t.Errorf("memory %d", n)
		}
		parseModel(b)
	})
}
