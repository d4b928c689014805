package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/scenario"
)

func unset(string) (string, bool) { return "", false }

// TestShippedScenarios demands of each shipped scenario what an A-B test needs, without one
// environment variable set.
func TestShippedScenarios(t *testing.T) {
	list, err := names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		src, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		s, problems := scenario.Parse(name+".yaml", src, unset)
		if len(problems) > 0 {
			t.Errorf("%v", problems)
			continue
		}
		if s.Name != name || s.Description == "" {
			t.Errorf("%s: name %q, description %q", name, s.Name, s.Description)
		}
		if s.Load.Rate.String() != "50/s" || s.Load.Duration != 3*time.Minute || !s.Load.Poisson || s.Warmup.For != 45*time.Second {
			t.Errorf("%s: load %+v, warm-up %+v", name, s.Load, s.Warmup)
		}
		rate := "1000/s"
		if name == "outbox" {
			rate = "500/s" // see the file
		}
		if q := s.ABTest.Quick; q == nil || q.Rate.String() != rate || q.Warmup != 3*time.Second || q.Duration != 8*time.Second {
			t.Errorf("%s: quick %+v", name, q)
		}
		mix := map[string]int64{}
		for _, o := range s.Operations {
			mix[o.Name] = o.Weight
		}
		if diff := cmp.Diff(map[string]int64{"create_order": 60, "reserve_stock": 25, "create_customer": 15}, mix); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, v := range s.Variants {
			if len(v.Env) == 0 || len(v.Verify) == 0 {
				t.Errorf("%s: variant %s sets %d variables and verifies %d", name, v.Name, len(v.Env), len(v.Verify))
			}
		}
	}
}

// TestDecisions fixes what each scenario decides on and between.
func TestDecisions(t *testing.T) {
	want := map[string]string{
		"community-vs-tpc": "community tpc: create_order p95, reserve_stock p95, order_to_confirmed p95, cpu",
		"outbox":           "scan indexed: cpu, create_order p95, reserve_stock p95",
		"clustering":       "private shared: order_to_confirmed misses, create_order p95",
		"hd-memory":        "heap hd-memory: create_order p95, create_order p99, order_to_confirmed p95, memory, cpu",
		"high-memory":      "limit-64 limit-128: create_order p95, create_order p99, reserve_stock p95, cpu",
	}
	got := map[string]string{}
	list, err := names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		s, _, err := Open(t.TempDir(), name)
		if err != nil {
			t.Fatal(err)
		}
		var metrics []string
		for _, m := range s.ABTest.Primary {
			metrics = append(metrics, strings.TrimSpace(m.Subject+" "+m.Stat))
		}
		got[name] = s.ABTest.A + " " + s.ABTest.B + ": " + strings.Join(metrics, ", ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	got, err := List()
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{
		{"clustering", "Do three replicas need a shared saga map to answer for each other?"},
		{"community-vs-tpc", "Does thread-per-core execution change the response times of the shop?"},
		{"hd-memory", "What does keeping values serialised outside the heap cost and save?"},
		{"high-memory", "Does twice the memory limit make the shop faster?"},
		{"outbox", "Does an index in the outbox save CPU, and do response times notice?"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadUnknown(t *testing.T) {
	const known = "clustering, community-vs-tpc, hd-memory, high-memory, outbox"
	for name, want := range map[string]string{
		"comunity-vs-tpc": `no scenario named "comunity-vs-tpc": neither a file, nor perfctl/comunity-vs-tpc.yaml, nor one of ` + known + `; did you mean "community-vs-tpc"?`,
		"checkout":        `no scenario named "checkout": neither a file, nor perfctl/checkout.yaml, nor one of ` + known,
		"../x":            `no scenario named "../x": neither a file, nor perfctl/../x.yaml, nor one of ` + known,
		"":                `no scenario named "": neither a file, nor perfctl/.yaml, nor one of ` + known,
	} {
		if _, err := Read(name); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// TestOpen shows which file a name means: each step is taken away in turn.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(path, name string) string {
		path = filepath.Join(dir, path)
		src := "perfctl: 1\nname: " + name + "\nservices: { a: http://localhost:1 }\noperations: { x: { get: \"a:/\" } }\nload: { rate: 1/s, duration: 1m }\n"
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(name, want string) {
		t.Helper()
		s, problems, err := Open(dir, name)
		if err != nil || problems.Failed() {
			t.Fatalf("%s: %v %v", name, err, problems)
		}
		if s.Name != want {
			t.Errorf("%s means %s, want %s", name, s.Name, want)
		}
	}
	check("outbox", "outbox")
	write("perfctl/outbox.yaml", "mine")
	check("outbox", "mine")
	write("outbox", "file-without-extension")
	check("outbox", "file-without-extension")
	check("perfctl/outbox.yaml", "mine")
	check(write("other.yml", "absolute"), "absolute")
	if err := os.Mkdir(filepath.Join(dir, "clustering"), 0o755); err != nil {
		t.Fatal(err)
	}
	check("clustering", "clustering")
	if _, _, err := Open(dir, "missing.yaml"); err == nil || !strings.HasPrefix(err.Error(), "read scenario: ") {
		t.Errorf("a missing file: %v", err)
	}
	if _, _, err := Open(dir, "chekout"); err == nil {
		t.Error("an unknown name was found")
	}
	bad := filepath.Join(dir, "perfctl", "hd-memory.yaml")
	if err := os.WriteFile(bad, []byte("perfctl: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, problems, err := Open(dir, "hd-memory"); s != nil || err != nil || len(problems) != 3 || problems[0].File != bad {
		t.Errorf("a file with mistakes: %v, %v, %v", s, problems, err)
	}
}
