package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// What the user adds is delivered once: a template that leaves it out must not make
// it vanish.
func TestContextReachesTheAgentWhateverTheTemplate(t *testing.T) {
	for _, test := range []struct{ name, filled, want string }{
		{"left out", "Go on.\n", "Go on.\n\nAdded by the user:\n- use port 5433\n\nPlease note:\n- it was late\n"},
		{"partly", "it was late", "it was late\n\nAdded by the user:\n- use port 5433\n"},
		{"all there", "use port 5433, it was late\n", "use port 5433, it was late\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := loop.New()
			s.Prompt, s.Status, s.PromptTemplate = "x", loop.Running, "/t"
			s.Context, s.Notices = []string{"use port 5433"}, []string{"it was late"}
			e := loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed, Waited: true}, Answers: loop.Answers{Words: true}}
			_, action := loop.Decide(s, e, time.Unix(1000, 0))
			if action.Kind != loop.AskWords {
				t.Fatalf("got %q, want %q", action.Kind, loop.AskWords)
			}
			e.Filled = loop.Filled{For: action.Words.Default, Text: test.filled}
			if _, action = loop.Decide(s, e, time.Unix(1000, 0)); action.Text != test.want {
				t.Errorf("got %q, want %q", action.Text, test.want)
			}
		})
	}
}
