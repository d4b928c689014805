package result

import (
	"reflect"
	"strings"
	"testing"
)

// Fields without a tag, or two with the same one, would vanish from the document in silence.
func TestEveryFieldHasANameOfItsOwn(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ.PkgPath() != reflect.TypeFor[Result]().PkgPath() || seen[typ] {
			return
		}
		seen[typ] = true
		names := map[string]bool{}
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" || names[name] {
				t.Errorf("%s.%s is named %q in JSON", typ.Name(), f.Name, name)
			}
			names[name] = true
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Result]())
	if len(seen) < 20 {
		t.Errorf("saw %d types, want all of the document's", len(seen))
	}
}
