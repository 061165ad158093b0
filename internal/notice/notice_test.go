package notice

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// What an agent writes reaches a desktop, and on Windows perhaps a script.
func TestANotificationIsPlainText(t *testing.T) {
	hostile := "the <b>key</b> & $(calc) `id` \x1b]0;x\a \"@\n\"@\n”@ ]]> \u202e" + strings.Repeat("x", 10000)
	for _, status := range []loop.Status{loop.Blocked, loop.Waiting, loop.Paused, loop.Status("<i>odd")} {
		l := loop.State{Status: status, Reason: hostile, ConversationID: "chat-1", PauseReason: loop.PauseReason(hostile), Workspace: "/w/" + hostile, Contract: loop.Contract{Prompt: hostile}}
		got := Of(l, time.Now(), true).Desktop()
		for _, sign := range []string{"<", ">", "&", "$", "`", `"`, "”", "]]", "\x1b", "\a", "\u202e", "\n'@"} {
			if strings.Contains(got, sign) {
				t.Errorf("%s: got %q in %q", status, sign, got)
			}
		}
		if n := len([]rune(got)); n > 4*reasonLimit || !strings.Contains(got, "the ‹b›key") {
			t.Errorf("%s: got %d characters: %q", status, n, got)
		}
		if asks := strings.Contains(got, "\nTo go on, type /ralph-loop --continue chat-1\nor open cursor://"); asks != (status == loop.Waiting || status == loop.Paused) {
			t.Errorf("%s: got %q", status, got)
		}
	}
}

// On macOS beeep writes both texts into AppleScript as Go quotes them. AppleScript knows five of the escapes that Go uses.
func TestANotificationIsTextThatAppleScriptReads(t *testing.T) {
	foreign := regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*(\\[^\\"nrt])`)
	for _, hostile := range []string{
		"ends in a backslash \\", "a \"quoted\" text", "controls \a\b\f\v\x00\x7f\u0085", "no UTF-8 \xff\xfe",
		"private \ue000 \U0010fffd", "unassigned \u0378 \U000e0100", "a family \U0001f469\u200d\U0001f680, joined\u200c", "bidi \u202e\u2066",
		"spaces \u00a0\u2003\u3000\ufeff\u00ad", "lines \u2028\u2029\r\n\t",
	} {
		l := loop.State{Status: loop.Waiting, Reason: hostile, ConversationID: "chat-1", Workspace: "/home/u/" + hostile}
		script := fmt.Sprintf("display notification %q with title %q", Of(l, time.Now(), true).Desktop(), Of(l, time.Now(), true).Title)
		if found := foreign.FindStringSubmatch(script); found != nil {
			t.Errorf("AppleScript cannot read %s in %s", found[1], script)
		}
		if strings.Count(strings.ReplaceAll(script, `\\`, ""), `"`) != 4 {
			t.Errorf("a text ends early in %s", script)
		}
	}
}

// What is asked for may be secret: the notification says only that the run waits.
func TestANotificationOfAQuestion(t *testing.T) {
	l := loop.State{Status: loop.Running, Contract: loop.Contract{Iterations: 2, MaxIterations: 20}, OuterRun: loop.OuterRun{Asking: loop.Asking{Since: time.Now(), What: "run secret"}}}
	if got := Of(l, time.Now(), true).Desktop(); !strings.HasPrefix(got, "Waiting for your permission in iteration 3 of 20.") || strings.Contains(got, "secret") {
		t.Errorf("got %q", got)
	}
}
