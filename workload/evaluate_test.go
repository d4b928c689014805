package workload

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"testing"

	"pgregory.net/rapid"

	"github.com/perfctl/perfctl/scenario"
)

// TestEscapes holds for any text: JSON and addresses give it back.
func TestEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		x := value{text: text}
		for _, body := range []string{
			`{"v":"` + string(appendAs(nil, x, scenario.JSONText)) + `"}`,
			`{"v":` + string(appendAs(nil, x, scenario.JSONValue)) + `}`,
		} {
			var got struct{ V string }
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.V != text {
				t.Fatalf("%s decodes to %q, %v; want %q", body, got.V, err, text)
			}
		}
		u, err := url.Parse(string(appendAs([]byte("http://h/a/"), x, scenario.PathSegment)) + "/end")
		if err != nil || u.Path != "/a/"+text+"/end" {
			t.Fatalf("path %q, %v; want %q", u.Path, err, text)
		}
		u, err = url.Parse(string(appendAs([]byte("http://h/a?q="), x, scenario.PathSegment)) + "&z=1")
		if err != nil || u.Query().Get("q") != text || u.Query().Get("z") != "1" {
			t.Fatalf("query %v, %v; want %q", u.RawQuery, err, text)
		}
		if got := string(appendAs(nil, x, scenario.Raw)); got != text {
			t.Fatalf("raw %q", got)
		}
	})
}

// TestRow shows a field of a row in each place where it may stand.
func TestRow(t *testing.T) {
	row := &scenario.Row{Fields: map[string]string{"name": `"A \"B\" ü"`, "big": "9007199254740993", "tags": `["x",1]`}}
	v := &values{row: row}
	for _, c := range []struct {
		field string
		mode  scenario.Mode
		want  string
	}{
		{"name", scenario.Raw, `A "B" ü`},
		{"name", scenario.JSONText, `A \"B\" ü`},
		{"name", scenario.JSONValue, `"A \"B\" ü"`},
		{"name", scenario.PathSegment, `A%20%22B%22%20%C3%BC`},
		{"big", scenario.JSONValue, "9007199254740993"},
		{"big", scenario.JSONText, "9007199254740993"},
		{"tags", scenario.JSONValue, `["x",1]`},
		{"tags", scenario.JSONText, `[\"x\",1]`},
	} {
		got, err := v.render(nil, scenario.Template{Parts: []scenario.Part{{Mode: c.mode,
			Call: &scenario.Call{Name: "row", Args: []scenario.Arg{{Text: c.field}}}}}})
		if err != nil || string(got) != c.want {
			t.Errorf("row.%s, mode %d: %s, %v; want %s", c.field, c.mode, got, err, c.want)
		}
	}
}

// TestRefusals names what cannot be rendered.
func TestRefusals(t *testing.T) {
	empty := func() *values { return &values{rand: rand.New(rand.NewPCG(1, 2))} }
	for _, c := range []struct {
		v    *values
		call scenario.Call
		want string
	}{
		{empty(), scenario.Call{Name: "pick", Args: []scenario.Arg{{Text: "f"}}}, `${pick(f)}: "f" has no rows`},
		{empty(), scenario.Call{Name: "row", Args: []scenario.Arg{{Text: "x"}}}, "${row.x} has no row here"},
		{&values{row: &scenario.Row{}}, scenario.Call{Name: "row", Args: []scenario.Arg{{Text: "x"}}}, "${row.x}: the row has no such field"},
		{empty(), scenario.Call{Name: "saved", Args: []scenario.Arg{{Text: "id"}}}, "${id} was not saved by the reply"},
		{empty(), scenario.Call{Name: "addr"}, "${addr} has no value here"},
	} {
		if _, err := c.v.call(&c.call); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.call.Name, err, c.want)
		}
	}
}
