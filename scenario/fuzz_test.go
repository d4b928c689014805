package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse demands of every text: no panic; each problem has a place inside the file; no
// scenario with errors; the same answer twice; and what parses can be stored and read again.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, problems := Parse("fuzz.yaml", src, environment)
		if (s == nil) != problems.Failed() {
			t.Fatalf("scenario %v, problems %v", s, problems)
		}
		checkPlaces(t, src, problems)
		_ = problems.Error()
		if s != nil {
			if _, stored := ParseStored("fuzz.yaml", s.Resolved()); stored.Failed() {
				t.Errorf("the stored scenario is not one:\n%v", stored)
			}
		}
		again, same := Parse("fuzz.yaml", src, environment)
		if diff := cmp.Diff(problems, same); diff != "" {
			t.Error(diff)
		}
		if diff := compare(s, again); diff != "" {
			t.Error(diff)
		}
	})
}
