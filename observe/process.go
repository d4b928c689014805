package observe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/perfctl/perfctl/rundir"
)

// errGone says that a process has ended.
var errGone = errors.New("the process has ended")

// A procfs reads one /proc tree.
type procfs struct {
	root  string
	clock func(pid int) (time.Duration, bool) // the CPU clock of a process
}

func (p procfs) file(pid int, name string) string {
	return filepath.Join(p.root, strconv.Itoa(pid), name)
}

// stat reads one process. A vanished or ended one is errGone.
func (p procfs) stat(pid int) (stat, error) {
	text, err := os.ReadFile(p.file(pid, "stat"))
	if err != nil {
		return stat{}, vanished(err)
	}
	s, err := parseStat(text)
	if err != nil {
		return stat{}, err
	}
	if s.gone() {
		return stat{}, errGone
	}
	return s, nil
}

// vanished turns the ways in which a file of an ended process fails into errGone.
func vanished(err error) error {
	if errors.Is(err, fs.ErrNotExist) || isNoProcess(err) {
		return errGone
	}
	return err
}

// program reads a process and its live descendants. Start must be that of the first
// sample, so that another process that was given the pid later is not taken for it.
func (p procfs) program(pid int, start uint64) (rundir.ResourceLine, error) {
	line, err := p.one(pid, start)
	if err != nil {
		return rundir.ResourceLine{}, err
	}
	seen := map[int]bool{pid: true}
	queue := p.children(pid)
	for len(queue) > 0 {
		child := queue[0]
		queue = queue[1:]
		if seen[child] {
			continue
		}
		seen[child] = true
		c, err := p.one(child, 0)
		if err != nil {
			continue // ended between the listing and the reading; its parent has its time
		}
		line.CPUNS += c.CPUNS
		line.RSS += c.RSS
		line.Working += c.Working
		line.Threads += c.Threads
		line.Descriptor += c.Descriptor
		queue = append(queue, p.children(child)...)
	}
	return line, nil
}

// one reads one process. Start 0 accepts any.
func (p procfs) one(pid int, start uint64) (rundir.ResourceLine, error) {
	s, err := p.stat(pid)
	if err != nil {
		return rundir.ResourceLine{}, err
	}
	if start != 0 && s.start != start {
		return rundir.ResourceLine{}, errGone
	}
	status, err := os.ReadFile(p.file(pid, "status"))
	if err != nil {
		return rundir.ResourceLine{}, vanished(err)
	}
	m, err := parseStatus(status)
	if err != nil {
		if _, again := p.stat(pid); errors.Is(again, errGone) {
			return rundir.ResourceLine{}, errGone
		}
		return rundir.ResourceLine{}, err
	}
	cpu := s.own
	if exact, ok := p.clock(pid); ok {
		cpu = exact
	}
	return rundir.ResourceLine{
		PID:        pid,
		CPUNS:      int64(cpu + s.waited),
		RSS:        m.rss,
		Working:    m.working,
		Threads:    s.threads,
		Descriptor: p.descriptors(pid),
	}, nil
}

// descriptors counts open descriptors; 0, which the file format leaves out, when they
// may not be read.
func (p procfs) descriptors(pid int) int {
	d, err := os.Open(p.file(pid, "fd"))
	if err != nil {
		return 0
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return 0
	}
	return len(names)
}

// children lists the live children of all threads of a process; none where the kernel
// does not list them, and then only waited children are counted.
func (p procfs) children(pid int) []int {
	var pids []int
	tasks, _ := filepath.Glob(p.file(pid, "task/*/children"))
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(f); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// supported tells whether processes can be read here.
func (p procfs) supported() error {
	if _, err := os.Stat(filepath.Join(p.root, "self", "stat")); err != nil {
		return fmt.Errorf("resources of processes are not observed here: %w", err)
	}
	return nil
}
