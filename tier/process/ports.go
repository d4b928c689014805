package process

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/tier"
)

// A service is where one service of the scenario listens.
type service struct {
	tier.Service
	host, port string
	local      bool // on a loopback address, so its port must be free before and after
}

func (s service) address() string { return net.JoinHostPort(s.host, s.port) }

// locate gives every service its address; a port "auto" is chosen here.
func locate(declared []scenario.Service) ([]service, error) {
	var list []service
	var problems []error
	taken := map[string]string{}
	for _, d := range declared {
		s, err := parseService(d)
		if err == nil && s.port == "auto" {
			s.port, err = choosePort(s.host, taken)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("service %s: %w", d.Name, err))
			continue
		}
		if other, twice := taken[s.port]; twice && s.local {
			problems = append(problems, fmt.Errorf("service %s: port %s is that of service %s", d.Name, s.port, other))
			continue
		}
		if s.local {
			taken[s.port] = d.Name
		}
		s.Service = tier.Service{Name: d.Name, URL: s.base(d.URL), Health: d.Health}
		list = append(list, s)
	}
	return list, errors.Join(problems...)
}

// parseService splits http://host:port; url.Parse would refuse the port "auto".
func parseService(d scenario.Service) (service, error) {
	scheme, rest, ok := strings.Cut(d.URL, "://")
	rest, _, _ = strings.Cut(rest, "/")
	if !ok || rest == "" {
		return service{}, fmt.Errorf("%q is not http://host:port", d.URL)
	}
	var s service
	var err error
	if s.host, s.port, err = net.SplitHostPort(rest); err != nil {
		u, err := url.Parse(d.URL)
		if err != nil || u.Port() != "" || u.Hostname() == "" {
			return service{}, fmt.Errorf("%q is not http://host:port", d.URL)
		}
		s.host, s.port = u.Hostname(), map[string]string{"http": "80", "https": "443"}[scheme]
	}
	s.local = isLoopback(s.host)
	if s.port == "auto" && !s.local {
		return service{}, fmt.Errorf("port auto is for this machine only, not for %s: write http://127.0.0.1:auto", s.host)
	}
	return s, nil
}

// base writes the URL with the port that was chosen.
func (s service) base(declared string) string {
	return strings.TrimRight(strings.Replace(declared, ":auto", ":"+s.port, 1), "/")
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// choosePort returns a free port of host outside the range of outgoing connections.
func choosePort(host string, taken map[string]string) (string, error) {
	const span = 8000
	end := firstOutgoing()
	for range 200 {
		port := strconv.Itoa(end - span + rand.IntN(span))
		if taken[port] != "" {
			continue
		}
		if free(net.JoinHostPort(host, port)) == nil {
			return port, nil
		}
	}
	return "", fmt.Errorf("no free port found from %d to %d on %s", end-span, end-1, host)
}

// firstOutgoing is the first port that the kernel gives to outgoing connections. A
// machine that gives nearly all of them leaves no better choice than the usual range.
func firstOutgoing() int {
	const usual = 32768
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return usual
	}
	var first int
	if _, err := fmt.Sscan(string(text), &first); err != nil || first < 10000 {
		return usual
	}
	return min(first, 65536)
}

// free tells, by an error, that a port cannot be listened on.
func free(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}
