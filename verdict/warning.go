package verdict

import (
	"regexp"
	"slices"
	"strings"

	"github.com/perfctl/perfctl/result"
)

// Warning codes used here; docs/METHOD.md lists them with their limits.
const (
	Treatment   = "TREATMENT"
	Unproven    = "UNPROVEN"
	Remark      = "NOTE"
	Confound    = "CONFOUND"
	Unequal     = "UNEQUAL"
	Late        = "LATE"
	GenSat      = "GENSAT"
	NotAtLoad   = "NOTATLOAD"
	Host        = "HOST"
	Censored    = "CENSORED"
	PollQ       = "POLLQ"
	FewSamples  = "FEWSAMPLES"
	FewRuns     = "FEWRUNS"
	Incomplete  = "INCOMPLETE"
	TwoModes    = "TWOMODES"
	PollMisses  = "MISSES"
	Disagree    = "DISAGREE"
	WarmUp      = "WARMUP"
	Order       = "ORDER"
	Failing     = "FAILING"
	FuncErrors  = "FUNCTIONAL"
	FastFail    = "FASTFAIL"
	Restart     = "RESTART"
	InvalidRuns = "INVALID"
	Damaged     = "DAMAGED"
	Dirty       = "DIRTY"
	Interrupted = "INTERRUPTED"
	Ceiling     = "CEILING"
	NoFigures   = "NODATA"
	Repeated    = "REPEATED"
	Failed      = "THRESHOLD"
)

// Levels of a warning: stop replaces the verdict, limit bounds or withdraws a
// metric, note stays below.
const (
	Stop  = "stop"
	Limit = "limit"
	Note  = "note"
)

// Stops reports whether any warning replaces the verdict.
func Stops(ws []result.Warning) bool {
	for _, w := range ws {
		if w.Level == Stop {
			return true
		}
	}
	return false
}

var digits = regexp.MustCompile(`[0-9][0-9.,]*`)

// Merge joins warnings that say the same, numbers aside, of several trials: the first
// stays, and its Trial lists them all.
func Merge(ws []result.Warning) []result.Warning {
	type key struct{ code, metric, variant, effect, seen string }
	at := map[key]int{}
	var out []result.Warning
	for _, w := range ws {
		k := key{w.Code, w.Metric, w.Variant, w.Effect, digits.ReplaceAllString(w.Seen, "#")}
		i, ok := at[k]
		if !ok {
			at[k] = len(out)
			out = append(out, w)
			continue
		}
		if w.Trial != "" && !slices.Contains(strings.Split(out[i].Trial, ", "), w.Trial) {
			out[i].Trial = strings.TrimPrefix(out[i].Trial+", "+w.Trial, ", ")
		}
	}
	return out
}
