package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An identity names one process for good: a pid is given again, but not with the same
// start time.
type identity struct {
	PID        int    `json:"pid"`
	Start      uint64 `json:"start_ticks"` // since boot
	Executable string `json:"executable"`

	session int
	zombie  bool
}

// identify reads a live or dead but not yet reaped process.
func identify(pid int) (identity, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return identity{}, err
	}
	id, err := parseIdentity(text)
	if err != nil {
		return identity{}, err
	}
	id.PID = pid
	// Unreadable for processes of other users, which then match none of ours.
	exe, _ := os.Readlink(filepath.Join(dir, "exe"))
	id.Executable = strings.TrimSuffix(exe, " (deleted)")
	return id, nil
}

// parseIdentity reads state, session and start time of /proc/PID/stat. The name in
// parentheses may contain anything, also parentheses.
func parseIdentity(text []byte) (identity, error) {
	end := bytes.LastIndexByte(text, ')')
	f := strings.Fields(string(text[end+1:])) // f[0] is field 3, the state
	if end < 0 || len(f) < 20 {
		return identity{}, fmt.Errorf("process stat %.40q is not understood", text)
	}
	session, err := strconv.Atoi(f[6-3])
	if err != nil {
		return identity{}, fmt.Errorf("process stat: session %q is no number", f[6-3])
	}
	start, err := strconv.ParseUint(f[22-3], 10, 64)
	if err != nil {
		return identity{}, fmt.Errorf("process stat: start time %q is no number", f[22-3])
	}
	return identity{Start: start, session: session, zombie: f[0] == "Z" || f[0] == "X"}, nil
}

// runs tells whether the process still runs, whatever its executable is called now.
func (id identity) runs() bool {
	now, err := identify(id.PID)
	return err == nil && !now.zombie && now.Start == id.Start
}

// same tells whether the process still runs, with the same executable.
func (id identity) same() bool {
	now, err := identify(id.PID)
	return err == nil && !now.zombie && now.Start == id.Start && now.Executable == id.Executable
}

// signal sends a signal to this process and no other: the handle is opened first, then
// the identity is checked, and the signal goes to the handle.
func (id identity) signal(s os.Signal) {
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	defer p.Release()
	if id.same() {
		p.Signal(s) // it may have ended since: the caller looks again
	}
}

func (id identity) String() string { return fmt.Sprintf("pid %d (%s)", id.PID, id.Executable) }

// environ reads the environment with which a process began.
func environ(pid int) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for _, entry := range strings.Split(string(text), "\x00") {
		if name, value, ok := strings.Cut(entry, "="); ok {
			if _, twice := env[name]; !twice { // getenv takes the first
				env[name] = value
			}
		}
	}
	return env, nil
}

// belonging lists the live processes that carry a mark or are in one of the sessions.
func belonging(mark string, sessions map[int]bool) []identity {
	var list []identity
	for _, pid := range pids() {
		id, err := identify(pid)
		if err != nil || id.zombie {
			continue
		}
		if !sessions[id.session] {
			env, err := environ(pid)
			if err != nil || env[markName] != mark {
				continue
			}
		}
		list = append(list, id)
	}
	return list
}

// pids lists all processes; none where there is no /proc.
func pids() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var list []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > 1 {
			list = append(list, pid)
		}
	}
	return list
}
