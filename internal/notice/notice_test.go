package notice

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// What an agent writes reaches a desktop, and on Windows perhaps a script.
func TestANotificationIsPlainText(t *testing.T) {
	t.Parallel()
	hostile := "the <b>key</b> & $(calc) `id` \x1b]0;x\a \"@\n\"@\n”@ ]]> \u202e" + strings.Repeat("x", 10000)
	for _, status := range []loop.Status{loop.Blocked, loop.Waiting, loop.Paused, loop.Status("<i>odd")} {
		l := loop.State{Status: status, Reason: hostile, ConversationID: "chat-1", PauseReason: loop.PauseReason(hostile), Workspace: "/w/" + hostile, Contract: loop.Contract{Prompt: hostile}}
		got := Of(l, 0, time.Now(), true).Desktop()
		for _, sign := range []string{"<", ">", "&", "$", "`", `"`, "”", "]]", "\x1b", "\a", "\u202e", "\n'@"} {
			if strings.Contains(got, sign) {
				t.Errorf("%s: got %q in %q", status, sign, got)
			}
		}
		if n := len([]rune(got)); n > 4*reasonLimit || !strings.Contains(got, "the ‹b›key") {
			t.Errorf("%s: got %d characters: %q", status, n, got)
		}
		if asks := strings.Contains(got, "\nTo go on, type /ralph-loop --continue "+l.ShortID()+"\nor open cursor://"); asks != (status == loop.Waiting || status == loop.Paused) {
			t.Errorf("%s: got %q", status, got)
		}
	}
}
