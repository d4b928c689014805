package report_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/report"
)

func TestJSONRoundTrips(t *testing.T) {
	for _, f := range fixtures {
		var first, second bytes.Buffer
		want := f.build()
		if err := report.JSON(&first, want); err != nil {
			t.Fatal(err)
		}
		got, err := report.ReadJSON(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.name, diff)
		}
		if err := report.JSON(&second, got); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() || !strings.HasSuffix(first.String(), "\n}\n") {
			t.Errorf("%s: not canonical", f.name)
		}
	}
}

func TestJSONRefusesWhatItCannotWrite(t *testing.T) {
	r := unclear()
	r.Run.Seconds = math.NaN()
	if err := report.JSON(&bytes.Buffer{}, r); err == nil || !strings.HasPrefix(err.Error(), "write result: ") {
		t.Errorf("error %v", err)
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "hello", "read result: not a JSON document: "},
		{"nothing", "", "read result: not a JSON document: "},
		{"another document", `{"a": 1}`, `read result: no "schema": this is not a perfctl result; give a result.json or its run directory`},
		{"a newer schema", `{"schema": "perfctl.result/2"}`, `read result: schema "perfctl.result/2" is not known (this perfctl reads "perfctl.result/1"); use the version that wrote it`},
		{"a wrong type", `{"schema": "perfctl.result/1", "metrics": 3}`, "read result: json: cannot unmarshal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := report.ReadJSON(strings.NewReader(c.in))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Write([]byte) (int, error) { return 0, errBroken }
func (broken) Read([]byte) (int, error)  { return 0, errBroken }

func TestWriteErrorsAreReturned(t *testing.T) {
	for _, form := range append([]form{{"json", report.JSON}, {"html", report.HTML}}, textForms...) {
		if err := form.write(broken{}, unclear()); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", form.suffix, err)
		}
	}
	if _, err := report.ReadJSON(broken{}); !errors.Is(err, errBroken) {
		t.Errorf("read: error %v", err)
	}
}

// Whatever reads as a document is rendered in every form, and written again as it was read.
func FuzzReadJSON(f *testing.F) {
	var b bytes.Buffer
	if err := report.JSON(&b, interrupted()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema":"perfctl.result/1","kind":"run","timelines":[{"step_s":1,"scheduled":[1,2,3],"p95_ms":[1,null]}],"metrics":[{"name":"a","change_pct":1,"ci95":[0,2],"primary":true,"a":{"runs":[1,null]}}]}`))
	f.Add([]byte(`{"schema":"perfctl.result/1","spectra":[{"points":[{"q":1,"ms":-1},{"q":0.5}]}],"trials":[{"slot":-9000000000},{"slot":9000000000}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.ReadJSON(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read result: ") {
				t.Errorf("error %v does not say where", err)
			}
			return
		}
		for _, form := range append([]form{{"html", report.HTML}}, textForms...) {
			if err := form.write(&bytes.Buffer{}, r); err != nil {
				t.Errorf("%s: %v", form.suffix, err)
			}
		}
		var first, second bytes.Buffer
		if err := report.JSON(&first, r); err != nil {
			t.Fatal(err)
		}
		again, err := report.ReadJSON(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := report.JSON(&second, again); err != nil || first.String() != second.String() {
			t.Errorf("does not round-trip: %v", err)
		}
	})
}
