// Package wire is the binary form of events and stored values: what is appended in one order is
// read in the same order. Numbers are varints (zig-zag), texts are a length and bytes, lists a
// count and their items. There are no field names and no versions: the bytes never leave a run.
package wire

import (
	"encoding/binary"
	"errors"
)

// ErrShort is the error of a Reader whose bytes ended early or do not fit what is asked of them.
var ErrShort = errors.New("wire: the bytes end in the middle of a value")

// AppendInt appends a number.
func AppendInt(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

// AppendText appends a text.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Reader reads back what was appended. After the first error it returns zero values, so that a
// decoder checks Err once, at its end.
type Reader struct {
	rest []byte
	err  error
}

// NewReader reads from b, which it does not copy.
func NewReader(b []byte) *Reader { return &Reader{rest: b} }

// Err returns ErrShort when anything read was not there.
func (r *Reader) Err() error { return r.err }

// Int reads a number.
func (r *Reader) Int() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// Text reads a text.
func (r *Reader) Text() string {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)-size) {
		r.fail()
		return ""
	}
	s := string(r.rest[size : size+int(n)])
	r.rest = r.rest[size+int(n):]
	return s
}

// Count reads the number of items of a list. An item takes at least a byte, so that a broken count
// cannot ask for more memory than there are bytes.
func (r *Reader) Count() int {
	n := r.Int()
	if n < 0 || n > int64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

// Rest returns the bytes not yet read.
func (r *Reader) Rest() []byte { return r.rest }

func (r *Reader) fail() { r.rest, r.err = nil, ErrShort }
