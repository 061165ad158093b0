package platform

import (
	"path"
	"strings"
	"unicode"
)

// SameFolder tells whether two absolute paths name one folder, as far as the
// text tells. On Windows letter case and the direction of slashes do not
// matter, and an editor may write a path as the path of a URI (/c:/work).
func SameFolder(goos, a, b string) bool {
	if goos == "windows" {
		return strings.EqualFold(windowsFolder(a), windowsFolder(b))
	}
	return path.Clean(a) == path.Clean(b)
}

func windowsFolder(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = p[1:]
	}
	return path.Clean(p)
}

// folderKey is the same text for all that SameFolder calls one folder, and for
// nothing else.
func folderKey(goos, folder string) string {
	if goos == "windows" {
		return strings.Map(folded, windowsFolder(folder))
	}
	return path.Clean(folder)
}

// folded is the first of the letters that strings.EqualFold takes for one.
func folded(r rune) rune {
	first := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		first = min(first, f)
	}
	return first
}
