package scenario

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// minSecret is the shortest text that is masked: hiding every "1" would hide the report.
const minSecret = 4

// masked stands for a secret. It is plain text in YAML, JSON and shell quotes, so that a
// masked scenario is still a scenario.
const masked = "(masked)"

// isSecretName says whether an environment variable's value must never be shown.
func isSecretName(name string) bool {
	upper := strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "PASSWORD", "SECRET"} {
		if strings.Contains(upper, word) {
			return true
		}
	}
	return false
}

// isSecretHeader says the same of a header.
func isSecretHeader(canonical string) bool {
	return slices.Contains([]string{"Authorization", "Proxy-Authorization", "Cookie"}, canonical) ||
		isSecretName(canonical)
}

// secret notes a value that Mask must hide.
func (r *reader) secret(value string) {
	if len(value) >= minSecret && !slices.Contains(r.out.Secrets, value) {
		r.out.Secrets = append(r.out.Secrets, value)
	}
}

// secretParts notes the literal text of a template.
func (r *reader) secretParts(t Template) {
	for _, p := range t.Parts {
		if p.Call == nil {
			r.secret(strings.TrimSpace(p.Text))
		}
	}
}

// Mask hides the secrets of the scenario in a text that leaves the process, plain and
// as they look inside JSON and URLs.
func (s *Scenario) Mask(text string) string {
	var forms []string
	for _, secret := range s.Secrets {
		forms = append(forms, secret, jsonEscape(secret), url.QueryEscape(secret), url.PathEscape(secret))
	}
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, masked)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Resolved returns the scenario as it may be stored beside results: the text of the
// file, which names environment variables and does not hold their values, with the
// secrets that are written in it masked. ParseStored reads it again.
func (s *Scenario) Resolved() []byte {
	return []byte(s.Mask(string(s.Source)))
}

// checkMask demands that the scenario can be read again after it was stored. A secret that
// is also a word of the file, as a token "order" of a service order, would be masked there too.
func (r *reader) checkMask() {
	for _, secret := range r.out.Secrets {
		alone := &Scenario{Source: r.out.Source, Secrets: []string{secret}}
		if _, problems := ParseStored(r.src.file, alone.Resolved()); !problems.Failed() {
			continue
		}
		before, _, found := strings.Cut(r.src.text, secret)
		at := Pos{1, 1}
		if found {
			last := 1 + strings.LastIndexByte(before, '\n')
			at = Pos{1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[last:])}
		}
		r.report(at, utf8.RuneCountInString(secret), "a secret is also a word of this file, so it cannot be masked", "use another value for the secret, or rename this")
	}
}
