package load

import (
	"errors"
	"fmt"
	"time"

	"github.com/perfctl/perfctl/arrival"
)

// check says everything that makes the options impossible to run, and sets the defaults.
func (o *Options) check() error {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if o.Schedule == nil {
		bad("load: no schedule")
	}
	if o.MaxInFlight <= 0 {
		bad("load: the in-flight limit is %d: it must be above zero", o.MaxInFlight)
	}
	if o.Measure <= 0 {
		bad("load: the measured time is %v: it must be above zero", o.Measure)
	}
	if o.Drain < 0 {
		bad("load: the drain is %v: it must not be negative", o.Drain)
	}
	if o.Warmup < 0 || o.Warmup%time.Second != 0 {
		bad("load: the warm-up is %v: it must be whole seconds, because facts are booked by second", o.Warmup)
	}
	if o.Steady != nil && (o.WarmupMax < o.Warmup || o.WarmupMax%time.Second != 0) {
		bad("load: the longest warm-up is %v: it must be whole seconds and at least the warm-up, %v", o.WarmupMax, o.Warmup)
	}
	if o.Slowest < 0 {
		bad("load: %d slowest requests: it must not be negative", o.Slowest)
	}
	if o.Sleeper == nil {
		o.Sleeper = arrival.Open
	}
	return errors.Join(problems...)
}
