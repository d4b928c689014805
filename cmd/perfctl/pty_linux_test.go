package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// openPTY opens a terminal of the given width: what is written to terminal is read from master.
func openPTY(t *testing.T, width uint16) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return master, terminal
}

// TestRealTerminal runs with stderr on a terminal of 60 columns and stdout elsewhere: the
// status line fits the terminal and is redrawn, and the result goes where it should.
func TestRealTerminal(t *testing.T) {
	t.Parallel()
	const width = 60
	master, terminal := openPTY(t, width)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	dir := t.TempDir()
	source := fmt.Sprintf("perfctl: 1\nname: terminal\ntarget: { external: true }\nservices: { s: %q }\n"+
		"operations: { look: { get: \"s:/\" } }\nload: { rate: 50/s, duration: 1s }\n", server.URL)
	if err := os.WriteFile(filepath.Join(dir, "terminal.yaml"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout strings.Builder
	cmd := exec.Command("perfctl", "run", "terminal.yaml")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, terminal
	cmd.Env = append(os.Environ(), "TERM=xterm")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	shown, _ := io.ReadAll(master) // ends with an error when nobody has the terminal open
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitNoAnswer {
		t.Errorf("exit code %d: %s", code, shown)
	}
	drawn := strings.Split(string(shown), "\r\x1b[K")
	if len(drawn) < 5 || !strings.Contains(string(shown), "warm-up") {
		t.Errorf("drawn %q", drawn)
	}
	for _, line := range drawn {
		if utf8.RuneCountInString(line) >= width {
			t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
	if !strings.Contains(stdout.String(), "terminal") || strings.Contains(stdout.String(), "\x1b") {
		t.Errorf("stdout: %s", stdout.String())
	}
}
