package rundir

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

const document = "../docs/RUN-DIRECTORY.md"

// documentPart returns what the document says of a type: from its bold name to the next
// bold name or heading.
func documentPart(t *testing.T, text, name string) string {
	t.Helper()
	start := regexp.MustCompile(`(?m)^\*\*` + name + `\*\*`).FindStringIndex(text)
	if start == nil {
		t.Fatalf("%s has no part that begins with **%s**", document, name)
	}
	rest := text[start[1]:]
	if end := regexp.MustCompile(`(?m)^(\*\*|## )`).FindStringIndex(rest); end != nil {
		return rest[:end[0]]
	}
	return rest
}

func readDocument(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// jsonFields adds the JSON names of a struct and of all structs of this package in it.
func jsonFields(of reflect.Type, into map[string][]string) {
	switch of.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		jsonFields(of.Elem(), into)
		return
	case reflect.Struct:
	default:
		return
	}
	if of == reflect.TypeFor[time.Time]() || into[of.Name()] != nil {
		return
	}
	into[of.Name()] = []string{}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		into[of.Name()] = append(into[of.Name()], name)
		jsonFields(of.Field(i).Type, into)
	}
}

// Each type of the files has a part of its own in the document, and each of its fields
// stands there as code.
func TestEveryFieldIsDocumented(t *testing.T) {
	types := map[string][]string{}
	for _, root := range []any{Manifest{}, Trial{}, LedgerLine{}, CompletionLine{}, ResourceLine{}, EventLine{}, SlowLine{}} {
		jsonFields(reflect.TypeOf(root), types)
	}
	if diff := cmp.Diff(declared(t), len(types)); diff != "" {
		t.Errorf("struct types in types.go against those reached from the files: %s", diff)
	}
	text := readDocument(t)
	for name, list := range types {
		part := documentPart(t, text, name)
		for _, f := range list {
			if f == "" || f == "-" {
				t.Errorf("%s has a field without a JSON name", name)
			} else if !strings.Contains(part, "`"+f+"`") {
				t.Errorf("%s does not describe `%s` under **%s**", document, f, name)
			}
		}
	}
}

// declared counts the struct types of types.go.
func declared(t *testing.T) int {
	t.Helper()
	source, err := os.ReadFile("types.go")
	if err != nil {
		t.Fatal(err)
	}
	return len(regexp.MustCompile(`(?m)^type \w+ struct`).FindAll(source, -1))
}

// The files that a trial writes, and those around it, each have a row.
func TestEveryFileIsDocumented(t *testing.T) {
	text := readDocument(t)
	names := []string{"`manifest.json`", "`scenario.yaml`", "`result.json`", "`report.md`", "`report.html`", "`junit.xml`",
		"`trials/NAME/trial.json`", "`trials/NAME/metrics.om`", "`trials/NAME/logs/`"}
	for _, f := range appended {
		names = append(names, "`trials/NAME/"+f+"`")
	}
	for _, n := range names {
		if !strings.Contains(text, "| "+n) && !strings.Contains(text, ", "+n) {
			t.Errorf("%s has no row for %s", document, n)
		}
	}
}

// What the document says of other readers: the library's own log reader, which knows
// nothing of perfctl, finds the series, their seconds and their values.
func TestTheLogIsReadByTheLibrary(t *testing.T) {
	dir, err := Create(t.TempDir(), "run", "shop", time.Unix(1_800_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	w, err := dir.NewTrial("01-A")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(time.Unix(1_800_000_000, 7e8)); err != nil {
		t.Fatal(err)
	}
	tag := Tag{"create_order", "ok", Response}
	written := hdr.New(1000, int64(10*time.Minute), 3)
	if err := written.RecordValue(2_000_000); err != nil {
		t.Fatal(err)
	}
	if err := w.Histogram(3, tag, written); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir.Join("trials", "01-A", "latency.hlog"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := hdr.NewHistogramLogReader(bytes.NewReader(text)).NextIntervalHistogram()
	if err != nil || h == nil {
		t.Fatalf("the library reads %v, %v from\n%s", h, err, text)
	}
	type seen struct {
		Tag         string
		StartS      int64
		Count, P100 int64
	}
	got := seen{h.Tag(), h.StartTimeMs() / 1000, h.TotalCount(), h.ValueAtQuantile(100) / 1_000_000}
	if diff := cmp.Diff(seen{"create_order|ok|response", 1_800_000_003, 1, 2}, got); diff != "" {
		t.Error(diff)
	}
}
