package tier

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/theory/jsonpath"

	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
)

// Select returns the one value at a JSONPath of a JSON text, as text: a string without
// its quotes, a number as it was written, true, false or null, anything else as compact
// JSON. No value and several values are errors: neither is an observation.
func Select(body []byte, path string) (string, error) {
	p, err := jsonpath.Parse(path)
	if err != nil {
		return "", fmt.Errorf("%s is no JSONPath: %w", path, err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // a float64 would change large numbers
	var doc any
	if err := d.Decode(&doc); err != nil {
		return "", fmt.Errorf("the answer is no JSON: %w: %s", err, short(body))
	}
	if _, err := d.Token(); err != io.EOF {
		return "", fmt.Errorf("the answer is more than one JSON value: %s", short(body))
	}
	nodes := p.Select(doc)
	if len(nodes) != 1 {
		return "", fmt.Errorf("%s selects %d values, want 1, of %s", path, len(nodes), short(body))
	}
	switch v := nodes[0].(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(nodes[0]); err != nil {
		return "", err
	}
	return string(bytes.TrimSpace(b.Bytes())), nil
}

// A spot is where a probe looks.
type spot struct{ service, get, path string }

// Proof says how a spot was looked at.
func (s spot) proof() string { return fmt.Sprintf("GET %s:%s %s", s.service, s.get, s.path) }

// A reading is what was seen at a spot.
type reading struct {
	value string
	err   error
}

// Probe looks at the live system wherever a variant of the scenario does, and returns
// the values seen and, of those that variant asks for, what it asks and what it did not
// get. Values that only other variants ask for are observed too; one that cannot be read
// is listed without a value and with the reason.
func Probe(ctx context.Context, client *http.Client, base map[string]string, sc *scenario.Scenario, variant *scenario.Variant) (asked, observed []rundir.Setting, missed []Difference) {
	seen := read(ctx, client, base, sc)
	for _, p := range variant.Verify {
		at := spot{p.Service, p.GetPath, p.Path}
		asked = append(asked, rundir.Setting{Where: p.Service, Name: p.Path, Value: sc.Mask(p.Equals)})
		got := seen[at]
		if got.err == nil && got.value == p.Equals {
			continue
		}
		d := Difference{Where: p.Service, Name: p.Path, Asked: sc.Mask(p.Equals), Observed: sc.Mask(got.value), Proof: at.proof()}
		if got.err != nil {
			d.Proof += ": " + sc.Mask(got.err.Error())
		}
		missed = append(missed, d)
	}
	for _, at := range spots(sc) {
		got := seen[at]
		s := rundir.Setting{Where: at.service, Name: at.path, Value: sc.Mask(got.value), Proof: at.proof()}
		if got.err != nil {
			s.Proof += ": not observed: " + sc.Mask(got.err.Error())
		}
		observed = append(observed, s)
	}
	return asked, observed, missed
}

// spots lists where any variant looks, each once, in the order of the scenario.
func spots(sc *scenario.Scenario) []spot {
	var list []spot
	known := map[spot]bool{}
	for _, v := range sc.Variants {
		for _, p := range v.Verify {
			at := spot{p.Service, p.GetPath, p.Path}
			if !known[at] {
				known[at] = true
				list = append(list, at)
			}
		}
	}
	return list
}

// read gets each document once and looks at every spot in it.
func read(ctx context.Context, client *http.Client, base map[string]string, sc *scenario.Scenario) map[spot]reading {
	type document struct {
		body []byte
		err  error
	}
	documents := map[string]document{}
	seen := map[spot]reading{}
	for _, at := range spots(sc) {
		target := base[at.service] + at.get
		doc, ok := documents[target]
		if !ok {
			doc.body, doc.err = answer(ctx, client, target)
			documents[target] = doc
		}
		got := reading{err: doc.err}
		if doc.err == nil {
			got.value, got.err = Select(doc.body, at.path)
		}
		seen[at] = got
	}
	return seen
}

// answer is a document of the live system, whose status must be 200.
func answer(ctx context.Context, client *http.Client, target string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*onePoll)
	defer cancel()
	status, body, err := get(ctx, client, target)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("answered %d %s", status, short(body))
	}
	return body, nil
}
