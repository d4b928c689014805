package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/perfctl/perfctl/report"
	"github.com/perfctl/perfctl/result"
)

// annotate repeats a result where GitHub Actions shows it: warnings beside the log, and
// the Markdown report on the job's page. A page that cannot be written changes no answer.
func (e *env) annotate(r *result.Result) {
	if e.actions {
		for _, w := range r.Warnings {
			fmt.Fprintf(e.err, "::warning title=perfctl %s::%s\n", w.Code, annotation(w.Seen+": "+w.Effect))
		}
	}
	if e.stepSummary == "" {
		return
	}
	f, err := os.OpenFile(e.stepSummary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		err = errors.Join(report.Markdown(f, r), f.Close())
	}
	if err != nil {
		fmt.Fprintf(e.err, "perfctl: GITHUB_STEP_SUMMARY: %v\n", err)
	}
}

// annotation escapes a text as a workflow command wants it.
func annotation(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}
