package workload

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	"github.com/perfctl/perfctl/scenario"
)

// A Feed is rows that ${pick}, ${next} and ${row} read: a feeder of the scenario or the kept
// ids of a seed.
type Feed struct {
	Rows       []scenario.Row
	Sequential bool // pick takes the rows in turn, as next does
}

// values is what one evaluation may read.
type values struct {
	rand  *rand.Rand
	seq   int64
	run   string
	feeds map[string]Feed
	row   *scenario.Row
	saved map[string]string
	text  string
	keys  []string // picked values, for the slow-request table
}

// A value is what a ${...} stands for; json is its JSON text when that is not a string.
type value struct{ text, json string }

// render appends the template's text to b.
func (v *values) render(b []byte, t scenario.Template) ([]byte, error) {
	for _, p := range t.Parts {
		if p.Call == nil {
			b = append(b, p.Text...)
			continue
		}
		x, err := v.call(p.Call)
		if err != nil {
			return nil, err
		}
		b = appendAs(b, x, p.Mode)
	}
	return b, nil
}

func appendAs(b []byte, x value, mode scenario.Mode) []byte {
	switch mode {
	case scenario.PathSegment:
		if bytes.IndexByte(b, '?') >= 0 { // in the query & = and + have a meaning too
			return append(b, url.QueryEscape(x.text)...)
		}
		return append(b, url.PathEscape(x.text)...)
	case scenario.JSONText:
		q := jsonString(x.text)
		return append(b, q[1:len(q)-1]...)
	case scenario.JSONValue:
		if x.json != "" {
			return append(b, x.json...)
		}
		return append(b, jsonString(x.text)...)
	}
	return append(b, x.text...)
}

func jsonString(s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			q, _ := json.Marshal(s) // a string always marshals
			return q
		}
	}
	q := make([]byte, 0, len(s)+2)
	return append(append(append(q, '"'), s...), '"')
}

// call evaluates one ${...}.
func (v *values) call(c *scenario.Call) (value, error) {
	switch c.Name {
	case "seq":
		return number(v.seq), nil
	case "run":
		return value{text: v.run}, nil
	case "uuid":
		return value{text: v.uuid()}, nil
	case "int":
		lo, hi := c.Args[0].Min, c.Args[1].Min
		return number(lo + v.rand.Int64N(hi-lo+1)), nil
	case "text":
		lo, hi := c.Args[0].Min, c.Args[0].Max
		n := lo + v.rand.Int64N(hi-lo+1)
		at := v.rand.Int64N(int64(len(v.text)) - n)
		return value{text: v.text[at : at+n]}, nil
	case "pick", "next":
		return v.fromFeed(c)
	case "row":
		return v.field(c.Args[0].Text)
	case "saved":
		s, ok := v.saved[c.Args[0].Text]
		if !ok {
			return value{}, fmt.Errorf("${%s} was not saved by the reply", c.Args[0].Text)
		}
		return value{text: s}, nil
	}
	return value{}, fmt.Errorf("${%s} has no value here", c.Name)
}

func number(n int64) value {
	s := strconv.FormatInt(n, 10)
	return value{s, s}
}

func (v *values) fromFeed(c *scenario.Call) (value, error) {
	name := c.Args[0].Text
	feed := v.feeds[name]
	n := int64(len(feed.Rows))
	if n == 0 {
		return value{}, fmt.Errorf("${%s(%s)}: %q has no rows", c.Name, name, name)
	}
	i := v.seq % n
	if c.Name == "pick" && !feed.Sequential {
		i = v.rand.Int64N(n)
	}
	v.keys = append(v.keys, name+"="+strconv.FormatInt(i, 10))
	return value{text: feed.Rows[i].Value}, nil
}

// field is a field of the seed's row. Rows hold JSON text, so a string loses its quotes
// where it is not a JSON value.
func (v *values) field(name string) (value, error) {
	if v.row == nil {
		return value{}, fmt.Errorf("${row.%s} has no row here", name)
	}
	f, ok := v.row.Fields[name]
	if !ok {
		return value{}, fmt.Errorf("${row.%s}: the row has no such field", name)
	}
	if !strings.HasPrefix(f, `"`) {
		return value{f, f}, nil
	}
	var text string
	if err := json.Unmarshal([]byte(f), &text); err != nil {
		return value{}, fmt.Errorf("${row.%s}: %w", name, err)
	}
	return value{text, f}, nil
}

// uuid is a version 4 UUID (RFC 9562) of the arrival's own stream.
func (v *values) uuid() string {
	var u [16]byte
	a, b := v.rand.Uint64(), v.rand.Uint64()
	for i := range 8 {
		u[i], u[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[0:8], u[0:4])
	hex.Encode(s[9:13], u[4:6])
	hex.Encode(s[14:18], u[6:8])
	hex.Encode(s[19:23], u[8:10])
	hex.Encode(s[24:36], u[10:16])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
