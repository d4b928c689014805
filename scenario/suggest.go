package scenario

import (
	"fmt"
	"strings"
)

// didYouMean returns `did you mean "weight"?`, or nothing when no known word is near.
func didYouMean(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}

// knownWords returns `LABEL: a, b. Did you mean "a"?`.
func knownWords(label, word string, known []string) string {
	if len(known) == 0 {
		return label + ": none"
	}
	hint := label + ": " + strings.Join(known, ", ")
	if best := Nearest(word, known); best != "" {
		hint += fmt.Sprintf(". Did you mean %q?", best)
	}
	return hint
}

// Nearest returns the known word with the smallest edit distance from word, if that is
// at most a third of its length; the first of equals.
func Nearest(word string, known []string) string {
	best, limit := "", max(1, len([]rune(word))/3)+1
	for _, k := range known {
		if d := distance([]rune(word), []rune(k), limit); d < limit {
			best, limit = k, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions,
// replacements and swaps of neighbours each cost 1. It gives up at limit.
func distance(a, b []rune, limit int) int {
	if abs := max(len(a)-len(b), len(b)-len(a)); abs >= limit {
		return limit
	}
	twoUp := make([]int, len(b)+1)
	up := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range up {
		up[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			change := up[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, up[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], twoUp[j-1]+1)
			}
		}
		twoUp, up, row = up, row, twoUp
	}
	return up[len(b)]
}
