package platform

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// Folder returns the path of a folder as an editor names it. On Windows Cursor
// uses the path of a URI, /c:/work. If its colon is escaped (/c%3A/work), other
// characters may be too.
func Folder(goos, named string) string {
	if goos != "windows" || len(named) < 3 || named[0] != '/' {
		return named
	}
	rest := named[1:]
	if strings.EqualFold(named[2:min(5, len(named))], "%3A") {
		rest = unescape(rest)
	}
	if len(rest) < 2 || rest[1] != ':' {
		return named
	}
	if len(rest) == 2 { // the root, not the drive's current folder
		rest += "/"
	}
	return strings.ToUpper(rest[:1]) + strings.ReplaceAll(rest[1:], "/", `\`) // as Windows itself writes it
}

// unescape leaves invalid escapes as they are.
func unescape(s string) string {
	var b strings.Builder
	for s != "" {
		n := 1
		c := s[0]
		if c == '%' && len(s) > 2 {
			if v, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
				c, n = byte(v), 3
			}
		}
		b.WriteByte(c)
		s = s[n:]
	}
	return b.String()
}

// SameFolder reports whether two absolute paths name one folder, going by their
// text. On Windows letter case and the direction of slashes do not matter, and
// either path may be one for Folder.
func SameFolder(goos, a, b string) bool {
	if goos == "windows" {
		return strings.EqualFold(windowsFolder(a), windowsFolder(b))
	}
	return path.Clean(a) == path.Clean(b)
}

func windowsFolder(p string) string {
	return path.Clean(strings.ReplaceAll(Folder("windows", p), `\`, "/"))
}

// folderKey is equal for two paths exactly if they are the SameFolder.
func folderKey(goos, folder string) string {
	if goos == "windows" {
		return strings.Map(folded, windowsFolder(folder))
	}
	return path.Clean(folder)
}

// folded returns the first of the letters that strings.EqualFold treats as equal.
func folded(r rune) rune {
	first := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		first = min(first, f)
	}
	return first
}
