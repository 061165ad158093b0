package hint

import "github.com/agnivade/levenshtein"

// DidYouMean begins a hint with the name that is closest to what was typed, if one is
// close.
func DidYouMean(typed string, names []string) string {
	best, least := "", 1+max(len(typed)/3, min(2, len(typed)/2))
	for _, name := range names {
		if d := levenshtein.ComputeDistance(typed, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "? "
}
