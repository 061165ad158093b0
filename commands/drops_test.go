package commands

import "testing"

// What JavaScript reads must pass; each answer here is that of `new RegExp`.
func TestBadPattern(t *testing.T) {
	for pattern, bad := range map[string]bool{
		"": false, "*": false, "Shell|Write": false, "^mcp_.*$": false, "(?:a|b)+?": false, "a{2,}": false, "}": false, "]": false, `\Q`: false,
		"(?=x)y": false, "(?!x)y": false, "(?<=x)y": false, "(?<!x)y": false, "(?<n>x)": false, `(a)\1`: false, "[]": false, "[^]a": false, `[\d-z]`: false,
		`[(?i)]`: false, `\(?i)`: true, "a{99999}": false,
		"(cursor-ralph": true, "a)": true, "[a": true, `a\`: true, "[z-a]": true, "+": true, "Shell|*": true, "a**": true, "(?i)shell": true, "(?P<n>a)": true,
	} {
		if err := badPattern(pattern); (err != nil) != bad {
			t.Errorf("%q: got %v, bad is %t", pattern, err, bad)
		}
	}
}
