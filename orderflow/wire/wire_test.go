package wire

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWhatIsAppendedIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Int64()).Draw(t, "numbers")
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		b := AppendInt(nil, int64(len(numbers)))
		for _, n := range numbers {
			b = AppendInt(b, n)
		}
		for _, s := range texts {
			b = AppendText(b, s)
		}
		b = append(b, "tail"...)

		r := NewReader(b)
		gotNumbers := make([]int64, r.Count())
		for i := range gotNumbers {
			gotNumbers[i] = r.Int()
		}
		gotTexts := make([]string, len(texts))
		for i := range gotTexts {
			gotTexts[i] = r.Text()
		}
		if diff := cmp.Diff(append([]int64{}, numbers...), gotNumbers); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(append([]string{}, texts...), gotTexts); diff != "" {
			t.Error(diff)
		}
		if string(r.Rest()) != "tail" || r.Err() != nil {
			t.Errorf("rest %q, error %v, want tail and none", r.Rest(), r.Err())
		}
	})
}

func TestShortBytes(t *testing.T) {
	for name, read := range map[string]func(*Reader){
		"int":              func(r *Reader) { r.Int() },
		"text without end": func(r *Reader) { r.Text() },
		"count":            func(r *Reader) { r.Count() },
	} {
		for _, b := range [][]byte{nil, {0x80}, {200, 1}} {
			r := NewReader(b)
			read(r)
			if name == "int" && len(b) == 2 {
				continue // a whole number
			}
			if !errors.Is(r.Err(), ErrShort) {
				t.Errorf("%s of %v: error %v, want ErrShort", name, b, r.Err())
			}
			if r.Int() != 0 || r.Text() != "" {
				t.Errorf("%s of %v: a reader with an error still reads", name, b)
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(AppendText(AppendInt(nil, 3), "abc"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(b)
		for range r.Count() {
			if s := r.Text(); len(s) > len(b) {
				t.Fatalf("text of %d bytes out of %d", len(s), len(b))
			}
		}
		r.Int()
		if len(r.Rest()) > len(b) {
			t.Fatal("the rest grew")
		}
	})
}
