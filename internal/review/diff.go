package review

import (
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Diff is what changed since the loop began.
type Diff struct {
	Since string   // what it is compared with, in words
	Files []string // that changed
	Patch string   // as git prints it; it may be cut
	Cut   bool     // Patch is not all of it

	// Files that agents obey, or programs execute, on their own, which are not in the
	// reviewer's folder: those that changed, and those that git ignores.
	Obeyed, Ignored []string
	Hidden          []string // what else is not shown, with the reason
}

// How much of a diff is given, in bytes.
const (
	givenDiff  = 200 << 10
	givenFile  = 60 << 10 // of one file
	givenFiles = 20 << 10 // the list of files
)

func (d Diff) title(of string) string { return of + ", compared with " + d.Since }

// obeyed names the files that are not in the reviewer's folder.
func (d Diff) obeyed() string {
	var b strings.Builder
	for _, part := range []struct {
		words string
		files []string
	}{
		{"changed or added by the other agent, so also in the diff:", d.Obeyed},
		{"ignored by git, so it is not known whether the other agent changed them, and they are not in the diff:", d.Ignored},
	} {
		if len(part.files) > 0 {
			b.WriteString(part.words + "\n" + cutLines(part.files, givenFiles) + "\n")
		}
	}
	return b.String()
}

// given returns the list of files and the patch within their limits. Both say what
// was cut.
func (d Diff) given() (files, patch string) {
	switch {
	case len(d.Files) == 0:
		files = "(no file changed)"
	default:
		files = cutLines(d.Files, givenFiles)
	}
	return files, d.patch()
}

// cutLines joins as many lines as fit.
func cutLines(list []string, most int) string {
	size := 0
	for i, line := range list {
		if size += len(line) + 1; size > most {
			return strings.Join(list[:i], "\n") + fmt.Sprintf("\n(cut here: %s more)", text.Count(len(list)-i, "file"))
		}
	}
	return strings.Join(list, "\n")
}

// patch cuts each file's part, and what no longer fits after it.
func (d Diff) patch() string {
	if d.Patch == "" && !d.Cut {
		return "(empty)"
	}
	var b strings.Builder
	left, parts := givenDiff, sections(d.Patch)
	for i, part := range parts {
		if len(part) > givenFile {
			part = cut(part, givenFile)
		}
		if len(part) > left {
			b.WriteString(cut(part, left))
			return b.String() + fmt.Sprintf("(cut here: the changes to %s are not shown; read the files)\n", text.Count(len(parts)-i-1, "more file"))
		}
		left -= len(part)
		b.WriteString(part)
	}
	if d.Cut {
		b.WriteString("(cut here: the diff is too large to show all of it; read the files)\n")
	}
	return b.String()
}

func cut(part string, most int) string {
	kept := text.Prefix(part, most)
	return kept + fmt.Sprintf("\n(cut here: %s of this file's diff are not shown)\n", text.Count(len(part)-len(kept), "byte"))
}

// sections splits a patch by file.
func sections(patch string) (list []string) {
	for patch != "" {
		end := strings.Index(patch[1:], "\ndiff --git ")
		if end < 0 {
			return append(list, patch)
		}
		list, patch = append(list, patch[:end+2]), patch[end+2:]
	}
	return list
}
