package abtest

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/facts/factstest"
	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/rundir"
)

// The same files give the same bytes, whatever ran again and in whatever order.
func TestJudgingTwiceGivesTheSameBytes(t *testing.T) {
	p := planOf(t, []string{"create_order p95", "errors"}, 4, 6)
	f, _, reason, err := run(t, p, func(s rundir.Slot, attempt int, x *factstest.Trial) error {
		if s.Index == 2 && attempt == 1 {
			return spoilt(x)
		}
		x.Operations[0].Others = map[string]int64{"system": 3, "timeout": 2}
		x.Record.Errors = []rundir.ErrorEntry{{Operation: "create_order", Outcome: "system", Signature: "x", Count: 3}, {Operation: "create_order", Outcome: "timeout", Signature: "x", Count: 3},
			{Operation: "create_order", Outcome: "client", Signature: "x", Count: 3}}
		return noisy(s, attempt, x)
	})
	if err != nil {
		t.Fatal(err)
	}
	m := manifest(p)
	m.Reason = reason
	if err := f.dir.WriteManifest(m); err != nil {
		t.Fatal(err)
	}
	var first []byte
	for i := range 4 {
		r, err := Judge(f.dir)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := report.JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = b.Bytes()
			var order []string
			for _, row := range r.Trials {
				order = append(order, row.Name)
			}
			if diff := cmp.Diff(f.ran, order); diff != "" {
				t.Errorf("rows are not in the order of the runs:\n%s", diff)
			}
			if row := r.Trials[0]; row.Label != "burn-in" || row.Valid || row.Why != "the burn-in is never used" {
				t.Errorf("burn-in: %+v", row)
			}
		} else if diff := cmp.Diff(string(first), b.String()); diff != "" {
			t.Fatalf("judged again:\n%s", diff)
		}
	}
}

func TestJudgeErrors(t *testing.T) {
	p := planOf(t, []string{"create_order p95"}, 4)
	f, _, _, err := run(t, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	try := func(want string, change func(m *rundir.Manifest)) {
		t.Helper()
		m := manifest(p)
		change(&m)
		if err := f.dir.WriteManifest(m); err != nil {
			t.Fatal(err)
		}
		if _, err := Judge(f.dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	try("the run directory's scenario: ", func(m *rundir.Manifest) { m.Scenario = "perfctl: 2\n" })
	try("looks: want at least one", func(m *rundir.Manifest) { m.Plan.Looks = nil })
	if err := os.WriteFile(f.dir.Join("trials", "01-"+p.Slots[1].Label, "ledger.ndjson"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	try("ledger.ndjson:1: invalid character", func(*rundir.Manifest) {})
	if err := os.RemoveAll(f.dir.Join("trials")); err != nil {
		t.Fatal(err)
	}
	try("run directory: ", func(*rundir.Manifest) {})
	if err := f.dir.WriteFile("manifest.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(f.dir); err == nil || !strings.Contains(err.Error(), "version 0") {
		t.Errorf("got %v", err)
	}
}
