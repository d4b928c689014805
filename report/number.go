package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// missing is printed where there is no number.
const missing = "-"

// count writes an integer with commas.
func count(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	return sign + commas(text)
}

func commas(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// three writes v with three significant digits, and whole numbers from 100 on.
func three(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	if v == 0 {
		return "0"
	}
	_, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', 2, 64), "e")
	power, _ := strconv.Atoi(exponent)
	places := max(0, 2-power)
	if places > 4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	whole, rest, found := strings.Cut(strconv.FormatFloat(math.Abs(v), 'f', places, 64), ".")
	text := commas(whole)
	if found {
		text += "." + rest
	}
	if v < 0 {
		return "-" + text
	}
	return text
}

// millis writes a time given in ms with its unit: seconds from 10 s on.
func millis(ms float64) string {
	if math.Abs(ms) >= 10_000 {
		return three(ms/1000) + " s"
	}
	if text := three(ms); text != missing {
		return text + " ms"
	}
	return missing
}

// limit writes a set time (a timeout, a threshold) given in ms, without added digits.
func limit(ms float64) string {
	switch {
	case math.IsNaN(ms) || math.IsInf(ms, 0):
		return missing
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'f', -1, 64) + " s"
	}
	return strconv.FormatFloat(ms, 'f', -1, 64) + " ms"
}

// points writes a signed difference of two percentages.
func points(v float64) string {
	if math.Abs(v) >= 0.005 || v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		text := decimals(v, 2)
		if v > 0 && text != missing {
			return "+" + text
		}
		return text
	}
	return signedThree(v)
}

// signed writes v with its sign and one decimal, none from 100 on.
func signed(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	places := 1
	if math.Abs(v) >= 100 {
		places = 0
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	whole, rest, found := strings.Cut(text, ".")
	text = commas(whole)
	if found {
		text += "." + rest
	}
	if strings.Trim(text, "0.") == "" {
		return text
	}
	if v < 0 {
		return "-" + text
	}
	return "+" + text
}

// signedThree writes v with its sign and three significant digits.
func signedThree(v float64) string {
	if text := three(v); text == missing || text == "0" || v < 0 {
		return text
	}
	return "+" + three(v)
}

// share writes a percentage; one that is not whole is never rounded up to 100.
func share(pct float64) string {
	if math.IsNaN(pct) || math.IsInf(pct, 0) {
		return missing
	}
	text := strconv.FormatFloat(pct, 'f', 1, 64)
	switch {
	case pct == 100:
		return "100"
	case text == "100.0" && pct < 100:
		return strconv.FormatFloat(math.Floor(pct*100)/100, 'f', 2, 64)
	case pct == 0:
		return "0"
	case pct > 0 && pct < 1:
		return strconv.FormatFloat(pct, 'g', 2, 64)
	}
	return text
}

// decimals writes v with a fixed number of places.
func decimals(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// optional writes *v by write, or the sign for a missing number.
func optional(v *float64, write func(float64) string) string {
	if v == nil {
		return missing
	}
	return write(*v)
}

// seconds writes a place in the window, to the millisecond, without added digits.
func seconds(s float64) string {
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return missing
	}
	return strconv.FormatFloat(math.Round(s*1000)/1000, 'f', -1, 64)
}

// span writes a length of time given in seconds, as people say it.
func span(seconds float64) string {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return missing
	}
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	if d < time.Minute {
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	if d < time.Hour {
		return strconv.Itoa(int(d.Minutes())) + " min " + strconv.Itoa(int(d.Seconds())%60) + " s"
	}
	return strconv.Itoa(int(d.Hours())) + " h " + strconv.Itoa(int(d.Minutes())%60) + " min"
}

// percentile writes the quantile q as people name it: p95, p99.9. The nearer to 1 the more
// decimals it needs to be told apart.
func percentile(q float64) string {
	if !(q >= 0 && q < 1) {
		return "p" + decimals(100*q, 0)
	}
	places := max(0, 1+int(math.Floor(-math.Log10(1-q))))
	text := strconv.FormatFloat(100*q, 'f', places, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return "p" + text
}

// instant writes a time of day in UTC.
func instant(t time.Time) string {
	if t.IsZero() {
		return missing
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
