package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/abtest"
	"github.com/perfctl/perfctl/result"
	"github.com/perfctl/perfctl/rundir"
	"github.com/perfctl/perfctl/single"
)

// Exit codes that the state of the directory decides; the others are the verdict's own.
const (
	exitNoAnswer    = 3
	exitEnvironment = 4
)

// Judge judges a run directory of either kind. It is a pure function of the files.
func Judge(dir *rundir.Dir) (*result.Result, error) {
	m, err := dir.Manifest()
	if err != nil {
		return nil, err
	}
	var res *result.Result
	switch k := [2]string{m.Kind, m.Plan.Method}; k {
	case [2]string{result.KindABTest, abtest.Method}:
		res, err = abtest.Judge(dir)
	case [2]string{result.KindRun, single.Method}:
		res, err = single.Judge(dir)
	default:
		return nil, fmt.Errorf("%s: a %q planned by method %q; this perfctl judges abtest by %s and run by %s: use the perfctl that made it, %s",
			dir.Path(), m.Kind, m.Plan.Method, abtest.Method, single.Method, m.Perfctl)
	}
	if err != nil || m.State != rundir.FailedState {
		return res, err
	}
	return res, failed(dir, m, res)
}

// failed completes the verdict of an experiment that could not be carried out: a variant
// that was not applied makes that no test; else the environment failed.
func failed(dir *rundir.Dir, m rundir.Manifest, res *result.Result) error {
	names, err := dir.TrialNames()
	if err != nil {
		return err
	}
	v := &res.Verdict
	v.Valid = false
	reason, _, _ := strings.Cut(m.Reason, "\n")
	v.Detail = append(v.Detail, "Ended early: "+reason)
	if v.Status == result.NotComparable {
		return nil
	}
	for _, name := range names {
		t, err := dir.Trial(name)
		if err != nil {
			return err
		}
		if why := notApplied(t.Trial); why != "" {
			v.Status, v.Exit, v.Sentence = result.NotComparable, exitNoAnswer, "No test took place: "+why+"."
			return nil
		}
	}
	v.Exit = exitEnvironment
	return nil
}

// notApplied names the first setting that a trial asked for and did not get.
func notApplied(t rundir.Trial) string {
	for _, a := range t.Asked {
		i := slices.IndexFunc(t.Observed, func(o rundir.Setting) bool { return o.Where == a.Where && o.Name == a.Name })
		switch {
		case i < 0:
			return fmt.Sprintf("%s asked for %s %s = %s, which was not observed", t.Slot.Variant, a.Where, a.Name, a.Value)
		case t.Observed[i].Value != a.Value:
			return fmt.Sprintf("%s ran with %s %s = %s (asked %s)", t.Slot.Variant, a.Where, a.Name, t.Observed[i].Value, a.Value)
		}
	}
	return ""
}
