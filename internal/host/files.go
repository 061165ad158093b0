package host

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// Files is where a host keeps what we install.
type Files struct {
	Home     string // its folder below the user's home
	Variable string // that names another folder instead; empty if there is none
	Project  string // its folder in a project, if that has another name

	Settings string   // the JSON file with our hooks, in its folder
	Own      bool     // that file is ours alone
	Cap      string   // the variable in its settings that raises the cap
	Allow    []string // the list in its settings of what the agent may run
	Rule     string   // for a command of our program, in that list
	Rules    string   // or a file of our own with such rules

	Milliseconds bool // timeouts are written so, from these seconds on
	seconds      int

	Command string // the file of a command, by name
	Expands bool   // the hook sees its text, so a project gets no command: an agent may write there
	Beside  string // a second file for each command
	Once    string // what the user has to do once
	Trust   string // its file that has the hooks which the user trusts; empty if it asks for none

	shape func(name, description, body string) string
	rules func(program, command string) string
}

// RaisedCap is what we raise a cap to.
const RaisedCap = "1000"

// Mark begins the last line of the text of our commands. The user's line comes behind it where a host puts it there.
const Mark = "<!-- cursor-ralph: installed file"

// Entry is one of our hooks: what stands in the list of an event.
type Entry struct {
	Event string
	JSON  string
}

const quick = 10 // seconds

// Entries are our hooks for a command line; stop is the limit of a stop in seconds.
func (h Host) Entries(command string, stop int, windows bool) (list []Entry) {
	for _, e := range h.events {
		seconds := quick
		if e.ours == hook.EventStop && e == h.events[0] {
			seconds = stop
		}
		list = append(list, Entry{e.theirs, h.entry(command, seconds, windows)})
	}
	return list
}

func (h Host) entry(command string, seconds int, windows bool) string {
	line := quoted(command)
	if h.Files.Own {
		shell := "bash"
		if windows {
			shell = "powershell"
		}
		return fmt.Sprintf(`{ "type": "command", %q: %s, "timeoutSec": %d }`, shell, line, seconds)
	}
	limit := seconds
	if h.Files.Milliseconds && seconds >= h.Files.seconds {
		limit *= 1000
	}
	return fmt.Sprintf(`{ "hooks": [ { "type": "command", "command": %s, "timeout": %d } ] }`, line, limit)
}

// quoted is a JSON string. A path is fit for it as it is.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSpace(b.String())
}

// Command returns the file of one of our commands. body ends with the line that begins with Mark.
func (h Host) Command(name, description, body string) string {
	return h.Files.shape(name, description, strings.TrimRight(body, "\n")+"\n")
}

// Allowed are the commands that the agent may call without a question. The others of our program can run anything, in some hosts
// outside their sandbox.
func Allowed() []string { return []string{"note", "task", "context", "blocked", "resume"} }

// RulesFile is our own file of rules for a program.
func (h Host) RulesFile(program string) string {
	text := "# cursor-ralph: the agent of a loop may record its progress without a question.\n"
	for _, command := range Allowed() {
		text += h.Files.rules(program, command)
	}
	return text
}

func starlark(program, command string) string {
	return fmt.Sprintf("prefix_rule(pattern=[%s, %s], decision=\"allow\")\n", quoted(program), quoted(command))
}

func policy(program, command string) string {
	return fmt.Sprintf("[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = %s\ndecision = \"allow\"\npriority = 100\n", quoted(program+" "+command))
}

// BesideFile keeps a command for the user: the model does not begin it by itself.
const BesideFile = "# cursor-ralph: only the user begins this\npolicy:\n  allow_implicit_invocation: false\n"

func frontmatter(_, description, body string) string {
	return fmt.Sprintf("---\ndescription: %s\n---\n%s", quoted(description), body)
}

func skill(name, description, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n%s", name, quoted(description), body)
}

// copilotSkill ends with the user's line, which the prompt hook sees in it.
func copilotSkill(name, description, body string) string {
	return skill(name, description, body) + "\n/" + name + " $ARGUMENTS\n"
}

// toml has no place for the user's line: so Gemini CLI appends it.
func toml(_, description, body string) string {
	return fmt.Sprintf("description = %s\nprompt = '''\n%s'''\n", quoted(description), body)
}
