package orderflow

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const document = "../docs/ORDERFLOW.md"

func readDocument(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rowOf returns the row of a table that begins with a name, or "".
func rowOf(text, name string) string {
	for row := range strings.Lines(text) {
		if strings.HasPrefix(row, "| `"+name+"` |") {
			return row
		}
	}
	return ""
}

// Every variable that ConfigFromEnv accepts has a row in the table of settings, and the
// document names none that it refuses.
func TestEveryVariableIsDocumented(t *testing.T) {
	text := readDocument(t)
	known := new(Config).variables()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if rowOf(text, name) == "" {
			t.Errorf("%s has no row for %s", document, name)
		}
	}
	for row := range strings.Lines(text) {
		name, _, found := strings.Cut(strings.TrimPrefix(row, "| `"), "`")
		if found && strings.HasPrefix(name, envPrefix) && known[name] == nil {
			t.Errorf("%s has a row for %s, which is refused", document, name)
		}
	}
}

// The defaults of the table are those of the code.
func TestDocumentedDefaults(t *testing.T) {
	text, c := readDocument(t), DefaultConfig()
	want := map[string]string{
		"ENGINE": string(c.Engine), "STORE": string(c.Store), "OUTBOX": string(c.Outbox), "CLUSTERING": string(c.Clustering),
		"REPLICAS": "1", "EVENT_STORE_LIMIT": "0", "MEMORY_LIMIT": "0", "PIN": "false", "FAULTS": "off",
		"OUTBOX_TICK": c.OutboxTick.String(), "OUTBOX_RETENTION": "60s", "STEP_TIMEOUT": c.StepTimeout.String(),
	}
	for _, name := range Services() {
		want["ADDR_"+strings.ToUpper(name)] = c.Addrs[name]
	}
	for name, value := range want {
		row := rowOf(text, envPrefix+name)
		if cells := strings.Split(row, "|"); len(cells) < 3 || strings.TrimSpace(cells[2]) != "`"+value+"`" {
			t.Errorf("%s: want the default `%s` in the row of %s, got %s", document, value, envPrefix+name, row)
		}
	}
	var environ []string
	for name, value := range want {
		environ = append(environ, envPrefix+name+"="+value)
	}
	got, err := ConfigFromEnv(environ)
	if err != nil {
		t.Fatal(err)
	}
	got.Peers = nil // an empty map
	if diff := cmp.Diff(c, got); diff != "" {
		t.Errorf("the documented defaults against those of the code:\n%s", diff)
	}
}

// The metrics of a busy shop and those of the document's table are the same.
func TestDocumentedMetrics(t *testing.T) {
	s := busyShop(t)
	got := map[string]bool{}
	for _, service := range Services() {
		_, types := s.scrape(service)
		for name := range types {
			got[name] = true
		}
	}
	got["audit_events_total"] = true // appears with the first delivery
	if runtime.GOOS != "linux" {
		got["process_cpu_seconds_total"], got["process_resident_memory_bytes"] = true, true
	}
	_, table, _ := strings.Cut(readDocument(t), "## Metrics")
	table, _, _ = strings.Cut(table, "## ")
	want := map[string]bool{}
	for row := range strings.Lines(table) {
		if !strings.HasPrefix(row, "| `") {
			continue
		}
		for _, name := range strings.Split(strings.Split(row, "|")[1], ",") {
			want[strings.Trim(name, " `")] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics of %s (-) and of the services (+):\n%s", document, diff)
	}
}
