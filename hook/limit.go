package hook

import (
	"strconv"
	"strings"
)

// DefaultLoopLimit is how many times in a row Cursor lets a stop hook answer
// with a follow-up where its entry in hooks.json has no loop_limit: the hook is
// run at loop_count 0 to 4. Source: Cursor's documentation, and seen.
const DefaultLoopLimit = 5

// HonoursNullLimit tells whether a Cursor of this version is taken to lift the
// limit for an entry with a loop_limit of null: the editor from 2.5 on
// (reported), the CLI, whose versions are dates, from September 2026 on (seen).
// An unknown version is taken not to.
func HonoursNullLimit(version string) bool {
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
