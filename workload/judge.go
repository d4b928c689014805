package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/theory/jsonpath"

	"github.com/perfctl/perfctl/client"
	"github.com/perfctl/perfctl/load"
	"github.com/perfctl/perfctl/scenario"
)

// First poll and growth of the waits: fast at the start, then each a tenth longer,
// so that the resolution is at most a tenth of the time it states.
const (
	firstPoll  = 5 * time.Millisecond
	pollGrowth = 1.1
)

// A judge holds the compiled paths of one operation.
type judge struct {
	op    scenario.Operation
	saves []*jsonpath.Path
	until *jsonpath.Path
}

func newJudge(op scenario.Operation) (*judge, error) {
	j := &judge{op: op}
	for _, s := range op.Save {
		p, err := jsonpath.Parse(s.Path)
		if err != nil {
			return nil, fmt.Errorf("operation %s: save %s: %w", op.Name, s.Name, err)
		}
		j.saves = append(j.saves, p)
	}
	if op.Completion == nil {
		return j, nil
	}
	p, err := jsonpath.Parse(op.Completion.Until.Path)
	if err != nil {
		return nil, fmt.Errorf("completion %s: until: %w", op.Completion.Name, err)
	}
	j.until = p
	return j, nil
}

// Judge classes a reply: expected, a declared business error, or a failure of the system.
// A fault is no reply; package load classes those.
func (m *Mix) Judge(op int, r *client.Response) (load.Outcome, string) {
	j := m.judges[op]
	if expected(j.op.Expect, r.Status) {
		return load.OK, ""
	}
	codes := bodyCodes(r.Body)
	for _, f := range j.op.Functional {
		if f.Status == r.Status && (f.Code == "" || slices.Contains(codes, f.Code)) {
			return load.Functional, signature(r.Status, f.Code, codes)
		}
	}
	return load.System, "unexpected " + signature(r.Status, "", codes)
}

// signature is a short stable text: the status and the declared code, or the first one
// that the body names.
func signature(status int, code string, codes []string) string {
	if code == "" && len(codes) > 0 {
		code = codes[0]
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, code))
}

func expected(list []int, status int) bool {
	if len(list) == 0 {
		return status >= 200 && status < 300
	}
	return slices.Contains(list, status)
}

// longestCode keeps sentences out of the signatures: they vary, a code does not.
const longestCode = 64

// bodyCodes are the texts of "code" and "error" at the top of a JSON body.
func bodyCodes(body []byte) []string {
	var e struct {
		Code  any `json:"code"`
		Error any `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil {
		return nil
	}
	var codes []string
	for _, v := range []any{e.Code, e.Error} {
		if s, ok := v.(string); ok && s != "" && len(s) <= longestCode {
			codes = append(codes, s)
		}
	}
	return codes
}

// Follow extracts what the poll needs and describes the completion.
func (m *Mix) Follow(x load.Exchange, r *client.Response) (*load.Completion, error) {
	j := m.judges[x.Operation]
	c := j.op.Completion
	if r.Truncated {
		return nil, fmt.Errorf("operation %s: reply %d: %d bytes are more than perfctl keeps of a body", j.op.Name, r.Status, r.Bytes)
	}
	doc, err := decode(r.Body)
	if err != nil {
		return nil, fmt.Errorf("operation %s: reply %d: %w", j.op.Name, r.Status, err)
	}
	v := m.values(x.Index, stream(m.seed, purposePoll, x.Index))
	v.saved = map[string]string{}
	for i, p := range j.saves {
		s, err := one(p, doc)
		if err != nil {
			return nil, fmt.Errorf("operation %s: save %s: %s %w", j.op.Name, j.op.Save[i].Name, j.op.Save[i].Path, err)
		}
		v.saved[j.op.Save[i].Name] = s
	}
	poll, err := m.request(v, c.Poll)
	if err != nil {
		return nil, fmt.Errorf("completion %s: %w", c.Name, err)
	}
	return &load.Completion{
		Name: m.completion[x.Operation], Poll: poll, Judge: j.progress,
		First: firstPoll, Growth: pollGrowth, Every: c.Every, Timeout: c.Timeout,
	}, nil
}

// progress says what the reply to a poll shows. A 404 is a thing that this replica does not know.
func (j *judge) progress(r *client.Response) load.Progress {
	if r.Status == 404 {
		return load.Missing
	}
	if r.Status < 200 || r.Status > 299 {
		return load.PollError
	}
	doc, err := decode(r.Body)
	if err != nil {
		return load.PollError
	}
	state, err := one(j.until, doc)
	if err != nil || !slices.Contains(j.op.Completion.Until.In, state) {
		return load.Pending
	}
	if len(j.op.Completion.Success) == 0 || slices.Contains(j.op.Completion.Success, state) {
		return load.Succeeded
	}
	return load.Failed
}

// decode keeps numbers as text: a float64 would corrupt 64-bit ids.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body holds more than one JSON value")
	}
	return doc, nil
}

// one is the single scalar that a path selects, as text.
func one(p *jsonpath.Path, doc any) (string, error) {
	nodes := p.Select(doc)
	if len(nodes) != 1 {
		return "", fmt.Errorf("matched %d values, want 1", len(nodes))
	}
	switch v := nodes[0].(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", errors.New("matched a value that is not text, a number or true/false")
}
