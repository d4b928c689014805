// Package scenarios answers: which scenario does a name on the command line mean?
//
// It carries the scenarios that perfctl ships, so that `perfctl abtest
// community-vs-tpc` works in an empty directory, and lets a file of the user's take
// the place of each: a path, then perfctl/NAME.yaml in the working directory, then
// the shipped one.
package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/perfctl/perfctl/scenario"
)

//go:embed *.yaml
var shipped embed.FS

// Info is one line of a list of scenarios.
type Info struct {
	Name        string
	Description string
}

// List returns the shipped scenarios by name.
func List() ([]Info, error) {
	names, err := names()
	if err != nil {
		return nil, err
	}
	var list []Info
	for _, name := range names {
		src, err := Read(name)
		if err != nil {
			return nil, err
		}
		s, problems := scenario.Parse(name+".yaml", src, os.LookupEnv)
		if problems.Failed() {
			return nil, fmt.Errorf("shipped scenario %s: %w", name, problems)
		}
		list = append(list, Info{Name: s.Name, Description: s.Description})
	}
	return list, nil
}

// Read returns the text of a shipped scenario.
func Read(name string) ([]byte, error) {
	src, err := shipped.ReadFile(name + ".yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown(name)
	}
	return src, err
}

// Open finds and parses the scenario that a name means, seen from the working directory
// dir: a path when it ends in .yaml or .yml or is a file, then perfctl/NAME.yaml, then
// the shipped one. A scenario is returned with the problems that are only warnings.
func Open(dir, name string) (*scenario.Scenario, scenario.Problems, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, name)
	}
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" || isFile(path) {
		return scenario.ParseFile(path)
	}
	if own := filepath.Join(dir, "perfctl", name+".yaml"); isFile(own) {
		return scenario.ParseFile(own)
	}
	src, err := Read(name)
	if err != nil {
		return nil, nil, err
	}
	s, problems := scenario.Parse(name+".yaml", src, os.LookupEnv)
	return s, problems, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// names returns the names of the shipped scenarios, sorted.
func names() ([]string, error) {
	files, err := shipped.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, f := range files {
		list = append(list, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return list, nil
}

// unknown says that no scenario has a name, and which there are.
func unknown(name string) error {
	known, err := names()
	if err != nil {
		return err
	}
	hint := ""
	if near := scenario.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("no scenario named %q: neither a file, nor perfctl/%s.yaml, nor one of %s%s",
		name, name, strings.Join(known, ", "), hint)
}
