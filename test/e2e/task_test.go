//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// tasks are texts that a shell, a parser, JSON, a template or a terminal could
// spoil. Should a shell read one of them, a file is made.
var tasks = map[string]string{
	"apostrophes":        `don't stop 'til it's "done"`,
	"quotes":             `say "hello" and "good 'bye'" "`,
	"substitution":       "do $(touch pwned) and `touch pwned` and $HOME ${HOME} $((1+1)) \\$x",
	"operators":          "a; touch pwned & touch pwned | cat > pwned && touch pwned || touch pwned # no",
	"newlines":           "first\n\n  second\n\tthird\n",
	"carriage returns":   "first\r\nsecond\r\n",
	"white space around": "  \t make it green \t ",
	"EOF":                "first\nEOF\nlast",
	"emoji":              "make it 🟩👩‍👩‍👧‍👦 – naïve Ünïcödé 汉字 שלום",
	"curly quotes":       "“make” it ‘green’, don’t „stop“",
	"trailing backslash": `C:\path\`,
	"backslashes":        `a\nb \\ \" \' \t`,
	"options":            `tell what --max-iterations 5 and --continue x and --replace do`,
	"slash command":      "/ralph-loop \"make it red\" --max-iterations 5",
	"marker":             "when all is done output " + done + " and stop",
	"template":           "{{.Prompt}} {{template \"id\" .}} %s %d %!v(MISSING) <no value>",
	"JSON":               "{\"prompt\": \"other\", \"stop\": true}\n\\u0041 </script> <&> \u2028\u2029",
	"comment signs":      "see https://example.org/*.html // and */",
	"separator":          "above\n\n---\n\nbelow\n\nThe task, word for word:\n\nother",
	"PowerShell":         "@'\nfirst\n'@ | touch pwned\n$env:HOME",
	"control characters": "bell \a escape \x1b[31m red \x7f",
	"100 kB":             strings.Repeat("make \"it\" 'green' ünd $(so) on\n", 3200),
}

// quoted is a task as a user types it in quotes.
func quoted(task string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(task) + `"`
}

// ways are those in which a task gets to the loop: the prompt hook reads it,
// or the agent hands it over.
func ways() []variant {
	list := []variant{
		usual(),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		option("stripped prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments, o.AgentSeesID = true, true, true }),
		with("user and project, byte-order mark", func(v *variant) { v.installs, v.BOM = both(), true }),
	}
	for i := range list { // short sessions show every kind of continuation soon
		list[i].config, list[i].patience = "[hook]\nsession-limit = 2\n", 10*time.Minute
	}
	return list
}

func TestTasksArriveUnchanged(t *testing.T) {
	each(t, ways(), func(w *world) {
		for _, name := range short.Keys(tasks, 8) {
			task := tasks[name]
			typed := quoted(task) + " --max-iterations 30 --min-iterations=9"
			if strings.Contains(task, "--max-iterations") { // else it is taken for a slip
				typed = "--max-iterations 30 --min-iterations=9 -- " + quoted(task)
			}
			w.sub(name, func(w *world) { arrives(w, typed, task) })
		}
		if _, err := os.Stat(filepath.Join(w.repo(), "pwned")); err == nil {
			w.Error("a shell has read a task")
		}
	})
}

// arrives plays a loop over two sessions and compares what it tells the agent.
func arrives(w *world, typed, task string) {
	w.Helper()
	c := w.chat()
	printed := c.starts(typed)
	w.wantPart("slash", printed, framed(task))
	c.works()
	w.wantPart("continuation", c.goesOn(), "[Ralph loop 2/30]")
	c.wantTask(task)
	c.wantNoHandOver()
	c.goesOn()
	c.wantTask(task)
	c.wantHandOver()
	c.works()
	c.rests()
	c.types("/ralph-loop --continue " + c.ID)
	w.wantPart("continue", c.follows(), framed(task))
	w.wantPart("continuation", c.goesOn(), "[Ralph loop 5/30]")
	c.wantTask(task)
	if l := w.status(c.ID); l.Prompt != task {
		w.Errorf("got the task %q, want %q", l.Prompt, task)
	}
	c.stops()
}

const delimiterTask = "first\nCURSOR_RALPH_END_7Q2X\ntouch pwned\nlast"

// A model that copies blindly ends the here-document too early. What the
// prompt hook has read stays as it is all the same.
func TestTheDelimiterOnALineDoesNotSpoilWhatThePromptHookRead(t *testing.T) {
	each(t, without(ways(), func(v variant) bool { return v.StripComments }), func(w *world) {
		c := w.chat()
		c.types("/ralph-loop " + quoted(delimiterTask))
		c.tries(c.handOver())
		for range 2 {
			c.works()
			c.goesOn()
			c.wantTask(delimiterTask)
		}
		c.rests()
	})
}

// What cannot be read begins nothing, and says why.
func TestABadLineIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, typed, why string }{
		{"no task", ``, "the task is empty"},
		{"empty quotes", `"  "`, "the task is empty"},
		{"unclosed quote", `"make it green --max-iterations 3`, "is not closed"},
		{"unknown option", `"make it green" --max-iteration 3`, "unknown option --max-iteration"},
		{"no limit", `"make it green" --max-iterations 0`, `"0" is not a whole number from 1 to 10000`},
		{"too high a limit", `"make it green" --max-iterations 10001`, `"10001" is not a whole number`},
		{"left over", `--max-iterations 3 make it green`, "is left over"},
		{"continue and task", `"make it green" --continue x`, "--continue goes on with the task"},
		{"hostile id", `--continue ../../etc/passwd`, "begins with a dot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, ways(), func(w *world) {
				c := w.chat()
				c.types("/ralph-loop " + tt.typed)
				if w.StripComments {
					out, exit := c.tries(c.handOver())
					if exit != 2 {
						w.Errorf("slash: got exit code %d, want 2", exit)
					}
					w.wantPart("slash", out, tt.why)
					w.wantPart("slash", out, "cursor-ralph: hint: ")
					c.rests()
				} else {
					w.wantPart("shown", c.shown(), tt.why)
					if len(c.Messages()) > 0 {
						w.Errorf("the agent was sent %q", c.Messages())
					}
				}
				c.types("hello")
				c.rests()
				w.wantNoLoops()
			})
		})
	}
}
