package tier

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A Service is one endpoint that must become ready. Without a health path it is ready
// when its port accepts a connection.
type Service struct {
	Name   string
	URL    string // base, http://host:port
	Health string // path; may be empty
}

// Polls start fast and slow down, so that a quick start is seen at once and a slow one
// is not disturbed.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 250 * time.Millisecond
	onePoll   = 2 * time.Second // the longest that one health answer may take
)

// NotReady says which services were not ready in time, and what they last said.
type NotReady struct {
	After    time.Duration
	Services []Service
	Last     []string // in the order of Services
}

func (n *NotReady) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "not ready after %v:", n.After)
	for i, s := range n.Services {
		fmt.Fprintf(&b, "\n  service %s at %s%s: %s", s.Name, s.URL, s.Health, n.Last[i])
	}
	return b.String()
}

// WaitReady polls all services until all are ready at the same time: the first may have
// changed its mind while the last was waited for. When some are not within the time
// given, the error is a *NotReady; when ctx ends before, it is its cause.
func WaitReady(ctx context.Context, client *http.Client, services []Service, within time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timed, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		last := each(services, func(s Service) string { return poll(timed, client, s) })
		if late := notReady(services, last, within); late != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return late
		}
		again := each(services, func(s Service) string {
			if err := ask(timed, client, s); err != nil {
				return err.Error()
			}
			return ""
		})
		if notReady(services, again, within) == nil {
			return nil
		}
	}
}

// each does something for every service at once.
func each(services []Service, do func(Service) string) []string {
	out := make([]string, len(services))
	var wg sync.WaitGroup
	for i, s := range services {
		wg.Go(func() { out[i] = do(s) })
	}
	wg.Wait()
	return out
}

// notReady returns nil when nothing was last said of any service.
func notReady(services []Service, last []string, after time.Duration) *NotReady {
	n := &NotReady{After: after}
	for i, s := range services {
		if last[i] != "" {
			n.Services = append(n.Services, s)
			n.Last = append(n.Last, last[i])
		}
	}
	if len(n.Services) == 0 {
		return nil
	}
	return n
}

// poll asks one service until it is ready, and returns "", or until ctx ends, and
// returns what was last seen.
func poll(ctx context.Context, client *http.Client, s Service) string {
	last := "no answer yet"
	for wait := firstPoll; ; wait = min(lastPoll, wait*3/2) {
		err := ask(ctx, client, s)
		if err == nil {
			return ""
		}
		if ctx.Err() == nil || last == "no answer yet" {
			last = err.Error()
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(wait):
		}
	}
}

// ask asks once.
func ask(ctx context.Context, client *http.Client, s Service) error {
	ctx, cancel := context.WithTimeout(ctx, onePoll)
	defer cancel()
	if s.Health == "" {
		return connect(ctx, s.URL)
	}
	status, body, err := get(ctx, client, s.URL+s.Health)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("answered %d %s", status, short(body))
	}
	return nil
}

func connect(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return c.Close()
}

// maxAnswer is the most that is read of a health or probe answer.
const maxAnswer = 4 << 20

func get(ctx context.Context, client *http.Client, target string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return 0, nil, err
	}
	reply, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer reply.Body.Close()
	body, err = io.ReadAll(io.LimitReader(reply.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	}
	return reply.StatusCode, body, err
}

// short cuts an answer for a message.
func short(body []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "?")), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "..."
	}
	return text
}

// NewClient returns the client for health and probes: no proxy, no redirects and no kept
// connections, so that an answer is always that of the process that listens now.
func NewClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
