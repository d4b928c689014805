package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const (
	maxBytes = 10 << 20
	maxNodes = 100_000 // of the whole tree, aliases written out
)

// readTree parses the text of a file into its one document. It returns nil when
// there is nothing that could be checked further.
func (r *reader) readTree(text []byte) *yaml.Node {
	if len(text) > maxBytes {
		r.report(Pos{1, 1}, 1, "the file is larger than 10 MB", "scenarios are small; keep rows of data in a feeder file")
		return nil
	}
	if !utf8.Valid(text) {
		r.report(r.src.firstInvalid(), 1, "the text is not UTF-8", "save the file as UTF-8")
		return nil
	}
	root, again, err := decode(text)
	if err != nil {
		var holes []hole
		text, holes = r.quoteHoles(text)
		if len(holes) > 0 {
			root, again, err = decode(text)
		}
	}
	if err != nil {
		r.syntaxError(text, err)
		return nil
	}
	if root == nil || root.Content[0].Tag == "!!null" && len(root.Content) == 1 && root.Content[0].Value == "" {
		r.report(Pos{1, 1}, 1, "the file is empty", "a scenario starts with perfctl: 1")
		return nil
	}
	if !errors.Is(again, io.EOF) {
		r.report(r.src.secondDocument(), 3, "a second document starts here", "one file holds one scenario; move it to a file of its own")
	}
	top := root.Content[0]
	if !r.inline(top) {
		return nil
	}
	return top
}

// decode returns the first document, and the error of looking for a second one.
func decode(text []byte) (root *yaml.Node, again, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if err := d.Decode(&first); errors.Is(err, io.EOF) {
		return nil, io.EOF, nil
	} else if err != nil {
		return nil, nil, err
	}
	return &first, d.Decode(&second), nil
}

// inline replaces aliases by what they stand for and refuses what this package does not
// read: merge keys, tags, keys that are not text, and keys that are there twice.
func (r *reader) inline(top *yaml.Node) bool {
	count, whole := 0, true
	open := map[*yaml.Node]bool{}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if count++; count > maxNodes || !whole {
			if whole {
				r.errorAt(n, fmt.Sprintf("the file has more than %d values", maxNodes), "aliases count as what they stand for; keep rows of data in a feeder file")
			}
			whole = false
			return
		}
		open[n] = true
		defer delete(open, n)
		r.checkTag(n)
		if n.Kind == yaml.MappingNode {
			r.checkKeys(n)
		}
		for i, c := range n.Content {
			if c.Kind == yaml.AliasNode {
				if open[c.Alias] {
					r.errorAt(c, fmt.Sprintf("the alias *%s stands inside its own anchor", c.Value), "")
					whole = false
					return
				}
				n.Content[i] = c.Alias
			}
			visit(n.Content[i])
		}
	}
	visit(top)
	return whole
}

// checkTag refuses explicit tags other than those of JSON's kinds.
func (r *reader) checkTag(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle == 0 {
		return
	}
	switch n.Tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return
	}
	r.errorAt(n, fmt.Sprintf("the tag %s is not supported", n.Tag), "remove it, or use !!str to force text")
}

// checkKeys refuses keys that are there twice and keys that are not plain text.
func (r *reader) checkKeys(n *yaml.Node) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.errorAt(k, "a key must be a word", "")
		case k.Tag == "!!merge":
			r.errorAt(k, "merge keys (<<) are not supported", "write the keys out; plain aliases of whole values are followed")
		case first[k.Value] > 0:
			r.errorAt(k, fmt.Sprintf("the key %q is here twice", k.Value), fmt.Sprintf("it was first set in line %d; remove one", first[k.Value]))
		default:
			first[k.Value] = k.Line
		}
	}
}

// firstInvalid returns the place of the first byte that is not UTF-8.
func (s source) firstInvalid() Pos {
	for i, line := range s.lines {
		column := 0
		for at := 0; at < len(line); {
			column++
			c, size := utf8.DecodeRuneInString(line[at:])
			if c == utf8.RuneError && size == 1 {
				return Pos{i + 1, column}
			}
			at += size
		}
	}
	return Pos{1, 1}
}

// secondDocument returns the place of the document marker after the first content.
func (s source) secondDocument() Pos {
	content := false
	for i, line := range s.lines {
		word, _, _ := strings.Cut(strings.TrimRightFunc(line, unicode.IsSpace), " ")
		switch {
		case (word == "---" || word == "...") && content:
			return Pos{i + 1, 1}
		case word == "---":
			content = line != word
		case word != "" && !strings.HasPrefix(word, "#") && !strings.HasPrefix(word, "%"):
			content = true
		}
	}
	return Pos{1, 1}
}
