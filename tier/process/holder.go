package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// holderOf finds the process that listens on a TCP port, where it may be seen.
func holderOf(port string) (identity, bool) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return identity{}, false
	}
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for _, inode := range listeners(string(text), uint16(number)) {
			sockets["socket:["+inode+"]"] = true
		}
	}
	if len(sockets) == 0 {
		return identity{}, false
	}
	for _, pid := range pids() {
		if holds(pid, sockets) {
			id, err := identify(pid)
			return id, err == nil
		}
	}
	return identity{}, false
}

// listeners returns the inodes of the sockets that listen on a port in a table of
// /proc/net: columns are number, local address:port, remote, state (0A is listening),
// queues, timers, retransmits, user, timeout, inode.
func listeners(table string, port uint16) []string {
	var inodes []string
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != "0A" {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		if p, err := strconv.ParseUint(hex, 16, 16); err == nil && uint16(p) == port {
			inodes = append(inodes, f[9])
		}
	}
	return inodes
}

// holds tells whether a process has one of the sockets open.
func holds(pid int, sockets map[string]bool) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && sockets[to] {
			return true
		}
	}
	return false
}
