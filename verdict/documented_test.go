package verdict

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every warning code has its row in the table of docs/METHOD.md.
func TestWarningsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/METHOD.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "warning.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		code, err := strconv.Unquote(lit.Value)
		if err != nil || !regexp.MustCompile(`^[A-Z]{4,}$`).MatchString(code) {
			return true
		}
		codes++
		if !strings.Contains(string(doc), "\n| `"+code+"` |") {
			t.Errorf("%s has no row in docs/METHOD.md", code)
		}
		return true
	})
	if codes < 20 {
		t.Errorf("found %d codes in warning.go, want all of them", codes)
	}
}
