package observe

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/rundir"
)

// TestMain lets the test binary be the program that is sampled.
func TestMain(m *testing.M) {
	switch os.Getenv("OBSERVE_TEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "burn":
		burn()
	case "parent":
		parent()
	}
}

// burn uses 200 ms of CPU time by its own account, says how much it was, then waits for
// the end of its input.
func burn() {
	for {
		if used, ok := ownCPU(); !ok || used > 200*time.Millisecond {
			break
		}
	}
	used, _ := ownCPU()
	fmt.Println(used.Nanoseconds())
	bufio.NewReader(os.Stdin).ReadByte()
}

// parent leaves the burning to a child.
func parent() {
	child := exec.Command(os.Args[0])
	child.Env = []string{"OBSERVE_TEST_PROGRAM=burn"}
	child.Stdin, child.Stdout = os.Stdin, os.Stdout
	if err := child.Run(); err != nil {
		os.Exit(1)
	}
}

// files writes a tree of /proc files.
func files(t *testing.T, root string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func procStat(pid int, state string, own, waited, threads, start int) string {
	return fmt.Sprintf("%d (p) %s 1 1 1 0 -1 0 0 0 0 0 %d 0 %d 0 20 0 %d 0 %d 0 0\n", pid, state, own, waited, threads, start)
}

func procStatus(anon, file, shmem int) string {
	return fmt.Sprintf("VmRSS:\t%d kB\nRssAnon:\t%d kB\nRssFile:\t%d kB\nRssShmem:\t%d kB\n", anon+file+shmem, anon, file, shmem)
}

// tree is a program 10 with a child 11, which has a child 12; 13 is a stranger.
func tree(t *testing.T) string {
	root := t.TempDir()
	files(t, root, map[string]string{
		"self/stat":           procStat(1, "R", 0, 0, 1, 1),
		"10/stat":             procStat(10, "S", 100, 7, 4, 500),
		"10/status":           procStatus(100, 50, 1),
		"10/task/10/children": "11 ",
		"10/task/14/children": "",
		"10/fd/0":             "", "10/fd/1": "",
		"11/stat":             procStat(11, "S", 20, 3, 2, 501),
		"11/status":           procStatus(10, 5, 0),
		"11/task/11/children": "12 99 ",
		"12/stat":             procStat(12, "R", 1, 0, 1, 502),
		"12/status":           procStatus(1, 0, 0),
		"12/fd/0":             "",
		"13/stat":             procStat(13, "R", 1000, 1000, 100, 503),
		"13/status":           procStatus(1000, 1000, 1000),
	})
	return root
}

type collected struct {
	mu     sync.Mutex
	lines  []rundir.ResourceLine
	events []rundir.EventLine
}

func (c *collected) line(l rundir.ResourceLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, l)
}

func (c *collected) event(e rundir.EventLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, e)
}

// sampleTree returns a sampler of that tree, at one second after the start.
func sampleTree(t *testing.T, root string, clock func(int) (time.Duration, bool), targets ...Target) (*Sampler, *collected, error) {
	t.Helper()
	var got collected
	start := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	s := &Sampler{
		proc:  procfs{root: root, clock: clock},
		now:   func() time.Time { return start.Add(time.Second) },
		start: start,
		line:  got.line,
		event: got.event,
	}
	return s, &got, s.watch(targets)
}

func noClock(int) (time.Duration, bool) { return 0, false }

