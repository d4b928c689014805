package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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

// Judge classes a reply: a fault, a declared business error, an expected status, or
// a failure of the system.
func (m *Mix) Judge(op int, r *client.Response) (load.Outcome, string) {
	switch r.Fault {
	case client.NoFault:
	case client.Timeout:
		return load.Timeout, "timeout"
	case client.Generator:
		return load.Client, "generator: " + faultText(r.Err)
	case client.Cancelled:
		return load.Client, "cancelled"
	case client.Refused:
		return load.System, "connection refused"
	case client.Reset:
		return load.System, "connection reset"
	case client.Malformed:
		return load.System, "malformed reply"
	default:
		return load.System, "unreachable"
	}
	return m.judges[op].status(r)
}

func (j *judge) status(r *client.Response) (load.Outcome, string) {
	if expected(j.op.Expect, r.Status) {
		return load.OK, ""
	}
	code := ""
	if r.Status >= 400 {
		code = bodyCode(r.Body)
	}
	for _, f := range j.op.Functional {
		if f.Status == r.Status && (f.Code == "" || f.Code == code) {
			return load.Functional, strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, code))
		}
	}
	return load.System, strings.TrimSpace(fmt.Sprintf("unexpected %d %s", r.Status, code))
}

func expected(list []int, status int) bool {
	if len(list) == 0 {
		return status >= 200 && status < 300
	}
	return slices.Contains(list, status)
}

// bodyCode is the text of "code" or "error" at the top of a JSON body.
func bodyCode(body []byte) string {
	var e struct {
		Code  any `json:"code"`
		Error any `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	for _, v := range []any{e.Code, e.Error} {
		if s, ok := v.(string); ok && s != "" && len(s) <= 64 {
			return s
		}
	}
	return ""
}

func faultText(err error) string {
	if err == nil {
		return "no resources"
	}
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(err) {
		err = e
	}
	return err.Error()
}

// Follow extracts what the poll needs and describes the completion.
func (m *Mix) Follow(x load.Exchange, r *client.Response) (*load.Completion, error) {
	j := m.judges[x.Operation]
	c := j.op.Completion
	doc, err := decode(r.Body)
	if err != nil {
		return nil, fmt.Errorf("operation %s: reply %d: %w", j.op.Name, r.Status, err)
	}
	v := m.values(x.Index, nil)
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

// progress says what one poll saw. A 404 is a thing that this replica does not know.
func (j *judge) progress(r *client.Response) load.Progress {
	if r.Fault != client.NoFault {
		return load.PollError
	}
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
		return fmt.Sprint(v), nil
	}
	return "", errors.New("matched a value that is not text, a number or true/false")
}
