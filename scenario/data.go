package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A dataset is what pick and next may name.
type dataset struct {
	name, kind string
	rows       int      // of a feeder
	fields     []string // that every row has
}

// feeders reads named rows of values.
func (r *reader) feeders(n *yaml.Node) {
	if n == nil {
		return
	}
	for _, e := range r.entries(n, "feeders") {
		where := "feeders." + r.name(e.key, "a feeder")
		f := r.fields(e.value, "feeder", where, "list", "file", "order")
		feeder := Feeder{Name: e.key.Value, Order: "random", Pos: r.pos(e.key)}
		if f["order"] != nil {
			if f["order"].Value == "unique" {
				r.errorAt(f["order"], "order: unique is not supported by this version", "write order: sequential")
			} else if order := r.oneOf(f["order"], "order", "random", "sequential"); order != "" {
				feeder.Order = order
			}
		}
		switch {
		case f["list"] != nil && f["file"] != nil:
			r.errorAt(f["file"], where+" has both list and file", "remove one")
		case f["list"] != nil:
			feeder.Rows = r.listRows(f["list"])
		case f["file"] != nil:
			feeder.Rows = r.fileRows(f["file"])
		case e.value.Kind == yaml.MappingNode:
			r.require(e.value, where, "rows", "list: [a, b] or file: rows.json")
		}
		r.out.Feeders = append(r.out.Feeders, feeder)
		r.data = append(r.data, dataset{name: feeder.Name, kind: "feeder", rows: len(feeder.Rows), fields: commonFields(feeder.Rows)})
	}
}

// commonFields returns the fields that every row has, sorted.
func commonFields(rows []Row) []string {
	if len(rows) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(rows[0].Fields))
	for _, row := range rows[1:] {
		names = slices.DeleteFunc(names, func(name string) bool { _, has := row.Fields[name]; return !has })
	}
	return names
}

// listRows reads the rows of an inline list.
func (r *reader) listRows(n *yaml.Node) []Row {
	items := r.items(n, "list", "list: [a, b]")
	if n.Kind == yaml.SequenceNode && len(items) == 0 {
		r.errorAt(n, "list is empty", "")
	}
	var rows []Row
	for _, item := range items {
		if item.Kind == yaml.ScalarNode && item.Tag != "!!null" {
			rows = append(rows, Row{Value: item.Value})
			continue
		}
		before := len(r.problems)
		value, _ := Template{Parts: r.jsonParts(nil, item, &scope{when: atParse, owner: "a row"})}.Literal()
		if len(r.problems) > before {
			continue
		}
		row, err := jsonRow([]byte(value))
		if err != nil {
			r.errorAt(item, err.Error(), "a row is a text, a number or a map of fields")
			continue
		}
		rows = append(rows, row)
	}
	return rows
}

// fileRows reads the rows of a JSON file that holds an array.
func (r *reader) fileRows(n *yaml.Node) []Row {
	name, ok := r.text(n, "file")
	if !ok {
		return nil
	}
	fail := func(message, hint string) []Row {
		r.errorAt(n, message, hint)
		return nil
	}
	if !strings.HasSuffix(name, ".json") {
		return fail(fmt.Sprintf("the file %q is not supported by this version", name), "write a JSON file of one array: rows.json")
	}
	if r.stored {
		return nil
	}
	text, err := r.open(name)
	if err != nil {
		return fail(fmt.Sprintf("the file %q cannot be read", name), err.Error())
	}
	var items []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&items); err != nil {
		return fail(fmt.Sprintf("the file %q is not a JSON array", name), err.Error())
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fail(fmt.Sprintf("the file %q goes on after its array", name), "")
	}
	if len(items) == 0 {
		return fail(fmt.Sprintf("the file %q has no rows", name), "")
	}
	var rows []Row
	for i, item := range items {
		row, err := jsonRow(item)
		if err != nil {
			return fail(fmt.Sprintf("row %d of the file %q: %v", i+1, name, err), "a row is a text, a number or a map of fields")
		}
		rows = append(rows, row)
	}
	return rows
}

// jsonRow makes a row of a JSON value: text without its quotes, anything else as written.
func jsonRow(value []byte) (Row, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return Row{}, err
	}
	row := Row{Value: compact.String()}
	switch row.Value[0] {
	case '"':
		return row, json.Unmarshal(value, &row.Value)
	case '[':
		return Row{}, errors.New("a row cannot be a list")
	case 'n':
		return Row{}, errors.New("a row cannot be null")
	case '{':
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(compact.Bytes(), &raw); err != nil {
			return Row{}, err
		}
		row.Fields = map[string]string{}
		for name, field := range raw {
			row.Fields[name] = string(field)
		}
	}
	return row, nil
}

// seeds reads the data that is created through the system's own API.
func (r *reader) seeds(n *yaml.Node) {
	if n == nil {
		return
	}
	for _, item := range r.items(n, "seed", "- name: customers, with count, post, json and keep below it") {
		r.seed(item)
	}
}

func (r *reader) seed(n *yaml.Node) {
	keys := append([]string{"name", "count", "expect", "keep", "parallel"}, requestKeys()...)
	f := r.fields(n, "seed", "seed", keys...)
	if n.Kind != yaml.MappingNode {
		return
	}
	s := Seed{Parallel: 8, Count: 1, Pos: r.pos(n)}
	if f["name"] == nil {
		r.require(n, "the seed", "name", "name: customers")
	} else if text, ok := r.text(f["name"], "name"); ok {
		s.Name = r.name(&yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: f["name"].Line, Column: f["name"].Column}, "a seed")
	}
	scope := arrivalScope("seed " + s.Name)
	source := slices.IndexFunc(r.data, func(d dataset) bool { return d.name == s.Name })
	if source >= 0 && r.data[source].kind == "seed" && f["name"] != nil {
		r.errorAt(f["name"], fmt.Sprintf("the name %q is taken by another seed", s.Name), "")
	} else if source >= 0 && r.data[source].kind == "feeder" {
		scope.row = &r.data[source]
	}
	if f["count"] == nil {
		r.require(n, "the seed", "count", "count: 100")
	} else {
		s.Count = int(r.integer(f["count"], "count", 1, 10_000_000))
	}
	if scope.row != nil && f["count"] != nil && !r.stored && s.Count > scope.row.rows {
		r.errorAt(f["count"], fmt.Sprintf("count is %d and the feeder %s has %d rows", s.Count, s.Name, scope.row.rows), "each item of the seed is made from one row")
	}
	s.Request = r.request(n, f, scope)
	if f["expect"] != nil {
		s.Expect = r.statuses(f["expect"], "expect")
	}
	if f["keep"] == nil {
		r.require(n, "the seed", "keep", "keep: $.id, the place of the id in the reply")
	} else {
		s.Keep = r.jsonPath(f["keep"], "keep")
	}
	if f["parallel"] != nil {
		s.Parallel = int(r.integer(f["parallel"], "parallel", 1, 1024))
	}
	r.out.Seed = append(r.out.Seed, s)
	d := dataset{name: s.Name, kind: "seed"}
	if source >= 0 {
		r.data[source] = d
		return
	}
	r.data = append(r.data, d)
}
