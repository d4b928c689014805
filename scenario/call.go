package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// known checks the arguments of a call whose name and shape are right.
func (r *reader) known(call *Call, field, args string, s *scope, fail func(string, string) (*Call, string)) (*Call, string) {
	switch call.Name {
	case "env":
		value, set := r.env(field)
		if !set {
			return fail(fmt.Sprintf("the environment variable %s is not set", field), fmt.Sprintf("export %s=... and run again", field))
		}
		if isSecretName(field) {
			r.secret(value)
		}
		return nil, value
	case "addr", "port":
		if r.service(field) == nil {
			return fail(fmt.Sprintf("unknown service %q", field), knownWords("services", field, r.serviceNames()))
		}
		call.Args = []Arg{{Text: field}}
	case "row":
		if s.row == nil {
			return fail("there is no row here", "only a seed with the name of a feeder reads its rows: seed row i is made from feeder row i")
		}
		if !r.stored && !slices.Contains(s.row.fields, field) {
			return fail(fmt.Sprintf("not every row of feeder %s has a field %q", s.row.name, field), knownWords("fields", field, s.row.fields))
		}
		call.Args = []Arg{{Text: field}}
	case "pick", "next":
		return r.take(call, strings.TrimSpace(args), s, fail)
	case "int":
		list, ok := numbers(args, 2)
		if !ok || list[0].Min != list[0].Max || list[1].Min != list[1].Max || !countable(list[0].Min, list[1].Min) {
			return fail(fmt.Sprintf("int(%s) needs the least and the greatest number", args), "write ${int(1,9999)}")
		}
		call.Args = list
	case "text":
		list, ok := numbers(args, 1)
		if !ok || list[0].Min < 0 || list[0].Min > list[0].Max || list[0].Max > maxText {
			return fail(fmt.Sprintf("text(%s) needs a number of characters or a range up to %d", args, maxText), "write ${text(200)} or ${text(0..2000)}")
		}
		call.Args = list
	}
	return call, ""
}

const maxText = 1 << 20

// take checks a pick or next.
func (r *reader) take(call *Call, name string, s *scope, fail func(string, string) (*Call, string)) (*Call, string) {
	if strings.ContainsAny(name, ",=") {
		return fail(fmt.Sprintf("%s takes the name of a feeder only", call.Name), "skewed choice is not supported by this version")
	}
	i := slices.IndexFunc(r.data, func(d dataset) bool { return d.name == name })
	if i < 0 {
		var names, kinds []string
		for _, d := range r.data {
			names = append(names, d.name)
			kinds = append(kinds, fmt.Sprintf("%s (%s)", d.name, d.kind))
		}
		hint := knownWords("known", name, kinds)
		if best := Nearest(name, names); best != "" {
			hint = "known: " + strings.Join(kinds, ", ") + fmt.Sprintf(". Did you mean %q?", best)
		}
		return fail(fmt.Sprintf("no feeder or seed named %q", name), hint)
	}
	call.Args = []Arg{{Text: name}}
	return call, ""
}

// countable says whether low..high has at least one number and fewer than 2^63.
func countable(low, high int64) bool {
	return low <= high && (low > 0 || high < math.MaxInt64+low)
}

// numbers reads whole numbers and ranges "0..2000".
func numbers(args string, count int) ([]Arg, bool) {
	var list []Arg
	for _, text := range strings.Split(args, ",") {
		text = strings.TrimSpace(text)
		low, high, isRange := strings.Cut(text, "..")
		if !isRange {
			high = low
		}
		least, err := strconv.ParseInt(low, 10, 64)
		if err != nil {
			return nil, false
		}
		most, err := strconv.ParseInt(high, 10, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, Arg{Text: text, Min: least, Max: most, IsNumber: true})
	}
	return list, len(list) == count
}
