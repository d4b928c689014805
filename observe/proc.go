package observe

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc: USER_HZ, which is 100 on every Linux platform
// that Go runs on.
const tick = 10 * time.Millisecond

// A stat is what is used of /proc/PID/stat.
type stat struct {
	state   byte
	own     time.Duration // user + system
	waited  time.Duration // of children that were waited for
	threads int
	start   uint64 // ticks after boot; with the pid it names a process for good
}

// parseStat reads /proc/PID/stat. The command name stands in parentheses and may
// contain any byte, so fields are counted from the last ")".
func parseStat(text []byte) (stat, error) {
	end := bytes.LastIndexByte(text, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("process stat %.40q: no command name in parentheses", text)
	}
	f := strings.Fields(string(text[end+1:])) // f[0] is field 3, the state
	if len(f) < 20 || len(f[0]) != 1 {
		return stat{}, fmt.Errorf("process stat: %d fields after the command name, 20 needed", len(f))
	}
	var n [5]uint64
	for i, field := range []int{14, 15, 16, 17, 22} {
		v, err := strconv.ParseUint(f[field-3], 10, 63)
		if err != nil {
			return stat{}, fmt.Errorf("process stat field %d: %q is no count", field, f[field-3])
		}
		n[i] = v
	}
	threads, err := strconv.Atoi(f[20-3])
	if err != nil || threads < 0 {
		return stat{}, fmt.Errorf("process stat field 20: %q is no count of threads", f[20-3])
	}
	return stat{
		state:   f[0][0],
		own:     ticks(n[0] + n[1]),
		waited:  ticks(n[2] + n[3]),
		threads: threads,
		start:   n[4],
	}, nil
}

func ticks(n uint64) time.Duration { return time.Duration(n) * tick }

// gone tells whether a process has ended, reaped or not.
func (s stat) gone() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// A memory is what is used of /proc/PID/status, in bytes.
type memory struct{ rss, working int64 }

// parseStatus reads the memory lines of /proc/PID/status. A kernel thread or a process
// that has just ended has none of them, which is an error and not a zero.
func parseStatus(text []byte) (memory, error) {
	kib := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		switch name {
		case "VmRSS", "RssAnon", "RssShmem":
		default:
			continue
		}
		f := strings.Fields(rest)
		if len(f) != 2 || f[1] != "kB" {
			return memory{}, fmt.Errorf("process status: %s is %q, want a number of kB", name, strings.TrimSpace(rest))
		}
		v, err := strconv.ParseInt(f[0], 10, 53)
		if err != nil || v < 0 {
			return memory{}, fmt.Errorf("process status: %s is %q, want a number of kB", name, strings.TrimSpace(rest))
		}
		kib[name] = v
	}
	if len(kib) != 3 {
		return memory{}, fmt.Errorf("process status: VmRSS, RssAnon and RssShmem are needed, %d of them are there", len(kib))
	}
	return memory{rss: kib["VmRSS"] << 10, working: (kib["RssAnon"] + kib["RssShmem"]) << 10}, nil
}

// A cpuTotals is what is used of /proc/stat: times of all cores together.
type cpuTotals struct {
	cores       int // that are on line
	idle, steal time.Duration
}

// parseCPUTotals reads the "cpu" lines of /proc/stat. Idle includes waiting for disks.
func parseCPUTotals(text []byte) (cpuTotals, error) {
	var t cpuTotals
	found := false
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || !strings.HasPrefix(f[0], "cpu"):
			continue
		case f[0] != "cpu":
			t.cores++
			continue
		case len(f) < 9:
			return cpuTotals{}, fmt.Errorf("machine stat: the cpu line has %d times, 8 needed", len(f)-1)
		}
		found = true
		var n [3]uint64
		for i, field := range []int{4, 5, 8} { // idle, iowait, steal
			v, err := strconv.ParseUint(f[field], 10, 53)
			if err != nil {
				return cpuTotals{}, fmt.Errorf("machine stat: %q in the cpu line is no count", f[field])
			}
			n[i] = v
		}
		t.idle, t.steal = ticks(n[0]+n[1]), ticks(n[2])
	}
	if !found || t.cores == 0 {
		return cpuTotals{}, fmt.Errorf("machine stat: no cpu line, or no core")
	}
	return t, nil
}

// parseSwaps reads /proc/vmstat and returns the pages swapped in and out since boot.
func parseSwaps(text []byte) (int64, error) {
	var pages int64
	found := 0
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "pswpin" && name != "pswpout" {
			continue
		}
		v, err := strconv.ParseInt(value, 10, 53)
		if err != nil || v < 0 {
			return 0, fmt.Errorf("vmstat: %s is %q, want a count", name, value)
		}
		pages += v
		found++
	}
	if found != 2 {
		return 0, fmt.Errorf("vmstat: pswpin and pswpout are needed once each, found %d", found)
	}
	return pages, nil
}

// parseMemTotal reads the size of the machine's memory in bytes from /proc/meminfo.
func parseMemTotal(text []byte) (int64, error) {
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "MemTotal:" || f[2] != "kB" {
			continue
		}
		if v, err := strconv.ParseInt(f[1], 10, 53); err == nil && v > 0 {
			return v << 10, nil
		}
	}
	return 0, fmt.Errorf("meminfo: no MemTotal in kB")
}

// parseModel returns the processor's name from /proc/cpuinfo, or "" when it has none
// (some ARM kernels).
func parseModel(text []byte) string {
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}