func TestSampleCountsTheWholeProgram(t *testing.T) {
	exact := func(pid int) (time.Duration, bool) { return time.Duration(pid)*time.Second + 1, pid != 12 }
	for _, c := range []struct {
		name  string
		clock func(int) (time.Duration, bool)
		cpu   time.Duration
	}{
		{"ticks", noClock, 1310 * time.Millisecond},
		{"process clocks", exact, 21*time.Second + 110*time.Millisecond + 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got, err := sampleTree(t, tree(t), c.clock, Target{"order", 10})
			if err != nil {
				t.Fatal(err)
			}
			want := []rundir.ResourceLine{{
				OffsetNS: 1e9, Name: "order", PID: 10, CPUNS: int64(c.cpu),
				RSS: 167 << 10, Working: 112 << 10, Threads: 7, Descriptor: 3,
			}}
			if diff := cmp.Diff(want, s.SampleNow()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(want, got.lines); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEndedProgramIsAnEventAndNoNumbers(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, root string){
		"vanished": func(t *testing.T, root string) {
			if err := os.RemoveAll(filepath.Join(root, "10")); err != nil {
				t.Fatal(err)
			}
		},
		"zombie": func(t *testing.T, root string) {
			files(t, root, map[string]string{"10/stat": procStat(10, "Z", 100, 7, 1, 500)})
		},
		"pid given to another": func(t *testing.T, root string) {
			files(t, root, map[string]string{"10/stat": procStat(10, "S", 1, 0, 1, 900)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t)
			s, got, err := sampleTree(t, root, noClock, Target{"order", 10}, Target{"stock", 13})
			if err != nil {
				t.Fatal(err)
			}
			change(t, root)
			s.SampleNow()
			lines := s.SampleNow()
			if len(lines) != 1 || lines[0].Name != "stock" {
				t.Errorf("lines %+v, want one of stock", lines)
			}
			if len(got.events) != 1 || got.events[0].Kind != "exit" || got.events[0].Name != "order" || got.events[0].OffsetNS != 1e9 {
				t.Errorf("events %+v, want one exit of order", got.events)
			}
		})
	}
}

func TestUnreadableSampleIsOneWarningAndNoNumbers(t *testing.T) {
	root := tree(t)
	s, got, err := sampleTree(t, root, noClock, Target{"order", 10})
	if err != nil {
		t.Fatal(err)
	}
	files(t, root, map[string]string{"10/status": "VmRSS: lots\n"})
	s.SampleNow()
	if lines := s.SampleNow(); len(lines) != 0 {
		t.Errorf("lines %+v, want none", lines)
	}
	if len(got.events) != 1 || got.events[0].Kind != "warning" || !strings.Contains(got.events[0].Text, "VmRSS") {
		t.Errorf("events %+v, want one warning", got.events)
	}
}

func TestSamplerRefuses(t *testing.T) {
	_, _, err := sampleTree(t, tree(t), noClock, Target{"order", 10}, Target{"gone", 98})
	checkError(t, err, "sample gone, pid 98: the process has ended")
	_, _, err = sampleTree(t, t.TempDir(), noClock, Target{"order", 10})
	checkError(t, err, "not observed here")
}

// TestRunKeepsItsInterval samples at 0, 1, 2 and 3 s although every sample takes 300 ms.
func TestRunKeepsItsInterval(t *testing.T) {
	root := tree(t)
	synctest.Test(t, func(t *testing.T) {
		var got collected
		start := time.Now()
		s := &Sampler{
			proc: procfs{root: root, clock: func(pid int) (time.Duration, bool) {
				if pid == 10 {
					time.Sleep(300 * time.Millisecond)
				}
				return 0, false
			}},
			now: time.Now, start: start, line: got.line, event: got.event,
		}
		if err := s.watch([]Target{{"order", 10}}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		s.Run(ctx, time.Second)
		var at []time.Duration
		for _, l := range got.lines {
			at = append(at, time.Duration(l.OffsetNS))
		}
		want := []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCPUBetween(t *testing.T) {
	line := func(name string, pid int, cpu int64) rundir.ResourceLine {
		return rundir.ResourceLine{Name: name, PID: pid, CPUNS: cpu}
	}
	from := []rundir.ResourceLine{line("a", 1, 5), line("b", 2, 7)}
	for _, c := range []struct {
		name     string
		to       []rundir.ResourceLine
		want     map[string]time.Duration
		complete bool
	}{
		{"both", []rundir.ResourceLine{line("b", 2, 17), line("a", 1, 6)}, map[string]time.Duration{"a": 1, "b": 10}, true},
		{"one ended", []rundir.ResourceLine{line("b", 2, 17)}, map[string]time.Duration{"b": 10}, false},
		{"one fell", []rundir.ResourceLine{line("b", 2, 6), line("a", 1, 6)}, map[string]time.Duration{"a": 1}, false},
		{"one is another process", []rundir.ResourceLine{line("a", 3, 6), line("b", 2, 17)}, map[string]time.Duration{"b": 10}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			used, complete := CPUBetween(from, c.to)
			if diff := cmp.Diff(c.want, used); diff != "" || complete != c.complete {
				t.Errorf("complete %v, want %v; %s", complete, c.complete, diff)
			}
		})
	}
}

// TestSampleRealProgram compares the sampled CPU time with what the program read from
// the kernel itself: it cannot be less, and a child's time belongs to its parent.
func TestSampleRealProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are read on Linux only")
	}
	for _, program := range []string{"burn", "parent"} {
		t.Run(program, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{"OBSERVE_TEST_PROGRAM=" + program}
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var got collected
			s, err := NewSampler([]Target{{program, cmd.Process.Pid}}, time.Now(), got.line, got.event)
			if err != nil {
				t.Fatal(err)
			}
			var said int64
			if _, err := fmt.Fscan(stdout, &said); err != nil {
				t.Fatal(err)
			}
			lines := s.SampleNow()
			if len(lines) != 1 {
				t.Fatalf("lines %+v, events %+v", lines, got.events)
			}
			l := lines[0]
			t.Logf("the program read %v; sampled %+v", time.Duration(said), l)
			if l.CPUNS < said || said < int64(200*time.Millisecond) {
				t.Errorf("sampled %d ns of CPU, the program itself read %d before", l.CPUNS, said)
			}
			if l.RSS < l.Working || l.Working < 1<<20 || l.Threads < 2 || l.Descriptor < 3 {
				t.Errorf("sample %+v", l)
			}
			stdin.Close()
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if lines := s.SampleNow(); len(lines) != 0 || len(got.events) != 1 {
				t.Errorf("after its end: lines %+v, events %+v", lines, got.events)
			}
		})
	}
}

// BenchmarkSampleNow is the cost of one sample of this process.
func BenchmarkSampleNow(b *testing.B) {
	var got collected
	s, err := NewSampler([]Target{{"self", os.Getpid()}}, time.Now(), func(rundir.ResourceLine) {}, got.event)
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		s.SampleNow()
	}
}
