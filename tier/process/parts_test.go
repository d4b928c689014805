//go:build unix

package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/perfctl/perfctl/scenario"
)

func TestParseIdentity(t *testing.T) {
	const text = "42 (a) S 1 (b) S 7 40 39 0 -1 0 0 0 0 0 1 2 3 4 20 0 5 0 987 1 2\n"
	for _, c := range []struct {
		name, text string
		want       identity
		err        string
	}{
		{name: "running", text: text, want: identity{Start: 987, session: 39}},
		{name: "zombie", text: strings.Replace(text, ") S 7", ") Z 7", 1), want: identity{Start: 987, session: 39, zombie: true}},
		{name: "empty", err: "is not understood"},
		{name: "short", text: "42 (a) S 1", err: "is not understood"},
		{name: "session", text: strings.Replace(text, " 39 ", " x ", 1), err: `session "x"`},
		{name: "start", text: strings.Replace(text, " 987 ", " -1 ", 1), err: `start time "-1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseIdentity([]byte(c.text))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(identity{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseIdentity(f *testing.F) {
	f.Add([]byte("42 (a) S 1 (b) S 7 40 39 0 -1 0 0 0 0 0 1 2 3 4 20 0 5 0 987 1 2\n"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if id, err := parseIdentity(text); err != nil && id != (identity{}) {
			t.Errorf("%+v and %v", id, err)
		}
	})
}

func TestListeners(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 222 1 0
   2: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 333 1 0
   3: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 444 1
   4: broken 0A
`
	if diff := cmp.Diff([]string{"111", "333"}, listeners(table, 8080)); diff != "" {
		t.Error(diff)
	}
}

func TestChosenPortsAreApartFromOutgoingOnes(t *testing.T) {
	var declared []scenario.Service
	for i := range 20 {
		declared = append(declared, scenario.Service{Name: strconv.Itoa(i), URL: "http://127.0.0.1:auto/"})
	}
	list, err := locate(declared)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range list {
		n, err := strconv.Atoi(s.port)
		if err != nil || n >= firstOutgoing() || n < 1024 || seen[s.port] {
			t.Errorf("port %s; outgoing connections begin at %d", s.port, firstOutgoing())
		}
		seen[s.port] = true
		if s.URL != "http://127.0.0.1:"+s.port {
			t.Errorf("URL %s", s.URL)
		}
	}
}

func TestParseService(t *testing.T) {
	for _, c := range []struct {
		url, host, port string
		local           bool
	}{
		{"http://localhost:8081", "localhost", "8081", true},
		{"http://[::1]:auto", "::1", "auto", true},
		{"http://127.0.0.2:8081/base", "127.0.0.2", "8081", true},
		{"https://example.test", "example.test", "443", false},
		{"http://[::1]", "::1", "80", true},
	} {
		s, err := parseService(scenario.Service{Name: "s", URL: c.url})
		if err != nil || s.host != c.host || s.port != c.port || s.local != c.local {
			t.Errorf("%s: %+v, %v", c.url, s, err)
		}
	}
}

func TestVariableForOneProgramWins(t *testing.T) {
	env := func(name, value string) scenario.EnvVar { return scenario.EnvVar{Name: name, Value: literal(value)} }
	tr := &Tier{o: Options{LookupEnv: func(name string) (string, bool) { return "mine", name == "PATH" || name == "GOMEMLIMIT" }}}
	program := scenario.Program{Name: "store", Env: []scenario.EnvVar{env("A", "program"), env("B", "program")}}
	for name, v := range map[string]scenario.Variant{
		"general first": {Env: []scenario.EnvVar{env("A", "all"), env("store.A", "one"), env("till.B", "other")}},
		"general last":  {Env: []scenario.EnvVar{env("till.B", "other"), env("store.A", "one"), env("A", "all")}},
	} {
		got, err := tr.environment(program, &v)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"PATH": "mine", "A": "one", "B": "program"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("x", 400)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"few lines", "a\r\nb", []string{"a", "b"}},
		{"the last ten", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", strings.Fields("3 4 5 6 7 8 9 10 11 12")},
		{"a long line", long + "\n", []string{long[:300] + "..."}},
		{"a cut first line", strings.Repeat("y", tailBytes) + "\nlast\n", []string{"last"}},
		{"no text", "\xff\n", []string{"?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, tail(path)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := tail(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Errorf("lines %q of no file", got)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := find("tool", "/nowhere::"+dir); err != nil || got != tool {
		t.Errorf("found %q, %v", got, err)
	}
	if got, err := find("tool", ""); err == nil {
		t.Errorf("found %q without a PATH", got)
	}
	if _, err := find(dir+"/", ""); err == nil {
		t.Error("a folder is no program")
	}
}

func TestHashFollowsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	h := hashes{}
	for text, want := range map[string]string{
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from memory
			if got, err := h.of(path); err != nil || got != want {
				t.Errorf("sum of %q is %s, %v", text, got, err)
			}
		}
	}
	if _, err := h.of(path + "x"); err == nil {
		t.Error("a sum of no file")
	}
}

// TestParsedScenario brings a variant up from the text of a scenario file: the parser
// and the tier must mean the same by ${perfctl}, ${addr.SERVICE} and PROGRAM.NAME.
func TestParsedScenario(t *testing.T) {
	sc, problems := scenario.Parse("shop.yaml", []byte(`perfctl: 1
name: shop
target:
  process:
    programs:
      store:
        command: ["${perfctl}", "${addr.shop}"]
        env: { TIER_TEST: "shop at ${port.shop}" }
    wait: 20s
services:
  shop: { url: "http://127.0.0.1:auto", health: /health, program: store }
operations:
  look: { get: "shop:/info" }
load: { rate: 1/s, duration: 10s }
variants:
  slow:
    baseline: true
    verify: [{ http: "shop:/info", path: $.settings.engine, equals: slow }]
  fast:
    env: { store.ENGINE: fast }
    verify: [{ http: "shop:/info", path: $.settings.engine, equals: fast }]
abtest: { a: slow, b: fast }
`), func(string) (string, bool) { return "", false })
	if sc == nil {
		t.Fatalf("%v", problems)
	}
	for i := range sc.Variants {
		tr := newTier(t, sc)
		in := mustUp(t, tr, i, newLog())
		if len(in.Untreated()) != 0 {
			t.Errorf("untreated: %v", in.Untreated())
		}
		if err := in.Down(t.Context()); err != nil {
			t.Error(err)
		}
		nothingLeft(t, tr)
	}
}
