package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
)

// WriteReports renders the result into the run directory.
func WriteReports(dir *rundir.Dir, r *result.Result) error {
	var errs []error
	for _, f := range []struct {
		name   string
		render func(io.Writer, *result.Result) error
	}{
		{"result.json", report.JSON},
		{"report.md", report.Markdown},
		{"report.html", report.HTML},
		{"junit.xml", report.JUnit},
	} {
		var b bytes.Buffer
		if err := f.render(&b, r); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
			continue
		}
		errs = append(errs, dir.WriteFile(f.name, b.Bytes()))
	}
	return errors.Join(errs...)
}
