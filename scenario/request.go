package scenario

import (
	"fmt"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// methodKeys are the keys of an operation or seed that give its method and path.
func methodKeys() []string { return []string{"get", "post", "put", "patch", "delete"} }

// requestKeys are the keys that make up a request.
func requestKeys() []string { return append(methodKeys(), "headers", "json", "body") }

// request reads the request of an operation or seed from its keys.
func (r *reader) request(n *yaml.Node, f fields, s *scope) Request {
	var given []string
	for _, m := range methodKeys() {
		if f[m] != nil {
			given = append(given, m)
		}
	}
	if len(given) == 0 {
		r.require(n, s.owner, "request", "get, post, put, patch or delete: SERVICE:/path")
		return Request{Pos: r.pos(n)}
	}
	if len(given) > 1 {
		r.errorAt(f[given[1]], fmt.Sprintf("%s has both %s and %s", s.owner, given[0], given[1]), "one operation sends one request; make two operations")
	}
	method := given[0]
	q := Request{Method: strings.ToUpper(method), Pos: r.pos(f[method])}
	if text, ok := r.text(f[method], method); ok {
		q.Service, q.Path = r.address(f[method], strings.Index(f[method].Value, text), text, s)
	}
	if f["headers"] != nil {
		q.Headers = r.headers(f["headers"], s)
	}
	q.Body = r.body(f, method, s)
	if q.Body != nil {
		q.Headers = r.contentType(q)
	}
	return q
}

// body reads json: or body:.
func (r *reader) body(f fields, method string, s *scope) *Body {
	for _, key := range []string{"json", "body"} {
		if f[key] != nil && (method == "get" || method == "delete") {
			r.errorAt(f[key], fmt.Sprintf("a %s request has no body", method), "")
			return nil
		}
	}
	switch {
	case f["json"] != nil && f["body"] != nil:
		r.errorAt(f["body"], s.owner+" has both json and body", "remove one")
		return nil
	case f["json"] != nil:
		return r.jsonBody(f["json"], s)
	case f["body"] == nil:
		return nil
	case f["body"].Kind != yaml.ScalarNode:
		r.errorAt(f["body"], "body must be text", "use json: for a map or list")
		return nil
	}
	return &Body{ContentType: "text/plain; charset=utf-8", Template: r.template(f["body"], 0, f["body"].Value, s.with(Raw))}
}

// contentType moves a declared Content-Type from the headers to the body.
func (r *reader) contentType(q Request) []HeaderTemplate {
	for i, h := range q.Headers {
		if !strings.EqualFold(h.Name, "Content-Type") {
			continue
		}
		text, literal := h.Value.Literal()
		if !literal {
			r.errorOver(h.Value.Pos, 1, "Content-Type cannot change from arrival to arrival", "")
		}
		q.Body.ContentType = text
		return slices.Delete(q.Headers, i, i+1)
	}
	return q.Headers
}

// address reads "SERVICE:/path", the text at offset off of a scalar's value.
func (r *reader) address(n *yaml.Node, off int, text string, s *scope) (service string, path Template) {
	service, route, found := strings.Cut(text, ":")
	if !found || !strings.HasPrefix(route, "/") || strings.HasPrefix(route, "//") {
		r.errorIn(n, off, off+len(text), fmt.Sprintf("%q is not SERVICE:/path", text), knownWords("services", service, r.serviceNames()))
		return "", Template{}
	}
	if r.service(service) == nil {
		r.errorIn(n, off, off+len(service), fmt.Sprintf("unknown service %q", service), knownWords("services", service, r.serviceNames()))
	}
	off += len(service) + 1
	path = r.template(n, off, route, s.with(PathSegment))
	var sample strings.Builder
	for _, p := range path.Parts {
		if p.Call != nil {
			sample.WriteString("x")
		}
		sample.WriteString(p.Text)
	}
	if why := badPath(sample.String()); why != "" {
		r.errorIn(n, off, off+len(route), fmt.Sprintf("the path %s", why), "escape characters as %20, or write ${...} which escapes by itself")
	}
	return service, path
}

// badPath says what is wrong with a path and query, or nothing.
func badPath(path string) string {
	if strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '#' }) {
		return "has a blank, a control character or a #"
	}
	if _, err := url.ParseRequestURI(path); err != nil {
		return "is not a URL path"
	}
	return ""
}

// headers reads NAME: value lines.
func (r *reader) headers(n *yaml.Node, s *scope) []HeaderTemplate {
	var list []HeaderTemplate
	for _, e := range r.entries(n, "headers") {
		name := e.key.Value
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		known := slices.ContainsFunc(list, func(h HeaderTemplate) bool { return strings.EqualFold(h.Name, name) })
		switch {
		case !isToken(name):
			r.errorAt(e.key, fmt.Sprintf("%q is not a header name", name), "letters, digits and - only")
			continue
		case known:
			r.errorAt(e.key, fmt.Sprintf("the header %s is here twice", canonical), "")
			continue
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection", "Host"}, canonical):
			r.errorAt(e.key, fmt.Sprintf("the header %s is set by the client", canonical), "remove it")
			continue
		}
		text, ok := r.text(e.value, "the header "+name)
		if !ok {
			continue
		}
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			r.errorAt(e.value, "a header cannot have control characters or several lines", "")
			continue
		}
		value := r.template(e.value, strings.Index(e.value.Value, text), text, s.with(Raw))
		if isSecretHeader(canonical) {
			r.secretParts(value)
		}
		list = append(list, HeaderTemplate{Name: name, Value: value})
	}
	return list
}

// isToken is the grammar of header names, RFC 9110 section 5.6.2.
func isToken(name string) bool {
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
			return false
		}
	}
	return name != ""
}

// statuses reads one HTTP status or a list of them.
func (r *reader) statuses(n *yaml.Node, what string) []int {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
		if len(list) == 0 {
			r.errorAt(n, what+" is empty", "remove it to accept 200 to 299")
		}
	}
	var codes []int
	for _, item := range list {
		code, ok := r.status(item, what)
		if ok && slices.Contains(codes, code) {
			r.errorAt(item, fmt.Sprintf("%d is in %s twice", code, what), "")
		} else if ok {
			codes = append(codes, code)
		}
	}
	return codes
}

// status reads one HTTP status.
func (r *reader) status(n *yaml.Node, what string) (int, bool) {
	text, ok := r.text(n, what)
	if !ok {
		return 0, false
	}
	code := 0
	for _, c := range text {
		if c < '0' || c > '9' || len(text) != 3 {
			code = 0
			break
		}
		code = 10*code + int(c-'0')
	}
	if code < 100 || code > 599 {
		r.errorAt(n, fmt.Sprintf("%q in %s is not an HTTP status", text, what), "write a number from 100 to 599, as 200 or [200, 201]")
		return 0, false
	}
	return code, true
}
