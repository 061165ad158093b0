//go:build unix

package e2e_test

import (
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

const ownWords = `Round {{.Iteration}} of {{.Max}} for {{.ID}}: {{.Why}}
TASK={{.Task}}=TASK
{{range .Context}}user: {{.}}
{{end}}{{range .Notices}}notice: {{.}}
{{end}}{{with .Struggle}}stuck: {{.}}
{{end}}Say {{.Marker}} when done. {{.NoteCommand}} "..."; {{.BlockedCommand}} "..."`

func (w *world) template(text string) string {
	path := filepath.Join(w.repo(), "own.tmpl")
	w.write(path, text)
	return path
}

func TestTheUsersOwnWords(t *testing.T) {
	each(t, []variant{
		usual(),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		with("user and project", func(v *variant) { v.installs = both() }),
	}, func(w *world) {
		w.template(ownWords)
		const task = "make it <green> & {{.Nothing}} \"now\""
		c := w.chat()
		c.starts(`'` + task + `' --prompt-template own.tmpl --max-iterations 9`)
		c.works()
		w.ok(w.repo(), "context", c.ID, "the <database> is up")
		text := c.goesOn()
		w.wantPart("continuation", text, "Round 2 of 9 for "+c.ID+": You stopped, but")
		w.wantPart("continuation", text, "TASK="+task+"=TASK\nuser: the <database> is up\nSay <promise>COMPLETE</promise> when done. ")
		w.wantPart("continuation", text, "cursor-ralph note "+c.ID+` "..."; `)
		w.wantNoPart("continuation", text, "[Ralph loop")
		c.works()
		w.wantNoPart("next continuation", c.goesOn(), "database")
		if l := w.status(c.ID); l.SessionIterations != 2 { // it was known as our own
			w.Errorf("got %d iterations in this session, want 2", l.SessionIterations)
		}
		c.says(done)
		c.concludes()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 3)
	})
}

func TestOwnWordsInANewSession(t *testing.T) {
	once(t, func(w *world) {
		w.settings("[loop]\nprompt-template = '" + w.template(ownWords) + "'\n")
		c := w.chat()
		c.starts(`"make it green"`)
		c.works()
		c.goesOn()
		w.ok(w.repo(), "pause", c.ID)
		c.works()
		c.rests()
		c.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", c.follows(), "of 20 for "+c.ID+": The user continues")
		c.stops()
	})
}

// A template that breaks while the loop runs gives way to the built-in words.
func TestOwnWordsThatBreak(t *testing.T) {
	t.Parallel()
	templates := map[string]string{
		"no template":       "{{.Marker",
		"an unknown field":  "{{.Marker}} {{.Secret}}",
		"no marker":         "go on",
		"too long":          "{{.Marker}}{{range 200000}}xxxx{{end}}",
		"without an end":    "{{.Marker}}{{range 1000000000000}}{{end}}",
		"itself in itself":  `{{define "x"}}{{template "x"}}{{end}}{{.Marker}}{{template "x"}}`,
		"a file of nothing": "",
	}
	for _, name := range short.Keys(templates, 2) {
		broken := templates[name]
		t.Run(name, func(t *testing.T) {
			once(t, func(w *world) {
				w.template(ownWords)
				c := w.chat()
				c.starts(`"make it green" --prompt-template own.tmpl`)
				c.works()
				w.template(broken)
				text := c.goesOn()
				w.wantPart("continuation", text, "[Ralph loop 2/20]")
				w.wantPart("continuation", text, "prompt template could not be used")
				w.template(ownWords)
				c.works()
				w.wantPart("next continuation", c.goesOn(), "Round 3 of 20")
				c.stops()
			})
		})
	}
}

func TestOwnWordsThatAreWrongFromTheStart(t *testing.T) {
	once(t, func(w *world) {
		w.template("no promise")
		c := w.chat()
		c.types(`/ralph-loop "make it green" --prompt-template own.tmpl`)
		w.wantPart("the chat", c.shown(), "own.tmpl: the promise is not in its text: put {{.Marker}}")
		w.wantPart("start", w.refused(w.repo(), "start", "x", "--prompt-template", "own.tmpl"), "the promise is not in its text")
		w.wantPart("start", w.refused(w.repo(), "start", "x", "--prompt-template", "gone.tmpl"), "no such file")
		w.wantPart("loop-mode", w.refused(w.repo(), "loop-mode", "on", "--prompt-template", "own.tmpl"), "the promise is not in its text")
		w.wantNoLoops()
	})
}
