package stats_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/perfctl/perfctl/stats"
)

// The table of levels in docs/METHOD.md is that of the code.
func TestDocumentedLevels(t *testing.T) {
	text, err := os.ReadFile("../docs/METHOD.md")
	if err != nil {
		t.Fatal(err)
	}
	looks := stats.StandardLooks()
	row := func(name string, cell func(k int) string) {
		cells := []string{name}
		for k := range looks.Len() {
			cells = append(cells, cell(k))
		}
		if want := "\n| " + strings.Join(cells, " | ") + " |"; !strings.Contains(string(text), want) {
			t.Errorf("docs/METHOD.md has no row%s", want)
		}
	}
	decimals := func(level float64) string { return strings.TrimPrefix(fmt.Sprintf("%.5f", level), "0") }
	for _, m := range []int{1, 2, 3, 4, 5, 6, 8} {
		row(fmt.Sprintf("row %d", m), func(k int) string { return decimals(looks.Level(m, k)) })
	}
	row("equivalence", func(k int) string { return decimals(looks.Equivalence(k)) })
	const p = 1e-3
	row("price of a secondary p", func(k int) string { return fmt.Sprintf("x %.3g", looks.Secondary(k, p)/p) })
}
