//go:build linux

package agents_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/modelserver"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// Real agents review the work of another one. Their model first tries to write and to
// execute, which a reviewer may not, then finds something; then it gives no valid
// answer, and is asked again.
func TestRealAgentsReview(t *testing.T) {
	short.Skip(t)
	needsAgents(t)
	all := theAgents()
	for _, tt := range []struct {
		agent string
		tools int // that are offered all the same: to write, to execute
	}{
		{"opencode", 0},
		{"gemini", 1},
		{"codex", 2},
		{"claude", 2},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, all[tt.agent])
			p.fills(withCode)
			evil := turn{write(p.path("evil.txt"), "evil\n"), execute("echo evil >'" + p.path("evil2.txt") + "'")}[:tt.tools]
			p.model(
				append(evil, say(`{"code":"CODE","verdict":"findings","findings":[{"file":"work.txt","line":1,"problem":"It is empty."}]}`)),
				turn{say("It is fine."), say(`{"code":"CODE","verdict":"clear","findings":[]}`)},
			)
			code, _ := p.ralph("run", "--agent-command", "sh -c 'cat >>told.txt; date >>work.txt; echo \"<promise>COMPLETE</promise>\"'", "--review", tt.agent, "--max-iterations", "3", "--", task)
			l := p.state()
			if code != 0 || l.Status != loop.PromiseAccepted || l.Iterations != 2 {
				p.Fatalf("got exit code %d, %s at iteration %d (%s); want 0, %s at 2", code, l.Status, l.Iterations, l.Reason, loop.PromiseAccepted)
			}
			for _, evil := range []string{"evil.txt", "evil2.txt"} {
				if _, err := os.Stat(p.path(evil)); err == nil {
					p.Errorf("the reviewer made %s", evil)
				}
			}
			if told := p.read("told.txt"); !strings.Contains(told, "- work.txt:1: It is empty.") {
				p.Errorf("the agent got %q", told)
			}
			prompts := p.prompts()
			if len(prompts) == 0 || !strings.Contains(prompts[0], "\nadded work.txt\n") || !strings.Contains(prompts[0], task) {
				p.Errorf("the reviewer was asked %q", prompts)
			}
			if _, h := p.ralph("history", "--json", l.ConversationID); !strings.Contains(h, `"verdict": "findings"`) || !strings.Contains(h, `"verdict": "clear"`) {
				p.Errorf("got the history %s", h)
			}
			p.nothingLeft()
		})
	}
}

// withCode puts the answer code of a prompt into the model's answer.
func withCode(r modelserver.Request, a modelserver.Answer) modelserver.Answer {
	for _, m := range r.Messages {
		if code := regexp.MustCompile(`The answer code is (\w+)`).FindStringSubmatch(m.Text); code != nil {
			a.Text = strings.ReplaceAll(a.Text, "CODE", code[1])
		}
	}
	return a
}
