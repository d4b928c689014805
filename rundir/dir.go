package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"
)

// Dir is one run directory.
type Dir struct{ path string }

// Create makes a fresh directory KIND-SCENARIO-YYYYMMDD-HHMMSS below root, which it
// makes too. A name that is taken gets a number.
func Create(root, kind, scenario string, at time.Time) (*Dir, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	base := filepath.Join(root, fmt.Sprintf("%s-%s-%s", kind, scenario, at.Format("20060102-150405")))
	for n := 1; n < 100; n++ {
		path := base
		if n > 1 {
			path = fmt.Sprintf("%s-%d", base, n)
		}
		err := os.Mkdir(path, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Mkdir(filepath.Join(path, "trials"), 0o755)
		}
		if err != nil {
			return nil, fmt.Errorf("run directory: %w", err)
		}
		return &Dir{path: path}, nil
	}
	return nil, fmt.Errorf("run directory %s: a hundred of that name exist; remove some or use --out", base)
}

// Open opens an existing run directory.
func Open(path string) (*Dir, error) {
	if _, err := os.Stat(filepath.Join(path, "manifest.json")); err != nil {
		return nil, fmt.Errorf("%s: not a run directory (no manifest.json); give the folder that perfctl printed as \"report\"", path)
	}
	return &Dir{path: path}, nil
}

// Path is the directory's path as it was given.
func (d *Dir) Path() string { return d.path }

// Join is a path inside the directory.
func (d *Dir) Join(elem ...string) string {
	return filepath.Join(append([]string{d.path}, elem...)...)
}

// WriteFile replaces a file of the directory by rename, so that readers see the old or the new one whole.
func (d *Dir) WriteFile(name string, data []byte) error {
	return replaceFile(d.Join(name), data)
}

// WriteManifest replaces manifest.json.
func (d *Dir) WriteManifest(m Manifest) error {
	m.Version = Version
	return writeJSON(d.Join("manifest.json"), m)
}

// Manifest reads manifest.json.
func (d *Dir) Manifest() (Manifest, error) {
	var m Manifest
	return m, readJSON(d.Join("manifest.json"), &m)
}

// TrialNames lists the trials in the order of their names: by slot, then by attempt. A
// slot that was run again ran after others that come later here.
func (d *Dir) TrialNames() ([]string, error) {
	entries, err := os.ReadDir(d.Join("trials"))
	if err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	sort.Strings(names)
	return names, nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, append(data, '\n'))
}

// readJSON reads a versioned file. The version is looked at first: a file of another one
// may hold other types.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if file.Version != Version {
		return fmt.Errorf("%s: version %d, this perfctl reads version %d; use the perfctl that wrote it", path, file.Version, Version)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
