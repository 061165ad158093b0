//go:build unix

package simcursor_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

func TestAnswerOfStopHook(t *testing.T) {
	t.Parallel()
	const yes = `{"followup_message":"more"}`
	read := func(then string) string { return "cat >/dev/null; " + then }
	for name, tt := range map[string]struct {
		command string
		used    bool
		problem string
	}{
		"one object":             {read(`echo '` + yes + `'`), true, ""},
		"several lines":          {read(`printf '{\n"followup_message":\n"more"}\n\n'`), true, ""},
		"log lines before":       {read(`echo log; echo '[1] {x}'; echo '` + yes + `'`), true, ""},
		"nothing":                {read(`true`), false, ""},
		"empty object":           {read(`echo '{}'`), false, ""},
		"not a string":           {read(`echo '{"followup_message":1}'`), false, ""},
		"text":                   {read(`echo more`), false, "not a JSON object"},
		"array":                  {read(`echo '[` + yes + `]'`), false, "not a JSON object"},
		"log on the same line":   {read(`echo 'log: ` + yes + `'`), false, "not a JSON object"},
		"text after":             {read(`echo '` + yes + `'; echo bye`), false, "text after"},
		"text after, same line":  {read(`echo '` + yes + ` bye'`), false, "text after"},
		"two objects":            {read(`echo '{}'; echo '` + yes + `'`), false, "text after"},
		"exit 1":                 {read(`echo '` + yes + `'; exit 1`), false, "exit code 1"},
		"exit 2":                 {read(`echo '` + yes + `'; exit 2`), false, "exit code 2"},
		"killed":                 {read(`echo '` + yes + `'; kill -9 $$`), false, "exit code -1"},
		"command not found":      {read(`/no/such/program`), false, "exit code 127"},
		"object on stderr":       {read(`echo '` + yes + `' >&2`), false, ""},
		"input not read":         {`echo '` + yes + `'`, true, "unread"},
		"input read in part":     {`head -c 1 >/dev/null; echo '` + yes + `'`, true, "unread"},
		"input closed, not read": {`exec <&-; echo '` + yes + `'`, true, "unread"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).project(hooks{"stop": {{"command": tt.command, "loop_limit": 1}}})
			c := w.open()
			ch := c.Chat(func(*simcursor.Turn) {})
			w.send(ch, "go")
			if got := len(ch.Messages()) == 2; got != tt.used {
				t.Errorf("got follow-up %v, want %v: %+v", got, tt.used, ch.Runs("stop")[0])
			}
			got := strings.Join(c.Violations(), "\n")
			if (got == "") != (tt.problem == "") || !strings.Contains(got, tt.problem) {
				t.Errorf("got violations %q, want %q", got, tt.problem)
			}
		})
	}
}
