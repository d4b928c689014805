package report_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/perfctl/perfctl/report"
)

func TestRenderTemp(t *testing.T) {
	dir := os.Getenv("RENDER")
	if dir == "" {
		t.Skip()
	}
	for _, f := range fixtures {
		var b bytes.Buffer
		if err := report.HTML(&b, f.build()); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(dir+"/"+f.name+".html", b.Bytes(), 0o644)
	}
}
