package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for _, test := range []struct {
		text string
		want time.Duration
		err  string
	}{
		{text: "90s", want: 90 * time.Second},
		{text: "1h30m", want: 90 * time.Minute},
		{text: "2d", want: 48 * time.Hour},
		{text: "1.5d12h", want: 48 * time.Hour},
		{text: "0.1ms", want: 100 * time.Microsecond},
		{text: "100µs", want: 100 * time.Microsecond},
		{text: "0.333333333s", want: 333333333},
		{text: "9223372036854775807ns", want: math.MaxInt64},
		{text: "9223372036854775808ns", err: "is too long"},
		{text: "106752d", err: "is too long"},
		{text: "90", err: "needs a unit"},
		{text: "-90", err: "needs a unit"},
		{text: "-90s", err: "cannot be negative"},
		{text: "", err: "is not a duration"},
		{text: "1w", err: "is not a duration"},
		{text: "1s2", err: "is not a duration"},
		{text: "1 s", err: "is not a duration"},
		{text: "s", err: "is not a duration"},
		{text: "1..5s", err: "is not a duration"},
	} {
		got, err := parseDuration(test.text)
		if got != test.want || words(err) != test.err {
			t.Errorf("%q: %v, %v; want %v, %v", test.text, got, err, test.want, test.err)
		}
	}
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestDurationsAgree compares with the standard library where both read the same.
func TestDurationsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Min(0).Draw(t, "d"))
		got, err := parseDuration(d.String())
		if err != nil || got != d {
			t.Fatalf("%v: %v, %v", d, got, err)
		}
	})
}

func TestParsePercent(t *testing.T) {
	for _, test := range []struct {
		text string
		want float64
		err  string
	}{
		{text: "10%", want: 10},
		{text: "0.5%", want: 0.5},
		{text: "100 %", want: 100},
		{text: "10", err: "needs a % sign"},
		{text: "ten", err: "is not a percentage"},
		{text: "ten%", err: "is not a percentage"},
		{text: "NaN%", err: "is not a percentage"},
		{text: "0x1p2%", err: "is not a percentage"},
		{text: "-1%", err: "must be from 0% to 100%"},
		{text: "100.1%", err: "must be from 0% to 100%"},
	} {
		got, err := parsePercent(test.text)
		if got != test.want || words(err) != test.err {
			t.Errorf("%q: %v, %v; want %v, %v", test.text, got, err, test.want, test.err)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"weight", "weight", 0}, {"wieght", "weight", 1}, {"wight", "weight", 1}, {"weights", "weight", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"größe", "grösse", 2}, {"a", "bcdef", 5},
	} {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := distance([]rune(pair[0]), []rune(pair[1]), 99); got != test.want {
				t.Errorf("%q to %q: %d, want %d", pair[0], pair[1], got, test.want)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"rate", "duration", "arrivals"}
	for word, want := range map[string]string{"rat": "rate", "duratoin": "duration", "colour": "", "r": "", "Rate": "rate"} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

// TestJSONKeepsValues compiles random JSON, which is also YAML, and decodes it again.
func TestJSONKeepsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := jsonValue(3).Draw(t, "value")
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var n yaml.Node
		if err := yaml.Unmarshal(want, &n); err != nil {
			t.Skip("not YAML") // yaml.v3 does not read some escapes of JSON
		}
		r := &reader{src: newSource("x.yaml", string(want))}
		got, literal := Template{Parts: r.jsonParts(nil, n.Content[0], arrivalScope("x"))}.Literal()
		if len(r.problems) > 0 || !literal {
			t.Fatalf("%s: %v", want, r.problems)
		}
		if diff := cmp.Diff(decoded(t, string(want)), decoded(t, got)); diff != "" {
			t.Fatalf("%s became %s: %s", want, got, diff)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(got)); err != nil || compact.String() != got {
			t.Fatalf("%s is not compact: %v", got, err)
		}
	})
}

