package scenarios_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/perfctl/perfctl/scenario"
)

// The README's scenario is the first one that people copy.
func TestReadmeScenarioIsWhole(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Fatal("README.md holds no scenario")
	}
	for _, b := range blocks {
		if _, problems := scenario.Parse("README.md", b[1], os.LookupEnv); len(problems) > 0 {
			t.Errorf("%v", problems)
		}
	}
}
