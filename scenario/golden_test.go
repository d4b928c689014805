package scenario

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// environment is what tests see instead of the process's own.
func environment(name string) (string, bool) {
	value, set := map[string]string{
		"HOST":          "shop.example",
		"API_TOKEN":     "t0p-s3cret",
		"HZ_LICENSEKEY": `lic"ence/1`,
		"SHORT_KEY":     "abc",
	}[name]
	return value, set
}

func noFiles(string) ([]byte, error) { return nil, os.ErrNotExist }

// TestMistakes shows each kind of mistake as it is printed. A file of testdata has a
// mistake; beside it stands what perfctl says.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, problems := parse(filepath.Base(path), src, environment, noFiles)
			if len(problems) == 0 {
				t.Fatal("no problem found")
			}
			if (s == nil) != problems.Failed() {
				t.Errorf("scenario %v with these problems:\n%v", s, problems)
			}
			checkPlaces(t, src, problems)
			var got bytes.Buffer
			if err := problems.Write(&got, false); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".yaml") + ".err"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// checkPlaces demands that every problem is inside the file.
func checkPlaces(t testing.TB, src []byte, problems Problems) {
	t.Helper()
	lines := strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n")
	for _, p := range problems {
		if p.Pos.Line < 1 || p.Pos.Line > len(lines) || p.Pos.Column < 1 || p.Width < 1 ||
			p.Pos.Column > len([]rune(lines[p.Pos.Line-1]))+1 {
			t.Errorf("the problem %q is outside the file: %+v", p.Message, p.Pos)
		}
		if p.Message == "" {
			t.Errorf("a problem without words at %+v", p.Pos)
		}
	}
}
