package scenarios

import (
	"testing"
	"github.com/perfctl/perfctl/scenario"
)

func TestShippedScenariosParse(t *testing.T) {
	n, _ := names()
	for _, name := range n {
		src, _ := Read(name)
		_, p := scenario.Parse(name+".yaml", src, func(string) (string, bool) { return "", false })
		if len(p) > 0 {
			t.Errorf("%s", p)
		}
	}
}
