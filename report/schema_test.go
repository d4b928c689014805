package report_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/result"
)

// The types and docs/result-schema.md have to name the same fields, in the same order.
func TestSchemaDocumentNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../docs/result-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	fieldsOf(reflect.TypeFor[result.Result](), want)
	if diff := cmp.Diff(want, documented(string(text))); diff != "" {
		t.Errorf("docs/result-schema.md differs from package result (-types +document):\n%s", diff)
	}
	if !strings.Contains(string(text), "`"+result.Schema+"`") {
		t.Errorf("the document does not name the schema %s", result.Schema)
	}
}

func fieldsOf(typ reflect.Type, out map[string][]string) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fieldsOf(typ.Elem(), out)
		return
	case reflect.Struct:
	default:
		return
	}
	if typ == reflect.TypeFor[time.Time]() || out[typ.Name()] != nil {
		return
	}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		out[typ.Name()] = append(out[typ.Name()], name)
	}
	for i := range typ.NumField() {
		fieldsOf(typ.Field(i).Type, out)
	}
}

func documented(text string) map[string][]string {
	out := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|$")
	for _, part := range strings.Split(text, "\n## ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			out[name] = append(out[name], m[1])
		}
	}
	return out
}

// The oracle above must itself notice a missing row.
func TestDocumentedReadsRowsOnly(t *testing.T) {
	got := documented("# x\n\n## One\n\n| field | unit | absent | meaning |\n|---|---|---|---|\n| `a` | ms | never | x |\n| `b` | ms | never |\n\n## Two\ntext `c`\n")
	if diff := cmp.Diff(map[string][]string{"One": {"a"}}, got); diff != "" {
		t.Error(diff)
	}
}
