package rundir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A TrialRecord is everything on disk about one trial but its histograms, which
// are read as a stream by ReadHistograms.
type TrialRecord struct {
	Trial
	Path        string
	Ledger      []LedgerLine
	Completions []CompletionLine
	Resources   []ResourceLine
	Events      []EventLine
	Slow        []SlowLine
	CutFiles    []string // files whose last line was incomplete
}

// Trial reads one trial.
func (d *Dir) Trial(name string) (*TrialRecord, error) {
	r := &TrialRecord{Path: d.Join("trials", name)}
	err := readJSON(filepath.Join(r.Path, "trial.json"), &r.Trial)
	if errors.Is(err, fs.ErrNotExist) {
		r.Trial, err = Trial{Version: Version, Name: name, State: Running}, nil
	}
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		readLines(r, "ledger.ndjson", &r.Ledger),
		readLines(r, "completions.ndjson", &r.Completions),
		readLines(r, "resources.ndjson", &r.Resources),
		readLines(r, "events.ndjson", &r.Events),
		readLines(r, "slow.ndjson", &r.Slow))
	if err != nil {
		return nil, err
	}
	return r, nil
}

// readLines decodes one JSON value a line. A missing file is empty; a last line
// without its end is skipped and named; any other bad line is an error.
func readLines[T any](r *TrialRecord, name string, into *[]T) error {
	path := filepath.Join(r.Path, name)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	cut, err := decodeLines(path, f, into)
	if cut {
		r.CutFiles = append(r.CutFiles, name)
	}
	return err
}

func decodeLines[T any](path string, r io.Reader, into *[]T) (cut bool, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return len(line) > 0, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return false, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		*into = append(*into, v)
	}
}
