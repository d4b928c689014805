package facts

import (
	"slices"

	"github.com/perfctl/perfctl/rundir"
)

// LoadAll reads every trial of a run directory, in the order in which they ran; those
// that never sent anything have no start and come last, by name.
func LoadAll(dir *rundir.Dir) ([]*Trial, error) {
	names, err := dir.TrialNames()
	if err != nil {
		return nil, err
	}
	trials := make([]*Trial, len(names))
	for i, n := range names {
		if trials[i], err = Load(dir, n); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(trials, inOrder)
	return trials, nil
}

func inOrder(a, b *Trial) int {
	if a.Start.IsZero() != b.Start.IsZero() {
		if a.Start.IsZero() {
			return 1
		}
		return -1
	}
	return a.Start.Compare(b.Start)
}
