package experiment

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		descriptors uint64
		ports       int
		want        int
	}{
		{1024, 28232, 819},
		{1 << 20, 28232, 20000},
		{1 << 20, 1000, 800},
		{0, 0, 20000},
		{math.MaxUint64, 0, 20000},
		{10, 0, 64},
		{0, 5, 64},
	} {
		if got := allowed(c.descriptors, c.ports); got != c.want {
			t.Errorf("%d descriptors, %d ports: %d, want %d", c.descriptors, c.ports, got, c.want)
		}
	}
	if n := MaxInFlight(); n < 64 || n > 20000 {
		t.Errorf("here %d", n)
	}
}

func TestClientPorts(t *testing.T) {
	for text, want := range map[string]int{
		"32768\t60999\n": 28232, "1024 1024": 1, "60999 32768": 0, "32768": 0, "a b": 0, "-1 5": 0, "1 2 3": 0, "1 70000": 0, "": 0,
	} {
		file := filepath.Join(t.TempDir(), "range")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := clientPorts(file); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := clientPorts(filepath.Join(t.TempDir(), "missing")); got != 0 {
		t.Errorf("no file: %d", got)
	}
}

func TestGitState(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	if sha, dirty := gitState(); sha != "" || dirty {
		t.Errorf("outside a repository: %q, %t", sha, dirty)
	}
	do := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("file", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	do("init", "-q")
	if sha, _ := gitState(); sha != "" {
		t.Errorf("before the first commit: %q", sha)
	}
	write("one")
	do("add", "file")
	do("commit", "-q", "-m", "one")
	clean, dirty := gitState()
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(clean) || dirty {
		t.Errorf("clean: %q, %t", clean, dirty)
	}
	if err := os.WriteFile("untracked", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, dirty := gitState(); dirty {
		t.Error("a file that git does not know makes it dirty")
	}
	write("two")
	if sha, dirty := gitState(); sha != clean || !dirty {
		t.Errorf("changed: %q, %t", sha, dirty)
	}
}
