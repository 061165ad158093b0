//go:build unix

package simcursor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func TestAnswerOfStopHook(t *testing.T) {
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

func TestUnreadInputLargerThanAnyPipe(t *testing.T) {
	for command, want := range map[string]int{says("{}"): 0, "echo '{}'": 1} {
		w := newWorld(t).project(hooks{"beforeSubmitPrompt": {{"command": command}}})
		c := w.open()
		ch := c.Chat(func(*simcursor.Turn) {})
		w.send(ch, strings.Repeat("long ", 1<<20))
		if got := c.Violations(); len(got) != want {
			t.Errorf("%s: got %q, want %d", command, got, want)
		}
	}
}

func TestLastDefinedFollowupWins(t *testing.T) {
	none, empty := says("{}"), followup("")
	for name, tt := range map[string]struct {
		project, user []string
		want          string
	}{
		"user after project":       {[]string{followup("p")}, []string{followup("u")}, "u"},
		"order within a file":      {[]string{followup("1"), followup("2")}, nil, "2"},
		"{} does not erase":        {[]string{followup("p")}, []string{none}, "p"},
		"empty string erases":      {[]string{followup("p")}, []string{empty}, ""},
		"defined again after \"\"": {[]string{followup("1"), empty, followup("3")}, nil, "3"},
		"slower does not win":      {[]string{"sleep 0.2; " + followup("p")}, []string{followup("u")}, "u"},
		"failed does not count":    {[]string{followup("p")}, []string{followup("u") + "; exit 1"}, "p"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := func(commands []string) (list []entry) {
				for _, c := range commands {
					list = append(list, entry{"command": c, "loop_limit": 1})
				}
				return list
			}
			w := newWorld(t).project(hooks{"stop": entries(tt.project)})
			w.user(hooks{"stop": append(entries(tt.user), entry{"command": says("{}")})})
			want := []string{"go"}
			if tt.want != "" {
				want = append(want, tt.want)
			}
			equal(t, "messages", w.chat(nil).Messages(), want)
		})
	}
}

func TestTeamAndEnterpriseComeLast(t *testing.T) {
	w := newWorld(t).user(hooks{"stop": {{"command": followup("user"), "loop_limit": 1}}})
	dir := t.TempDir()
	w.Team, w.Enterprise = filepath.Join(dir, "team.json"), filepath.Join(dir, "all.json")
	w.file(dir, "team.json", hooks{"stop": {{"command": followup("team"), "loop_limit": 1}}}.json())
	equal(t, "team", w.chat(nil).Messages(), []string{"go", "team"})
	w.file(dir, "all.json", hooks{"stop": {{"command": followup("all"), "loop_limit": 1}}}.json())
	equal(t, "enterprise", w.chat(nil).Messages(), []string{"go", "all"})
}
