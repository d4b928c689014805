package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// ParseFile reads and parses the scenario file at path. Files of feeders are looked for beside
// it. The error is that of reading the file itself.
func ParseFile(path string) (*Scenario, Problems, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read scenario: %w", err)
	}
	open := func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		return os.ReadFile(name)
	}
	s, problems := parse(path, src, os.LookupEnv, open)
	return s, problems, nil
}

// Parse checks the text of a scenario file. It returns no scenario when one of the
// problems is an error, and both when there are only warnings. It reads nothing but its
// arguments, so feeders cannot name files; [ParseFile] allows them.
func Parse(file string, src []byte, env func(string) (string, bool)) (*Scenario, Problems) {
	return parse(file, src, env, func(string) ([]byte, error) {
		return nil, errors.New("a scenario that is not a file on disk has no files beside it")
	})
}

// ParseStored reads a scenario that was stored by [Scenario.Resolved], perhaps on another
// machine: environment variables and files of feeders are gone, so what depends on them
// is not checked, and text that came from them reads as masked.
func ParseStored(file string, src []byte) (*Scenario, Problems) {
	env := func(string) (string, bool) { return masked, true }
	r := newReader(file, src, env, nil)
	r.stored = true
	return r.read()
}

func parse(file string, src []byte, env func(string) (string, bool), open func(string) ([]byte, error)) (*Scenario, Problems) {
	return newReader(file, src, env, open).read()
}

func newReader(file string, src []byte, env func(string) (string, bool), open func(string) ([]byte, error)) *reader {
	return &reader{
		src:      newSource(file, strings.TrimPrefix(string(src), "\ufeff")),
		env:      env,
		open:     open,
		out:      &Scenario{File: file, Source: src},
		misspelt: map[*yaml.Node][]string{},
	}
}

// read returns the scenario, or its problems.
func (r *reader) read() (*Scenario, Problems) {
	if top := r.readTree([]byte(r.src.text)); top != nil {
		r.scenario(top)
	}
	if !r.problems.Failed() && !r.stored {
		r.checkMask()
	}
	problems := r.problems.sorted()
	if problems.Failed() {
		return nil, problems
	}
	return r.out, problems
}

// scenario reads the top level. What is referred to comes before what refers to it,
// whatever the order of the file.
func (r *reader) scenario(top *yaml.Node) {
	if !r.version(top) {
		return
	}
	f := r.fields(top, "scenario", "", "perfctl", "name", "description", "notes", "target", "services",
		"feeders", "seed", "operations", "load", "warmup", "reset", "thresholds", "observe", "variants", "abtest")
	r.names(f)
	for _, key := range []string{"services", "operations", "load"} {
		if f[key] == nil {
			r.require(top, "the scenario", key, key+":")
		}
	}
	r.declareServices(f["services"])
	r.declarePrograms(f["target"])
	r.services(f["services"])
	r.target(f["target"])
	r.feeders(f["feeders"])
	r.seeds(f["seed"])
	r.operations(f["operations"])
	r.load(f["load"])
	r.warmup(f["warmup"])
	r.reset(f["reset"])
	r.thresholds(f["thresholds"])
	r.observe(f["observe"])
	r.variants(f["variants"])
	r.abtest(f["abtest"])
}

// version checks "perfctl: 1". Of another version nothing else can be said.
func (r *reader) version(top *yaml.Node) bool {
	if top.Kind != yaml.MappingNode {
		r.errorAt(top, "a scenario must be a map", "it starts with perfctl: 1")
		return false
	}
	for _, e := range r.entries(top, "a scenario") {
		if e.key.Value != "perfctl" {
			continue
		}
		if e.value.Kind == yaml.ScalarNode && e.value.Value == "1" {
			return true
		}
		r.errorAt(e.value, "this version of perfctl reads perfctl: 1 only", "use a newer perfctl, or write perfctl: 1")
		return false
	}
	r.require(top, "the scenario", "version", "perfctl: 1 as the first line")
	return true
}

// names reads the words about the scenario.
func (r *reader) names(f fields) {
	base := filepath.Base(r.src.file)
	r.out.Name = strings.TrimSuffix(base, filepath.Ext(base))
	if f["name"] == nil && !isName(r.out.Name) {
		r.report(Pos{1, 1}, 1, "the scenario has no name, and its file's name cannot be one", "add name: checkout")
	}
	if f["name"] != nil {
		if text, ok := r.text(f["name"], "name"); ok {
			r.out.Name = text
			if !isName(text) {
				r.errorAt(f["name"], fmt.Sprintf("%q cannot name a scenario", text), "a name starts with a letter and has letters, digits, _ and - only, at most 64")
			}
		}
	}
	if f["description"] != nil {
		r.out.Description, _ = r.text(f["description"], "description")
	}
	if f["notes"] != nil {
		r.out.Notes, _ = r.text(f["notes"], "notes")
	}
}

// taken says whether a name is already used by an operation or completion.
func (r *reader) taken(name string) bool {
	return slices.ContainsFunc(r.out.Operations, func(o Operation) bool {
		return o.Name == name || o.Completion != nil && o.Completion.Name == name
	})
}
