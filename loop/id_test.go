package loop_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func goodIDs() []string {
	return []string{
		"a", "7", "-", "_", "azAZ09", "a.b", "a..b", "--help", "c0ffee00-1234-4abc-8def-0123456789ab",
		"agent-c0ffee00-1234-4abc-8def-0123456789ab", "ABC_def.9-", strings.Repeat("x", 128),
	}
}

func badIDs() map[string]string {
	return map[string]string{
		"empty":                        "",
		"too long":                     strings.Repeat("x", 129),
		"a dot":                        ".",
		"two dots":                     "..",
		"hidden":                       ".lock",
		"a path":                       "a/b",
		"the folder above":             "../../etc/passwd",
		"an absolute path":             "/etc/passwd",
		"a path of Windows":            `..\a`,
		"a drive":                      "C:x",
		"a stream of Windows":          "a:b",
		"a space":                      "a b",
		"a space at its end":           "a ",
		"a newline":                    "a\nb",
		"a newline at its end":         "a\n",
		"a carriage return":            "a\r",
		"a tab":                        "a\tb",
		"a zero byte":                  "a\x00b",
		"a zero byte at its end":       "a\x00",
		"a quote":                      `a"b`,
		"an apostrophe":                "a'b",
		"a backtick":                   "a`b`",
		"a command":                    "$(id)",
		"a variable":                   "a$b",
		"another command":              "a;id",
		"a pattern":                    "a*",
		"a tilde":                      "a~1",
		"an ampersand":                 "a&b",
		"a percent":                    "a%2fb",
		"a plus":                       "a+b",
		"an equals sign":               "a=b",
		"an at sign":                   "a@b",
		"letters beyond ASCII":         "café",
		"digits beyond ASCII":          "١٢",
		"a slash beyond ASCII":         "a／b",
		"a mark that turns the text":   "a\u202eb",
		"no text":                      "a\xff",
		"a delete":                     "a\x7f",
		"an escape":                    "\x1b[31m",
		"right before the small a":     "`",
		"right behind the small z":     "{",
		"right before the capital A":   "@",
		"right behind the capital Z":   "[",
		"right before the zero":        "/",
		"right behind the nine":        ":",
		"a line separator, as a space": "a\u2028b",
	}
}

func TestCheckID(t *testing.T) {
	for _, id := range goodIDs() {
		if err := loop.CheckID(id); err != nil {
			t.Errorf("%q: got %v", id, err)
		}
	}
	for name, id := range badIDs() {
		t.Run(name, func(t *testing.T) {
			err := loop.CheckID(id)
			if err == nil {
				t.Fatal("got no error")
			}
			if s := err.Error(); len(s) > 250 || strings.ContainsAny(s, "\n\r\t\x00\x1b\u202e\u2028") {
				t.Errorf("got an error that is no clean line: %q", s)
			}
		})
	}
}

func TestThePromptLinkCarriesTheContinueLine(t *testing.T) {
	for _, id := range goodIDs() {
		link := loop.PromptLink(id)
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if u.Scheme != "cursor" || u.Host != "anysphere.cursor-deeplink" || u.Path != "/prompt" || len(link) > 8000 {
			t.Errorf("got %s", link)
		}
		if got, want := u.Query().Get("text"), loop.ContinueLine(id); got != want || len(u.Query()) != 1 {
			t.Errorf("got %q want %q", got, want)
		}
		name, rest, ok := loop.SlashCommand(loop.ContinueLine(id))
		r, err := cmdline.Parse(rest, nil)
		if name != "ralph-loop" || !ok || err != nil && !strings.HasPrefix(id, "--") || err == nil && r.Continue != id {
			t.Errorf("got /%s, continue %q, %v want %q", name, r.Continue, err, id)
		}
	}
}

func TestNoLineContinuesAHostileID(t *testing.T) {
	for name, id := range badIDs() {
		for _, line := range []string{"--continue " + id, "--continue=" + id, `--continue "` + id + `"`} {
			if r, err := cmdline.Parse(line, nil); err == nil && loop.CheckID(r.Continue) != nil {
				t.Errorf("%s: %q: got %q", name, line, r.Continue)
			}
		}
	}
}
