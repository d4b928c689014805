package scenario

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/perfctl/perfctl/arrival"
)

const durationHint = "write 500ms, 30s, 3m, 1h or 2d"

// durationPart is one number with its unit.
var durationPart = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(ns|us|µs|ms|s|m|h|d)`)

// parseDuration reads "1h30m" and the like, exactly; a day is 24 hours. The error is a
// phrase that follows the name of the quantity.
func parseDuration(text string) (time.Duration, error) {
	if isNumber(text) {
		return 0, fmt.Errorf("needs a unit")
	}
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("cannot be negative")
	}
	units := map[string]time.Duration{
		"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond,
		"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	total := new(big.Rat)
	for rest := text; rest != "" || text == ""; {
		part := durationPart.FindStringSubmatch(rest)
		if part == nil {
			return 0, fmt.Errorf("is not a duration")
		}
		number, ok := new(big.Rat).SetString(part[1])
		if !ok {
			return 0, fmt.Errorf("is not a duration")
		}
		total.Add(total, number.Mul(number, new(big.Rat).SetInt64(int64(units[part[2]]))))
		rest = rest[len(part[0]):]
	}
	nanoseconds := new(big.Int).Quo(total.Num(), total.Denom())
	if !nanoseconds.IsInt64() {
		return 0, fmt.Errorf("is too long")
	}
	return time.Duration(nanoseconds.Int64()), nil
}

// isNumber says whether a text is a number without a unit.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// duration reads a duration of at least low, or 0 after reporting that it is not one.
func (r *reader) duration(n *yaml.Node, what string, low time.Duration) time.Duration {
	text, ok := r.text(n, what)
	if !ok {
		return 0
	}
	d, err := parseDuration(text)
	if err != nil {
		r.errorAt(n, what+" "+err.Error(), durationHint)
		return 0
	}
	if d < low {
		r.errorAt(n, fmt.Sprintf("%s must be at least %v", what, low), "")
		return 0
	}
	return d
}

// rate reads a rate of arrivals. The zero rate is returned after a mistake.
func (r *reader) rate(n *yaml.Node, what string) arrival.Rate {
	const hint = "write 50/s, 3000/m or 1/10s"
	text, ok := r.text(n, what)
	if !ok {
		return arrival.Rate{}
	}
	if isNumber(text) {
		r.errorAt(n, what+" needs a unit", hint)
		return arrival.Rate{}
	}
	rate, err := arrival.ParseRate(text)
	if err != nil {
		r.errorAt(n, strings.TrimSuffix(err.Error(), ": "+hint), hint)
		return arrival.Rate{}
	}
	return rate
}

// parsePercent reads "10%" as 10; the error is a phrase that follows the name.
func parsePercent(text string) (float64, error) {
	number, found := strings.CutSuffix(text, "%")
	if !found {
		if isNumber(text) {
			return 0, fmt.Errorf("needs a %% sign")
		}
		return 0, fmt.Errorf("is not a percentage")
	}
	v, err := parseNumber(strings.TrimSpace(number))
	if err != nil {
		return 0, fmt.Errorf("is not a percentage")
	}
	if v < 0 || v > 100 {
		return 0, fmt.Errorf("must be from 0%% to 100%%")
	}
	return v, nil
}

// parseNumber reads a plain finite decimal number.
func parseNumber(text string) (float64, error) {
	if strings.ContainsAny(text, "xXpP_iInN") {
		return 0, fmt.Errorf("is not a number")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("is not a number")
	}
	return v, nil
}
