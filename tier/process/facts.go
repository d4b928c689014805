package process

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/perfctl/perfctl/rundir"
)

// hashes keeps the sums of executables that have not changed since they were read.
type hashes map[string]hashed

type hashed struct {
	size    int64
	changed time.Time
	sum     string
}

// factsOf describes what is about to be started.
func (t *Tier) factsOf(name, path string, args []string) ([]rundir.Setting, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	sum, err := t.hashes.of(real)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	facts := []rundir.Setting{
		{Where: name, Name: "command", Value: t.sc.Mask(strings.Join(args, " "))},
		{Where: name, Name: "executable", Value: real},
		{Where: name, Name: "sha256", Value: sum, Proof: "the file " + real + " before the start"},
		{Where: name, Name: "working directory", Value: dir},
	}
	return append(facts, builtFrom(name, real)...), nil
}

// of returns the SHA-256 of a file.
func (h hashes) of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if known, ok := h[path]; ok && known.size == info.Size() && known.changed.Equal(info.ModTime()) {
		return known.sum, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	h[path] = hashed{info.Size(), info.ModTime(), hex.EncodeToString(sum.Sum(nil))}
	return h[path].sum, nil
}

// builtFrom reads what a Go program says of its build; other programs say nothing.
func builtFrom(name, path string) []rundir.Setting {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil
	}
	const proof = "go build information"
	facts := []rundir.Setting{{Where: name, Name: "go", Value: info.GoVersion, Proof: proof}}
	if info.Main.Path != "" {
		facts = append(facts, rundir.Setting{Where: name, Name: "module", Value: strings.TrimSpace(info.Main.Path + " " + info.Main.Version), Proof: proof})
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			facts = append(facts, rundir.Setting{Where: name, Name: s.Key, Value: s.Value, Proof: proof})
		}
	}
	return facts
}
