package hook

import (
	"strconv"
	"strings"
)

// DefaultLoopLimit is how many follow-ups in a row Cursor takes from a stop hook
// whose entry in hooks.json has no loop_limit: it runs the hook at loop_count 0 to
// 4 (documented, seen).
const DefaultLoopLimit = 5

// HonorsNullLimit reports whether we assume that this version of Cursor has no
// limit for an entry with loop_limit null: the editor from 2.5 on (reported), the
// CLI, whose versions are dates, from September 2026 on (seen). For an unknown
// version it is false.
func HonorsNullLimit(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil || minor < 0 {
		return false
	}
	const firstYear = 2000
	if major >= firstYear {
		return major > 2026 || major == 2026 && minor >= 9
	}
	return major > 2 || major == 2 && minor >= 5
}
