package orderflow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/perfctl/perfctl/orderflow/engine"
	"github.com/perfctl/perfctl/orderflow/outbox"
	"github.com/perfctl/perfctl/orderflow/view"
)

const envPrefix = "ORDERFLOW_"

// ConfigFromEnv reads the ORDERFLOW_ variables of an environment, given as os.Environ gives it. An
// unknown ORDERFLOW_ variable is an error: a setting that is misspelt must not be lost in silence.
// The result is checked.
func ConfigFromEnv(environ []string) (Config, error) {
	c := Config{Addrs: map[string]string{}, Peers: map[string]string{}}
	fields := c.variables()
	var problems []error
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" {
			continue
		}
		set, ok := fields[name]
		if !ok {
			problems = append(problems, fmt.Errorf("%s is unknown; did you mean %s?", name, closest(name, slices.Sorted(maps.Keys(fields)))))
			continue
		}
		if err := set(value); err != nil {
			problems = append(problems, fmt.Errorf("%s=%s: %w", name, value, err))
		}
	}
	if len(problems) > 0 {
		return Config{}, errors.Join(problems...)
	}
	if err := c.Validate(); err != nil {
		return Config{}, err
	}
	return c.withDefaults(), nil
}

// variables maps each variable to the field that it sets.
func (c *Config) variables() map[string]func(string) error {
	v := map[string]func(string) error{
		"ORDERFLOW_ENGINE":            setText(&c.Engine, engine.Community, engine.TPC),
		"ORDERFLOW_STORE":             setText(&c.Store, view.Heap, view.OffHeap),
		"ORDERFLOW_OUTBOX":            setText(&c.Outbox, outbox.Scan, outbox.Indexed),
		"ORDERFLOW_CLUSTERING":        setText(&c.Clustering, Private, Shared),
		"ORDERFLOW_REPLICAS":          setInt(&c.Replicas),
		"ORDERFLOW_LOOPS":             setInt(&c.Loops),
		"ORDERFLOW_EVENT_STORE_LIMIT": setInt(&c.EventStoreLimit),
		"ORDERFLOW_PIN":               setBool(&c.Pin),
		"ORDERFLOW_MEMORY_LIMIT":      setSize(&c.MemoryLimit),
		"ORDERFLOW_OUTBOX_TICK":       setDuration(&c.OutboxTick),
		"ORDERFLOW_OUTBOX_RETENTION":  setDuration(&c.OutboxRetention),
		"ORDERFLOW_STEP_TIMEOUT":      setDuration(&c.StepTimeout),
		"ORDERFLOW_FAULTS": func(s string) (err error) {
			c.Faults, err = ParseFaults(s)
			return err
		},
		"ORDERFLOW_SERVICES": func(s string) error {
			for _, name := range strings.Split(s, ",") {
				c.Services = append(c.Services, strings.TrimSpace(name))
			}
			return nil
		},
	}
	for _, name := range Services() {
		v["ORDERFLOW_ADDR_"+strings.ToUpper(name)] = setEntry(c.Addrs, name)
		v["ORDERFLOW_PEER_"+strings.ToUpper(name)] = setEntry(c.Peers, name)
	}
	return v
}

func setText[T ~string](field *T, allowed ...T) func(string) error {
	return func(s string) error {
		*field = T(s)
		return oneOf("the value", T(s), allowed...)
	}
}

func setInt(field *int) func(string) error {
	return func(s string) (err error) {
		if *field, err = strconv.Atoi(s); err != nil {
			return errors.New("not a whole number; use for example 3")
		}
		return nil
	}
}

func setBool(field *bool) func(string) error {
	return func(s string) (err error) {
		if *field, err = strconv.ParseBool(s); err != nil {
			return errors.New("not true or false")
		}
		return nil
	}
}

func setDuration(field *time.Duration) func(string) error {
	return func(s string) (err error) {
		if *field, err = time.ParseDuration(s); err != nil {
			return errors.New("not a duration; use for example 100ms")
		}
		return nil
	}
}

func setSize(field *int64) func(string) error {
	return func(s string) (err error) {
		*field, err = parseSize(s)
		return err
	}
}

func setEntry(m map[string]string, name string) func(string) error {
	return func(s string) error {
		m[name] = s
		return nil
	}
}

// parseSize reads a number of bytes: 1048576, 512KiB, 256MiB, 2GiB.
func parseSize(s string) (int64, error) {
	number, shift := s, 0
	for suffix, by := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			number, shift = rest, by
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > 1<<40>>shift {
		return 0, fmt.Errorf("%q is not a size; use bytes or a size such as 256MiB, up to 1024GiB", s)
	}
	return n << shift, nil
}

// closest returns the candidate with the smallest edit distance (Levenshtein).
func closest(name string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
