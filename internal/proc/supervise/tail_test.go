package supervise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"lines stay as they are", "a\n\tb  \n\nc", "a\n\tb  \n\nc"},
		{"newlines at the end go", "a\n\n\n", "a"},
		{"a line of Windows", "a\r\nb\r\n", "a\nb"},
		{"a progress bar is its last version", "10%\r50%\r100%\ndone", "100%\ndone"},
		{"so is one that has not gone on", "10%\r50%\r", "50%"},
		{"a progress bar of Windows", "10%\r100%\r\r\nx", "100%\nx"},
		{"colours go", "\x1b[1;31mFAIL\x1b[0m x\x1b[K", "FAIL x"},
		{"a bar that clears its line", "10%\r\x1b[2K100%", "100%"},
		{"a sequence after a bar erases nothing", "100%\r\x1b[?25h\nFAIL x\r\x1b[0m\r\n10%\r90%\r\x1b[K", "100%\nFAIL x\n90%"},
		{"\\r in a title is a part of it", "a\x1b]0;x\ry\ab", "ab"},
		{"a sequence alone is not a line", numbers(1, 60) + "\n\x1b[0m", numbers(1, 60)},
		{"a sequence that is longer than a line may be goes", "a\x1b]1337;" + strings.Repeat("x", 5*maxBytes) + "\ab", "ab"},
		{"titles go", "\x1b]0;title\aa\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"},
		{"strings for terminals go", "a\x1bPq#0\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d\x1bXz\x1b\\e", "abcde"},
		{"character sets and short sequences go", "\x1b(Ba\x1b=\x1b7b\x1bMc", "abc"},
		{"a sequence that was cut off ends with its line", "\x1b]0;title\na\x1b[3\nb\x1b\nc", "\na\nb\nc"},
		{"control characters go", "a\x00\x01\a\b\v\f\x0e\x7fb", "ab"},
		{"those of two bytes too", "a\u009b31mb\u0085c", "a31mbc"},
		{"invalid UTF-8 is replaced", "a\xff\xfeb\xc3\nü\xe2\x82", "a\uFFFDb\uFFFD\nü\uFFFD"},
		{"letters of all kinds stay", "ü€😀\u0301", "ü€😀\u0301"},
		{"60 lines are kept", numbers(1, 60), numbers(1, 60)},
		{"of 61 the last 60", numbers(1, 61), numbers(2, 61)},
		{"an unfinished line is one of them", numbers(1, 60) + "\nx", numbers(2, 60) + "\nx"},
		{"8 KiB are kept", strings.Repeat("x", maxBytes), strings.Repeat("x", maxBytes)},
		{"of more the end", "yy" + strings.Repeat("x", maxBytes-1), "y" + strings.Repeat("x", maxBytes-1)},
		{"not a part of a character", "€" + strings.Repeat("x", maxBytes-2), strings.Repeat("x", maxBytes-2)},
		{"of several lines too", "€\n" + strings.Repeat("x", maxBytes-2), "\n" + strings.Repeat("x", maxBytes-2)},
		{"of a line of many characters", strings.Repeat("€", 3*maxBytes) + "end", strings.Repeat("€", (maxBytes-3)/3) + "end"},
		{"of one that goes on", strings.Repeat("€", 3*maxBytes) + "\nend", strings.Repeat("€", (maxBytes-4)/3) + "\nend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{len(c.in) + 1, 3, 1} {
				if got := writtenBy(size, c.in); got != c.want {
					t.Errorf("%d bytes a time:\ngot  %.200q\nwant %.200q", size, got, c.want)
				}
			}
		})
	}
}

func FuzzTail(f *testing.F) {
	f.Add("a\x1b[3\xe2\x82\r\n\u009b", 2)
	f.Fuzz(func(t *testing.T, in string, size int) {
		got := writtenBy(max(1, size), in)
		bad := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 }
		if !utf8.ValidString(got) || len(got) > maxBytes || strings.Count(got, "\n") >= maxLines || strings.ContainsFunc(got, bad) {
			t.Errorf("got %d bytes %q of %q", len(got), got, in)
		}
		if whole := writtenBy(len(in)+1, in); got != whole {
			t.Errorf("got %q, want %q as when written at once", got, whole)
		}
	})
}

// writtenBy returns what a Tail keeps of a text that is written in pieces.
func writtenBy(size int, text string) string {
	var kept Tail
	for piece := range slices.Chunk([]byte(text), size) {
		kept.Write(piece)
	}
	return kept.String()
}

func numbers(from, to int) string {
	var lines []string
	for i := from; i <= to; i++ {
		lines = append(lines, fmt.Sprint(i))
	}
	return strings.Join(lines, "\n")
}
