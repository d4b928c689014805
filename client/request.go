package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// build turns a request into one that the transport sends at most once.
//
// net/http sends a request again, in silence, when a kept connection dies under it and
// the request "is replayable": its method is GET, HEAD, OPTIONS or TRACE, or it has an
// Idempotency-Key, and its body is absent. Then one arrival would reach the server
// twice. So such methods get a body that is present and empty, and the idempotency
// headers are spelled in a case that net/http does not look for (header names have no
// case on the wire).
func build(r *Request) (*http.Request, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		// The whole text is not repeated: it may hold a password.
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("request: the address cannot be read: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("request %s: the address must begin with http://host or https://host", u.Redacted())
	}
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	if !isToken(method) {
		return nil, fmt.Errorf("request %s: %q is not a method", u.Redacted(), method)
	}
	req := &http.Request{
		Method: method, URL: u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(r.Header)+1),
	}
	if u.User != nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	if err := setHeader(req, r.Header); err != nil {
		return nil, fmt.Errorf("request %s: %w", u.Redacted(), err)
	}
	setBody(req, r.Body)
	return req, nil
}

func setHeader(req *http.Request, fields []Header) error {
	req.Header["User-Agent"] = []string{"perfctl"}
	for _, h := range fields {
		if !isToken(h.Name) || strings.ContainsAny(h.Value, "\r\n\x00") {
			return fmt.Errorf("header %q cannot be sent: it holds characters that HTTP forbids", h.Name)
		}
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		switch name {
		case "Host":
			req.Host = h.Value
		case "User-Agent", "Authorization":
			req.Header[name] = []string{h.Value}
		case "Idempotency-Key", "X-Idempotency-Key":
			req.Header[strings.ToLower(name)] = []string{h.Value}
		case "Connection":
			req.Close = req.Close || strings.EqualFold(h.Value, "close")
		case "Content-Length", "Transfer-Encoding", "Trailer":
			// The body decides these.
		default:
			req.Header[name] = append(req.Header[name], h.Value)
		}
	}
	return nil
}

func setBody(req *http.Request, body []byte) {
	if len(body) > 0 {
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.ContentLength = int64(len(body))
		return
	}
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		req.Body = io.NopCloser(bytes.NewReader(nil))
		req.ContentLength = -1
		req.TransferEncoding = []string{"identity"} // the empty body is not announced
	}
}

// isToken tells whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || '9' < c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
