package arrival

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// maxRateText bounds the digits, and so the work, of one parse.
const maxRateText = 40

// ParseRate reads arrivals per time: a count (50, 0.2, 1.5k), a slash, and a period
// (s, 10s, 100ms, m or min, h). The result is exact: 3000/m is 50/s.
func ParseRate(text string) (Rate, error) {
	fail := func(why string) (Rate, error) {
		return Rate{}, fmt.Errorf("rate %q: %s: write 50/s, 3000/m or 1/10s", shorten(text), why)
	}
	if len(text) > maxRateText {
		return fail(fmt.Sprintf("it is longer than %d characters", maxRateText))
	}
	count, period, found := strings.Cut(strings.TrimSpace(text), "/")
	if !found {
		return fail("it does not say per what time")
	}
	arrivals, ok := parseCount(strings.TrimSpace(count))
	if !ok {
		return fail(fmt.Sprintf("%q is not a count", count))
	}
	nanoseconds, ok := parsePeriod(strings.TrimSpace(period))
	if !ok {
		return fail(fmt.Sprintf("%q is not a time", period))
	}
	if nanoseconds.Sign() == 0 {
		return fail("the time must be above zero")
	}
	r, why := fromRat(arrivals.Quo(arrivals, nanoseconds))
	if why != "" {
		return fail(why)
	}
	return r, nil
}

// parseCount reads a plain decimal number, in thousands when it ends in k.
func parseCount(s string) (*big.Rat, bool) {
	digits, thousands := strings.CutSuffix(s, "k")
	n, ok := parseDecimal(digits)
	if ok && thousands {
		n.Mul(n, big.NewRat(1000, 1))
	}
	return n, ok
}

// parsePeriod reads a number and a unit, or a unit alone, as nanoseconds.
func parsePeriod(s string) (*big.Rat, bool) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz")
	unit, ok := unitOf(s[len(digits):])
	if !ok {
		return nil, false
	}
	if digits == "" {
		return big.NewRat(int64(unit), 1), true
	}
	n, ok := parseDecimal(strings.TrimSpace(digits))
	if !ok {
		return nil, false
	}
	return n.Mul(n, big.NewRat(int64(unit), 1)), true
}

func unitOf(name string) (time.Duration, bool) {
	switch name {
	case "us":
		return time.Microsecond, true
	case "ms":
		return time.Millisecond, true
	case "s", "sec":
		return time.Second, true
	case "m", "min":
		return time.Minute, true
	case "h":
		return time.Hour, true
	}
	return 0, false
}

// parseDecimal reads digits with at most one point: no sign, no exponent, no fraction
// bar, all of which big.Rat would take.
func parseDecimal(s string) (*big.Rat, bool) {
	whole, part, _ := strings.Cut(s, ".")
	if whole+part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func shorten(s string) string {
	if len(s) > maxRateText {
		return s[:maxRateText] + "..."
	}
	return s
}
