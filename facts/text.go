package facts

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// MS prints nanoseconds as milliseconds with three significant digits, from 10 s on
// as seconds.
func MS(ns float64) string {
	if ns >= 10e9 {
		return fmt.Sprintf("%.1f s", ns/1e9)
	}
	return Significant(ns / 1e6)
}

// Time is MS with its unit.
func Time(ns float64) string {
	if ns >= 10e9 {
		return MS(ns)
	}
	return MS(ns) + " ms"
}

// Significant prints three significant digits without an exponent.
func Significant(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Sprintf("%v", v)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil || rounded == 0 {
		return "0"
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(rounded)))) // of 99.96 as of 100
	return fmt.Sprintf("%.*f", min(max(decimals, 0), 6), v)
}

// Seconds prints a limit: "10 s", "500 ms".
func Seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%g s", d.Seconds())
}