// decoded decodes JSON with its numbers as written.
func decoded(t *rapid.T, text string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// jsonValue generates values without holes in their texts.
func jsonValue(depth int) *rapid.Generator[any] {
	plain := rapid.StringMatching(`[^$\x00-\x1f\x7f-\x{a0}\x{2028}\x{2029}\x{d800}-\x{dfff}\x{fdd0}-\x{ffff}]{0,12}`)
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), plain.AsAny(),
		rapid.Custom(func(t *rapid.T) any {
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,5})?`).Draw(t, "number"))
		}),
		rapid.SampledFrom([]string{"", "true", "null", "~", "1", "010", "0x1", ".inf", "yes", "2001-01-01", "a: b", "- a", "#", "\t\n\"\\", "é日🙂"}).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	child := jsonValue(depth - 1)
	return rapid.OneOf(append(leaves,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(child, 0, 4).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(plain, child, 0, 4).Draw(t, "map") }),
	)...)
}

// TestJSONKinds shows when a hole is a number and when it is text.
func TestJSONKinds(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{`a: ${seq}`, `{"a":<seq>}`},
		{`a: "${int(1,3)}"`, `{"a":<int>}`},
		{`a: !!str "${int(1,3)}"`, `{"a":"[int]"}`},
		{`a: x${seq}`, `{"a":"x[seq]"}`},
		{`a: ${seq}${seq}`, `{"a":"[seq][seq]"}`},
		{`a: ${uuid}`, `{"a":"[uuid]"}`},
		{`a: "10.00"`, `{"a":"10.00"}`},
		{`a: 10.00`, `{"a":10.00}`},
		{`a: 12345678901234567`, `{"a":12345678901234567}`},
		{`a: [yes, null, ~, , TRUE, 1e3, 2001-01-01]`, ``},
		{`a: [yes, null, ~, TRUE, 1e3, 2001-01-01]`, `{"a":["yes",null,null,true,1e3,"2001-01-01"]}`},
		{`a: "<&>\"\n$${x} $5 $"`, `{"a":"<&>\"\n${x} $5 $"}`},
		{`{ b: {}, a: [] }`, `{"b":{},"a":[]}`},
		{`a: ${env.HZ_LICENSEKEY}`, `{"a":"lic\"ence/1"}`},
		{`just text`, `"just text"`},
	} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(test.yaml), &n); err != nil {
			if test.want != "" {
				t.Errorf("%s: %v", test.yaml, err)
			}
			continue
		}
		r := &reader{src: newSource("x.yaml", test.yaml), env: environment, out: &Scenario{}}
		body := r.jsonBody(n.Content[0], arrivalScope("x"))
		var got strings.Builder
		for _, p := range body.Template.Parts {
			switch {
			case p.Call == nil:
				got.WriteString(p.Text)
			case p.Mode == JSONValue:
				got.WriteString("<" + p.Call.Name + ">")
			case p.Mode == JSONText:
				got.WriteString("[" + p.Call.Name + "]")
			}
		}
		if got.String() != test.want || len(r.problems) > 0 {
			t.Errorf("%s: %s, want %s\n%v", test.yaml, got.String(), test.want, r.problems)
		}
	}
}

func TestLiteral(t *testing.T) {
	if text, ok := (Template{Parts: []Part{{Text: "a"}, {Text: "b"}}}).Literal(); text != "ab" || !ok {
		t.Errorf("%q, %v", text, ok)
	}
	if text, ok := (Template{Parts: []Part{{Text: "a"}, {Call: &Call{Name: "seq"}}}}).Literal(); text != "" || ok {
		t.Errorf("%q, %v", text, ok)
	}
}

// TestMask hides secrets plain and as JSON and URLs write them, longest first.
func TestMask(t *testing.T) {
	s := &Scenario{Secrets: []string{"t0p", "t0p-s3cret", `lic"ence/1`}}
	for text, want := range map[string]string{
		"Bearer t0p-s3cret.":         "Bearer (masked).",
		`{"k":"lic\"ence/1"}`:        `{"k":"(masked)"}`,
		"/p?k=lic%22ence%2F1&x=":     "/p?k=(masked)&x=",
		`lic"ence/1 and t0p and top`: "(masked) and (masked) and top",
		"":                           "",
	} {
		if got := s.Mask(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := (&Scenario{}).Mask("as it is"); got != "as it is" {
		t.Errorf("without secrets: %q", got)
	}
}

// TestResolvedHidesSecrets demands that no secret of a whole scenario is in what is stored.
func TestResolvedHidesSecrets(t *testing.T) {
	s := parsed(t, whole)
	resolved := string(s.Resolved())
	for _, secret := range s.Secrets {
		if strings.Contains(resolved, secret) {
			t.Errorf("%q is shown", secret)
		}
	}
	if want := strings.Replace(whole, "in-the-file", "(masked)", 1); resolved != want {
		t.Error(cmp.Diff(want, resolved))
	}
}

// TestShortSecrets are not masked: hiding every short word would hide the text.
func TestShortSecrets(t *testing.T) {
	s := parsed(t, `perfctl: 1
services: { account: { url: http://localhost:8081, headers: { X-Api-Key: "${env.SHORT_KEY}" } } }
operations: { ping: { get: account:/ping } }
load: { rate: 50/s, duration: 1m }
`)
	if len(s.Secrets) != 0 {
		t.Errorf("secrets %q", s.Secrets)
	}
}

func TestLargeFile(t *testing.T) {
	_, problems := Parse("big.yaml", bytes.Repeat([]byte("#\n"), maxBytes/2+1), environment)
	if len(problems) != 1 || problems[0].Message != "the file is larger than 10 MB" {
		t.Errorf("problems %v", problems)
	}
}

// TestColour paints the place, the severity and the carets, and nothing else.
func TestColour(t *testing.T) {
	p := Problems{
		{File: "a.yaml", Pos: Pos{2, 3}, Width: 2, Message: "wrong", Hint: "try\nthis", Line: "x\tyz"},
		{File: "a.yaml", Pos: Pos{3, 1}, Width: 9, Severity: Warning, Message: "odd", Line: "\x1b[31m"},
	}
	var b strings.Builder
	if err := p.Write(&b, true); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[1ma.yaml:2:3:\x1b[0m \x1b[1;31merror:\x1b[0m wrong\n" +
		"    2 | x    yz\n" +
		"      |      \x1b[1;31m^^\x1b[0m\n" +
		"      = try\n" +
		"        this\n" +
		"\n" +
		"\x1b[1ma.yaml:3:1:\x1b[0m \x1b[1;33mwarning:\x1b[0m odd\n" +
		"    3 | \ufffd[31m\n" +
		"      | \x1b[1;33m^^^^^\x1b[0m\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if !p.Failed() || p[1:].Failed() || (Problems{}).Failed() {
		t.Error("a warning alone is no failure, an error is one")
	}
}

// A full writer.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestWriteFails(t *testing.T) {
	p := Problems{{File: "a", Pos: Pos{1, 1}}, {File: "a", Pos: Pos{1, 1}}}
	for room := range 3 {
		if err := p.Write(&full{room}, false); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("room for %d writes: %v", room, err)
		}
	}
}

// TestStoredScenarioReadsAgain stores a scenario with secrets, variables and a file, and
// reads it where none of them exist.
func TestStoredScenarioReadsAgain(t *testing.T) {
	const src = `perfctl: 1
target: { process: { programs: { shop: { command: [./shop], env: { API_KEY: 'a: b', PORT: "${env.PORT}" } } } } }
services: { account: { url: "${env.URL}", health: "${env.HEALTH}", headers: { Cookie: 'a: b' } } }
feeders: { rows: { file: rows.json } }
seed: [{ name: rows, count: 2, post: "account:/x/${row.id}", keep: $.id }]
operations: { ping: { get: "account:/ping/${pick(rows)}" } }
load: { rate: 50/s, duration: 1m }
`
	env := func(name string) (string, bool) {
		value, set := map[string]string{"PORT": "8081", "URL": "http://localhost:8081", "HEALTH": "/health"}[name]
		return value, set
	}
	open := func(string) ([]byte, error) { return []byte(`[{"id": 1}, {"id": 2}]`), nil }
	s, problems := parse("shop.yaml", []byte(src), env, open)
	if len(problems) > 0 {
		t.Fatalf("problems:\n%v", problems)
	}
	again, problems := ParseStored("shop.yaml", s.Resolved())
	if len(problems) > 0 {
		t.Fatalf("problems:\n%v", problems)
	}
	if diff := compare(s.Operations, again.Operations); diff != "" {
		t.Error(diff)
	}
	if got, want := again.Services[0].URL, "(masked)"; got != want {
		t.Errorf("url %q, want %q", got, want)
	}
	if bytes.Contains(s.Resolved(), []byte("a: b")) {
		t.Errorf("a secret is shown:\n%s", s.Resolved())
	}
	if _, problems := ParseStored("shop.yaml", []byte("perfctl: 1\n")); !problems.Failed() {
		t.Error("a stored text without operations was accepted")
	}
}
