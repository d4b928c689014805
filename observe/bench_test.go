package observe

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParseText reads a page of 1,000 series, half of them histogram buckets: what
// one scrape of one service costs the generator.
func BenchmarkParseText(b *testing.B) {
	var page strings.Builder
	page.WriteString("# HELP requests_total Requests by path and status.\n# TYPE requests_total counter\n")
	for i := range 500 {
		fmt.Fprintf(&page, "requests_total{method=\"POST\",path=\"/api/orders/%d\",status=\"200\"} %d\n", i, i*1000)
	}
	page.WriteString("# HELP lag_seconds Response time.\n# TYPE lag_seconds histogram\n")
	for i := range 50 {
		for _, le := range []string{"0.001", "0.01", "0.1", "0.5", "1.0", "5.0", "10.0", "+Inf"} {
			fmt.Fprintf(&page, "lag_seconds_bucket{path=\"/%d\",le=\"%s\"} %d\n", i, le, i)
		}
		fmt.Fprintf(&page, "lag_seconds_sum{path=\"/%d\"} 0.25\nlag_seconds_count{path=\"/%d\"} %d\n", i, i, i)
	}
	text := page.String()
	if e := parseText(text); len(e.samples) != 1000 || e.bad != 0 {
		b.Fatalf("%d samples and %d bad lines (%s)", len(e.samples), e.bad, e.worst)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		parseText(text)
	}
}
