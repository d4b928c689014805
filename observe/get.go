package observe

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/common/expfmt"
)

// accept asks for the classic text, the one format that parseText reads.
const accept = "text/plain;version=0.0.4"

// maxBody is the most that one scrape may be; a larger one fails as a whole.
const maxBody = 64 << 20

// newClient returns a client that asks for plain text: compressing it would cost the
// system under test CPU time that is measured.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true}}
}

// get returns the text of one scrape, whole or not at all.
func (s *Scraper) get(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", accept)
	reply, err := s.client.Do(req)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET %s answered %s", url, reply.Status)
	}
	if err := classic(reply.Header); err != nil {
		return "", fmt.Errorf("GET %s: %w", url, err)
	}
	body, err := io.ReadAll(io.LimitReader(reply.Body, s.most+1))
	if err != nil {
		return "", fmt.Errorf("GET %s: %w", url, err)
	}
	if int64(len(body)) > s.most {
		return "", fmt.Errorf("GET %s answered more than %d bytes", url, s.most)
	}
	return string(body), nil
}

// classic refuses what calls itself anything but Prometheus text 0.0.4. Read line by line,
// a page of HTML or protobuf would be a scrape that worked and had no samples. An answer
// without a type is taken for what was asked for.
func classic(h http.Header) error {
	is := h.Get("Content-Type")
	if is == "" || expfmt.ResponseFormat(h) == expfmt.FmtText {
		return nil
	}
	return fmt.Errorf("the answer is %.100q, only Prometheus text is read: let the service answer %q, as it was asked to", is, accept)
}
