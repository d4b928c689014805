package process

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// stateVersion is that of the state files; others are left alone.
const stateVersion = 1

// A state is one state file: what a perfctl has started and not yet ended.
type state struct {
	Version  int       `json:"version"`
	Boot     string    `json:"boot"` // pids and start times mean nothing after a reboot
	Mark     string    `json:"mark"`
	Owner    identity  `json:"owner"`
	Programs []started `json:"programs"`
}

type started struct {
	Name string `json:"name"`
	identity
}

func newState() state {
	owner, _ := identify(os.Getpid()) // zero where there is no /proc; then nothing is matched
	return state{Version: stateVersion, Boot: boot(), Mark: rand.Text(), Owner: owner}
}

// boot identifies the running kernel; empty where there is none to read.
func boot() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// save writes the state to each path, whole or not at all.
func (s state) save(paths ...string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
			return err
		}
		if err := os.Rename(path+".new", path); err != nil {
			return err
		}
	}
	return nil
}

// orphans reads the state files of a folder whose perfctl is gone. Files that are not
// understood are in the error, which does not spoil the others.
func orphans(folder string) (map[string]state, error) {
	if boot() == "" {
		return nil, nil // nothing can be told of other processes here
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var problems []error
	found := map[string]state{}
	for _, path := range paths {
		s, err := load(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another perfctl has just ended
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("list of started programs %s: %w", path, err))
			continue
		}
		if s.Boot != boot() || !s.Owner.runs() {
			found[path] = s
		}
	}
	return found, errors.Join(problems...)
}

func load(path string) (state, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return state{}, err
	}
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return state{}, fmt.Errorf("is not understood: %w; remove it when no program of an earlier perfctl runs", err)
	}
	if s.Version != stateVersion || len(s.Mark) < 20 {
		return state{}, fmt.Errorf("is of version %d, this perfctl knows %d; remove it when no program of an earlier perfctl runs", s.Version, stateVersion)
	}
	return s, nil
}

// alive lists the processes of a state that still run: those with its mark, and the
// programs whose pid, start time and executable are as they were written down.
func (s state) alive() []identity {
	if s.Boot != boot() {
		return nil
	}
	list := belonging(s.Mark, nil)
	known := map[int]bool{}
	for _, id := range list {
		known[id.PID] = true
	}
	for _, p := range s.Programs {
		if !known[p.PID] && p.same() {
			list = append(list, p.identity)
		}
	}
	return list
}

// killTime is how long the kernel may take to end a process after SIGKILL.
const killTime = 5 * time.Second

// kill ends every process that list returns until it returns none and all have ended. It
// returns all that it was given and those that are still there.
func kill(list func() []identity) (all, left []identity) {
	settled(killTime, func() bool {
		left = withDying(list(), all)
		for _, id := range left {
			if !contains(all, id) {
				all = append(all, id)
			}
			id.signal(syscall.SIGKILL)
		}
		return len(left) == 0
	})
	return all, left
}

// withDying adds to a list the processes known before that have not ended. One that is
// just ending has lost its environment and its executable, so nothing else finds it.
func withDying(list, known []identity) []identity {
	for _, id := range known {
		if !contains(list, id) && id.runs() {
			list = append(list, id)
		}
	}
	return list
}

func contains(list []identity, one identity) bool {
	return slices.ContainsFunc(list, func(id identity) bool { return id.PID == one.PID && id.Start == one.Start })
}

// settled asks until the answer is yes or the time is over, and returns the answer.
func settled(within time.Duration, yes func() bool) bool {
	deadline := time.Now().Add(within)
	for wait := time.Millisecond; ; wait = min(50*time.Millisecond, 2*wait) {
		if yes() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(wait)
	}
}
