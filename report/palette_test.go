package report_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The colours are read from the style sheet itself: WCAG 2 asks for a contrast of 4.5 for text
// and of 3 for marks, on the page and on panels, in light, dark and print.
func TestPaletteContrast(t *testing.T) {
	css, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`\{(--bg:[^}]*)\}`).FindAllStringSubmatch(string(css), -1)
	if len(blocks) != 4 {
		t.Fatalf("%d palettes, want light, dark by preference, dark by choice, print", len(blocks))
	}
	if blocks[1][1] != blocks[2][1] {
		t.Error("the two dark palettes differ")
	}
	for i, b := range blocks {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+):(#[0-9a-f]+)`).FindAllStringSubmatch(b[1], -1) {
			colour[m[1]] = m[2]
		}
		for _, name := range []string{"ink", "ink2", "A", "B", "pass", "warn", "fail", "unclear"} {
			for _, ground := range []string{"bg", "panel"} {
				if c := contrast(colour[name], colour[ground]); c < 4.5 {
					t.Errorf("palette %d: %s on %s has contrast %.2f, want 4.5", i, name, ground, c)
				}
			}
		}
	}
	if got := contrast("#000", "#fff"); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white has contrast %v, want 21", got)
	}
}

// contrast is the WCAG 2 contrast ratio of two colours.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	hex = strings.TrimPrefix(hex, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			return math.NaN()
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
