package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type form struct {
	suffix string
	write  func(io.Writer, *result.Result) error
}

func terminal(o report.TerminalOptions) func(io.Writer, *result.Result) error {
	return func(w io.Writer, r *result.Result) error { return report.Terminal(w, r, o) }
}

var textForms = []form{
	{"80.txt", terminal(report.TerminalOptions{Width: 80, Dir: "results/x"})},
	{"100.txt", terminal(report.TerminalOptions{Width: 100, Dir: "results/x"})},
	{"ascii.txt", terminal(report.TerminalOptions{Width: 80, ASCII: true})},
	{"colour.txt", terminal(report.TerminalOptions{Width: 80, Colour: true})},
	{"md", report.Markdown},
	{"xml", report.JUnit},
}

func TestTextFormsMatchGoldenFiles(t *testing.T) {
	for _, f := range fixtures {
		for _, form := range textForms {
			t.Run(f.name+"."+form.suffix, func(t *testing.T) { golden(t, f.name+"."+form.suffix, form.write, f.build()) })
		}
	}
}

func golden(t *testing.T, name string, write func(io.Writer, *result.Result) error, r *result.Result) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got, r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", path, diff)
	}
}
