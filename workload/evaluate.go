package workload

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"

	"github.com/perfctl/perfctl/scenario"
)

// A Feed is rows that ${pick}, ${next} and ${row} read: a feeder of the scenario or the kept
// ids of a seed.
type Feed struct {
	Rows []scenario.Row
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

// render appends the template's text to b.
func (v *values) render(b []byte, t scenario.Template) ([]byte, error) {
	for _, p := range t.Parts {
		if p.Call == nil {
			b = append(b, p.Text...)
			continue
		}
		text, number, err := v.call(p.Call)
		if err != nil {
			return nil, err
		}
		b = appendAs(b, text, p.Mode, number)
	}
	return b, nil
}

func appendAs(b []byte, text string, mode scenario.Mode, number bool) []byte {
	switch mode {
	case scenario.PathSegment:
		return append(b, url.PathEscape(text)...)
	case scenario.JSONText:
		q := jsonString(text)
		return append(b, q[1:len(q)-1]...)
	case scenario.JSONValue:
		if number {
			return append(b, text...)
		}
		return append(b, jsonString(text)...)
	}
	return append(b, text...)
}

func jsonString(s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			q, _ := json.Marshal(s) // a string always marshals
			return q
		}
	}
	q := make([]byte, 0, len(s)+2)
	return append(append(append(q, '"'), s...), '"')
}

// call evaluates one ${...}; number says that the text is a JSON number.
func (v *values) call(c *scenario.Call) (text string, number bool, err error) {
	switch c.Name {
	case "seq":
		return strconv.FormatInt(v.seq, 10), true, nil
	case "run":
		return v.run, false, nil
	case "uuid":
		return v.uuid(), false, nil
	case "int":
		lo, hi := bounds(c.Args)
		return strconv.FormatInt(lo+v.rand.Int64N(hi-lo+1), 10), true, nil
	case "text":
		lo, hi := bounds(c.Args)
		n := lo + v.rand.Int64N(hi-lo+1)
		at := v.rand.Int64N(int64(len(v.text)) - n)
		return v.text[at : at+n], false, nil
	case "pick", "next":
		return v.fromFeed(c)
	case "row":
		return v.field(c)
	case "saved":
		s, ok := v.saved[c.Args[0].Text]
		if !ok {
			return "", false, fmt.Errorf("${%s} was not saved by the reply", c.Args[0].Text)
		}
		return s, false, nil
	}
	return "", false, fmt.Errorf("${%s} has no value here", c.Name)
}

func (v *values) fromFeed(c *scenario.Call) (string, bool, error) {
	name := c.Args[0].Text
	feed := v.feeds[name]
	n := int64(len(feed.Rows))
	if n == 0 {
		return "", false, fmt.Errorf("${%s(%s)}: %q has no rows", c.Name, name, name)
	}
	i := v.seq % n
	if c.Name == "pick" {
		i = v.rand.Int64N(n)
	}
	v.keys = append(v.keys, name+"="+strconv.FormatInt(i, 10))
	return feed.Rows[i].Value, false, nil
}

func (v *values) field(c *scenario.Call) (string, bool, error) {
	if v.row == nil {
		return "", false, fmt.Errorf("${row} has no value here")
	}
	if len(c.Args) == 0 {
		return v.row.Value, false, nil
	}
	f, ok := v.row.Fields[c.Args[0].Text]
	if !ok {
		return "", false, fmt.Errorf("${row.%s}: the row has no such field", c.Args[0].Text)
	}
	return f, false, nil
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

// bounds are lo and hi of (n), (lo..hi) or (lo,hi); the scenario has checked lo <= hi.
func bounds(args []scenario.Arg) (lo, hi int64) {
	if len(args) == 2 {
		return args[0].Min, args[1].Min
	}
	return args[0].Min, args[0].Max
}
