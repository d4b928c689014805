package scenario

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// declareServices notes the names of services, so that programs can refer to them.
func (r *reader) declareServices(n *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; r.service(key.Value) == nil {
			r.out.Services = append(r.out.Services, Service{Name: key.Value, Timeout: 10 * time.Second, Pos: r.pos(key)})
		}
	}
}

func (r *reader) service(name string) *Service {
	if i := slices.IndexFunc(r.out.Services, func(s Service) bool { return s.Name == name }); i >= 0 {
		return &r.out.Services[i]
	}
	return nil
}

func (r *reader) serviceNames() []string {
	var names []string
	for _, s := range r.out.Services {
		names = append(names, s.Name)
	}
	return names
}

func (r *reader) services(n *yaml.Node) {
	if n == nil {
		return
	}
	list := r.entries(n, "services")
	if n.Kind == yaml.MappingNode && len(list) == 0 {
		r.errorAt(n, "services is empty", "write NAME: http://host:port")
	}
	for _, e := range list {
		if s := r.service(r.name(e.key, "a service")); s != nil {
			r.readService(s, e.value)
		}
	}
}

func (r *reader) readService(s *Service, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		s.URL = r.baseURL(n)
		return
	}
	where := "services." + s.Name
	f := r.fields(n, "service", where, "url", "health", "metrics", "program", "headers", "timeout")
	if f["url"] == nil {
		r.require(n, where, "url", "url: http://host:port")
	} else {
		s.URL = r.baseURL(f["url"])
	}
	if f["health"] != nil {
		s.Health = r.servicePath(f["health"], "health")
	}
	if f["metrics"] != nil {
		s.Metrics = r.servicePath(f["metrics"], "metrics")
	}
	if f["timeout"] != nil {
		s.Timeout = r.duration(f["timeout"], "timeout", time.Millisecond)
	}
	if f["headers"] != nil {
		s.Headers = r.headers(f["headers"], arrivalScope(where))
	}
	if f["program"] != nil {
		s.Program = r.programOf(f["program"])
	}
}

// programOf reads the program that serves a service.
func (r *reader) programOf(n *yaml.Node) string {
	name, ok := r.text(n, "program")
	switch {
	case !ok:
		return ""
	case r.out.Target.Process == nil:
		r.errorAt(n, "program has no effect: perfctl does not start this target", "remove it, or write target: { process: { programs: ... } }")
	case r.program(name) == nil:
		r.errorAt(n, fmt.Sprintf("unknown program %q", name), knownWords("programs", name, r.programNames()))
	}
	return name
}

// fixedText reads text that may hold ${env.NAME} only.
func (r *reader) fixedText(n *yaml.Node, what string) (string, bool) {
	text, ok := r.text(n, what)
	if !ok {
		return "", false
	}
	before := len(r.problems)
	t := r.template(n, strings.Index(n.Value, text), text, &scope{when: atParse, owner: what})
	fixed, _ := t.Literal()
	return fixed, len(r.problems) == before
}

// servicePath reads the path of a health or metrics page.
func (r *reader) servicePath(n *yaml.Node, what string) string {
	path, ok := r.fixedText(n, what)
	if !ok {
		return ""
	}
	if r.stored {
		return path
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || badPath(path) != "" {
		r.errorAt(n, fmt.Sprintf("%s %q is not a path", what, path), "write "+what+": /path")
	}
	return path
}

// baseURL reads http://host:port. The port may be auto when perfctl starts the target.
func (r *reader) baseURL(n *yaml.Node) string {
	text, ok := r.fixedText(n, "url")
	if !ok {
		return ""
	}
	if r.stored {
		return text
	}
	fail := func(message, hint string) string {
		r.errorAt(n, message, hint)
		return ""
	}
	const example = "write http://host:port"
	base, auto := strings.CutSuffix(strings.TrimRight(text, "/"), ":auto")
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return fail("this is not a URL", example)
	case u.Scheme != "http" && u.Scheme != "https":
		return fail(fmt.Sprintf("the scheme %q is not supported", u.Scheme), example)
	case u.User != nil:
		return fail("a URL with a password would be shown in reports", "use headers: { Authorization: ${env.NAME} }")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return fail("a service's URL has no query or fragment", "put it in the paths of the operations")
	case auto && (u.Port() != "" || u.Path != ""):
		return fail("this is not a URL", "write http://127.0.0.1:auto")
	case auto && r.out.Target.Process == nil:
		return fail("the port auto needs a target that perfctl starts", "write the port, or target: { process: { programs: ... } }")
	}
	if port, err := strconv.Atoi(u.Port()); u.Port() != "" && (err != nil || port < 1 || port > 65535) {
		return fail(fmt.Sprintf("the port %s is not from 1 to 65535", u.Port()), example)
	}
	return strings.TrimRight(text, "/")
}
