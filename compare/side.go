package compare

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/facts"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/scenario"
	"github.com/perfctl/perfctl/verdict"
)

// A Side is one variant's trials of one run directory.
type Side struct {
	Manifest rundir.Manifest
	Scenario *scenario.Scenario
	Variant  string
	Trials   []*facts.Trial // those that count
	Invalid  int
}

// Open reads DIR or DIR:VARIANT. A directory with two variants needs the second form.
func Open(arg string) (*Side, error) {
	path, variant := split(arg)
	dir, err := rundir.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Side{}
	if s.Manifest, err = dir.Manifest(); err != nil {
		return nil, err
	}
	if s.Scenario, err = verdict.StoredScenario(s.Manifest); err != nil {
		return nil, err
	}
	if s.Variant, err = choose(path, variant, s.Manifest); err != nil {
		return nil, err
	}
	trials, err := facts.LoadAll(dir)
	if err != nil {
		return nil, err
	}
	for _, t := range trials {
		if t.Slot.Variant != s.Variant || t.Slot.Pair == 0 {
			continue
		}
		if !verdict.Check(t).Valid {
			s.Invalid++
			continue
		}
		s.Trials = append(s.Trials, t)
	}
	return s, nil
}

// split takes the variant off, unless the whole argument is a folder.
func split(arg string) (path, variant string) {
	if _, err := os.Stat(arg); err == nil {
		return arg, ""
	}
	if i := strings.LastIndexByte(arg, ':'); i > 0 {
		return arg[:i], arg[i+1:]
	}
	return arg, ""
}

func choose(path, variant string, m rundir.Manifest) (string, error) {
	var known []string
	for _, s := range m.Plan.Slots {
		if !slices.Contains(known, s.Variant) {
			known = append(known, s.Variant)
		}
	}
	switch {
	case variant != "" && slices.Contains(known, variant):
		return variant, nil
	case variant != "":
		return "", fmt.Errorf("%s holds no variant %q; it has %s", path, variant, strings.Join(known, ", "))
	case len(known) == 1:
		return known[0], nil
	}
	return "", fmt.Errorf("%s holds the variants %s; name one: %s:%s", path, strings.Join(known, ", "), path, firstOf(known))
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return "VARIANT"
	}
	return list[0]
}

// label is how the side is called in the report.
func (s *Side) label() string {
	if s.Variant == "" {
		return s.Manifest.ID
	}
	return s.Variant + " of " + s.Manifest.ID
}

func (s *Side) subjects() verdict.Subjects {
	var out verdict.Subjects
	for _, op := range s.Scenario.Operations {
		out.Operations = append(out.Operations, op.Name)
		if op.Completion != nil {
			out.Completions = append(out.Completions, op.Completion.Name)
		}
	}
	return out
}
