package orderflow

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Faults says whether faults are allowed and which ones happen by themselves.
type Faults struct {
	Enabled bool
	Plan    []Fault
}

// The kinds of faults.
const (
	faultPause   = "pause"   // a duration: no request is handled for that long
	faultRefuse  = "refuse"  // a duration: connections are closed without an answer for that long
	faultLeak    = "leak"    // a size, or a size per second as 1MiB/s: memory that is never freed
	faultExhaust = "exhaust" // all: the stock of every product is taken away
	faultSlow    = "slow"    // replica:duration, as order-2:50ms: what each request to the replica waits
)

// Fault is one fault, At an offset from the start.
type Fault struct {
	Kind     string
	At       time.Duration
	Duration time.Duration // of pause, refuse and slow
	Bytes    int64         // of leak
	EachSec  bool          // leak Bytes each second
	Replica  string        // of slow
}

// ParseFaults reads ORDERFLOW_FAULTS: "on" allows faults on command, "off" does not; a list such as
// "pause=200ms@5s,slow=order-2:50ms" also plans faults, each at its offset or at the start.
func ParseFaults(s string) (Faults, error) {
	switch s {
	case "", "off", "false":
		return Faults{}, nil
	case "on", "true":
		return Faults{Enabled: true}, nil
	}
	f := Faults{Enabled: true}
	var problems []error
	for _, item := range strings.Split(s, ",") {
		kind, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		value, at, planned := strings.Cut(value, "@")
		fault, err := parseFault(kind, value)
		if planned && err == nil {
			fault.At, err = parseFaultDuration(at)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("fault %q: %w", item, err))
			continue
		}
		f.Plan = append(f.Plan, fault)
	}
	return f, errors.Join(problems...)
}

func parseFault(kind, value string) (Fault, error) {
	f := Fault{Kind: kind}
	var err error
	switch kind {
	case faultPause, faultRefuse:
		f.Duration, err = parseFaultDuration(value)
	case faultLeak:
		size, each := strings.CutSuffix(value, "/s")
		f.EachSec = each
		f.Bytes, err = parseSize(size)
	case faultExhaust:
		if value != "all" {
			err = errors.New("only all stock can be exhausted; use exhaust=all")
		}
	case faultSlow:
		name, delay, _ := strings.Cut(value, ":")
		f.Replica = name
		f.Duration, err = parseFaultDuration(delay)
	default:
		err = errors.New("unknown; use pause=200ms, refuse=1s, leak=10MiB, leak=1MiB/s, exhaust=all or " +
			"slow=order-2:50ms, with @5s for a later time")
	}
	return f, err
}

func parseFaultDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration; use for example 200ms", s)
	}
	return d, nil
}

func (f Faults) validate(replicas int) error {
	var problems []error
	if len(f.Plan) > 0 && !f.Enabled {
		problems = append(problems, errors.New("faults are planned but not enabled; enable them or leave the plan out"))
	}
	for _, fault := range f.Plan {
		if fault.Kind == faultSlow {
			problems = append(problems, checkReplica(fault.Replica, replicas))
		}
	}
	return errors.Join(problems...)
}

func checkReplica(name string, replicas int) error {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "order-"))
	if err != nil || !strings.HasPrefix(name, "order-") || n < 1 || n > replicas {
		return fmt.Errorf("no replica is named %q; use order-1 to order-%d", name, cmp.Or(replicas, 1))
	}
	return nil
}

// postFault injects a fault on command: {"pause":"200ms"} and so on, one or more.
func (f *faults) post(w http.ResponseWriter, r *http.Request) reply {
	if !f.enabled {
		return refuse(http.StatusForbidden, "FAULTS_DISABLED", "start with ORDERFLOW_FAULTS=on to allow faults")
	}
	var in map[string]string
	if bad, ok := readJSON(w, r, &in); !ok {
		return bad
	}
	var list []Fault
	for kind, value := range in {
		fault, err := parseFault(kind, value)
		if err == nil && kind == faultSlow {
			err = checkReplica(fault.Replica, f.replicas())
		}
		if err != nil {
			return badRequest(kind + ": " + err.Error())
		}
		list = append(list, fault)
	}
	if len(list) == 0 {
		return badRequest(`no fault is named; use for example {"pause":"200ms"}`)
	}
	slices.SortFunc(list, func(a, b Fault) int { return strings.Compare(a.Kind, b.Kind) })
	for _, fault := range list {
		f.inject(fault)
	}
	return reply{http.StatusOK, map[string]int{"injected": len(list)}}
}
