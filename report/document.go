package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/perfctl/perfctl/result"
)

// JSON writes the document in its canonical form: two spaces of indent, fields in the order of
// the types, map keys sorted, a line break at the end.
func JSON(w io.Writer, r *result.Result) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// ReadJSON reads a document, and refuses one of another schema: its numbers may mean something
// else.
func ReadJSON(in io.Reader) (*result.Result, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("read result: not a JSON document: %w", err)
	}
	if head.Schema == "" {
		return nil, fmt.Errorf("read result: no \"schema\": this is not a perfctl result; give a result.json or its run directory")
	}
	if head.Schema != result.Schema {
		return nil, fmt.Errorf("read result: schema %q is not known (this perfctl reads %q); use the version that wrote it", head.Schema, result.Schema)
	}
	r := new(result.Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	return r, nil
}
