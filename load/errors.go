package load

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// An errorLedger counts what went wrong by its signature. Signatures that hold an id
// would make it grow for ever, so each operation has a limited number of them; the
// rest is counted together under "other".
type errorLedger struct {
	records map[errorKey]*ErrorRecord
	perName map[string]int
}

type errorKey struct {
	operation string
	outcome   Outcome
	signature string
}

const (
	maxSignatures = 100 // of one operation
	maxExample    = 300 // bytes
)

func newErrorLedger() *errorLedger {
	return &errorLedger{make(map[errorKey]*ErrorRecord), make(map[string]int)}
}

func (l *errorLedger) add(operation string, o Outcome, signature, example string, intended time.Duration) {
	if signature == "" {
		signature = string(o)
	}
	key := errorKey{operation, o, signature}
	r := l.records[key]
	if r == nil && l.perName[operation] >= maxSignatures {
		key.signature = "other"
		r = l.records[key]
	}
	if r == nil {
		l.perName[operation]++
		r = &ErrorRecord{
			Operation: operation, Outcome: o, Signature: key.signature,
			First: intended, Last: intended, Example: cutTo(example, maxExample),
		}
		l.records[key] = r
	}
	r.Count++
	r.First, r.Last = min(r.First, intended), max(r.Last, intended)
}

// list returns the records, the most frequent first.
func (l *errorLedger) list() []ErrorRecord {
	list := make([]ErrorRecord, 0, len(l.records))
	for _, r := range l.records {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b ErrorRecord) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Operation, b.Operation),
			strings.Compare(string(a.Outcome), string(b.Outcome)), strings.Compare(a.Signature, b.Signature))
	})
	return list
}

// cutTo shortens a text without cutting a character in two.
func cutTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
