package orderflow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// CheckHealth returns nil when the service at a base URL, or at the URL of its health endpoint, answers
// that it is up.
func CheckHealth(ctx context.Context, url string) error {
	if !strings.HasSuffix(url, "/actuator/health") {
		url = strings.TrimSuffix(url, "/") + "/actuator/health"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("health of %s: %w; use a url such as http://127.0.0.1:8083", url, err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return fmt.Errorf("health of %s: %w; is it started?", url, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return fmt.Errorf("health of %s: %w", url, err)
	}
	var health struct{ Status string }
	if json.Unmarshal(body, &health) != nil || response.StatusCode != http.StatusOK || health.Status != "UP" {
		return fmt.Errorf("health of %s: %s, status %q; wait until it is up or read its log", url, response.Status, health.Status)
	}
	return nil
}
