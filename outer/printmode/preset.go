package printmode

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Preset is an agent whose print mode is known.
type Preset struct {
	Name  string
	Docs  string // where what we rely on is documented
	Hint  string // what to do where its program is missing
	Login string // what to do where it does not know who the user is
	Notes string // what a user should know of it
	Tools bool   // its stream tells of tool calls; the text of a program without a preset does not

	argv     []string // with {flags}, {session} and {prompt} in their places
	resume   []string // stands for {session}
	model    []string // with {model}
	policies map[Policy]flags
	guarded  flags // instead of a policy's
	parse    parser
}

// flags are what makes an agent keep to a policy.
type flags struct {
	args []string
	env  []string
}

// Presets lists the agents that are known, in the order of help.
func Presets() []Preset {
	return []Preset{
		{
			Name: "cursor-agent", Docs: "https://cursor.com/docs/cli/reference/output-format", Tools: true,
			Hint:  "install Cursor's CLI: https://cursor.com/docs/cli/installation",
			Login: "run `cursor-agent login`, or set CURSOR_API_KEY",
			Notes: "written from its documentation, not tried; its prompt is an argument, which is limited in length",
			argv:  []string{"cursor-agent", "-p", "--output-format", "stream-json", "--trust", "{flags}", "{session}", "{prompt}"},
			// Without --force changes are proposed and not made, and nothing is between.
			policies: map[Policy]flags{PolicyNone: {}, PolicyAll: {args: []string{"--force"}}},
			guarded:  flags{args: []string{"--mode", "plan"}},
			resume:   []string{"--resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseCursor,
		},
		{
			Name: "claude", Docs: "https://code.claude.com/docs/en/headless", Tools: true,
			Hint:  "install Claude Code: npm install -g @anthropic-ai/claude-code",
			Login: "run `claude` and /login there, or set ANTHROPIC_API_KEY",
			Notes: "as root it refuses --permissions all, unless IS_SANDBOX=1 says that it is in a sandbox",
			argv:  []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "{flags}", "{session}"},
			policies: map[Policy]flags{
				PolicyNone:  {args: []string{"--permission-mode", "dontAsk"}},
				PolicyEdits: {args: []string{"--permission-mode", "acceptEdits"}},
				PolicyAll:   {args: []string{"--permission-mode", "bypassPermissions"}},
			},
			guarded: flags{args: []string{"--permission-mode", "plan", "--disallowedTools=Bash"}},
			resume:  []string{"--resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseClaude,
		},
		{
			Name: "codex", Docs: "https://developers.openai.com/codex/noninteractive", Tools: true,
			Hint:  "install Codex: npm install -g @openai/codex",
			Login: "run `codex login`, or set CODEX_API_KEY",
			Notes: "commands run whatever is permitted, in its sandbox: with --permissions none, and in a loop that plans, they can only read; with edits they write to the workspace alone",
			argv:  []string{"codex", "exec", "--json", "--skip-git-repo-check", "{flags}", "{session}", "-"},
			policies: map[Policy]flags{
				PolicyNone:  {args: []string{"--sandbox", "read-only"}},
				PolicyEdits: {args: []string{"--sandbox", "workspace-write"}},
				PolicyAll:   {args: []string{"--dangerously-bypass-approvals-and-sandbox"}},
			},
			guarded: flags{args: []string{"--sandbox", "read-only"}},
			resume:  []string{"resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseCodex,
		},
		{
			Name: "opencode", Docs: "https://opencode.ai/docs/cli/#run-1", Tools: true,
			Hint:  "install opencode: npm install -g opencode-ai",
			Login: "run `opencode auth login`",
			argv:  []string{"opencode", "run", "--format", "json", "{flags}", "{session}"},
			// https://opencode.ai/docs/permissions: what is not said here is as the user has it.
			policies: map[Policy]flags{
				PolicyNone:  {env: []string{`OPENCODE_PERMISSION={"edit":"deny","bash":"deny","external_directory":"deny"}`}},
				PolicyEdits: {env: []string{`OPENCODE_PERMISSION={"edit":"allow","bash":"deny","external_directory":"deny"}`}},
				PolicyAll:   {args: []string{"--auto"}, env: []string{`OPENCODE_PERMISSION={"edit":"allow","bash":"allow","external_directory":"allow"}`}},
			},
			guarded: flags{args: []string{"--agent", "plan"}, env: []string{`OPENCODE_PERMISSION={"edit":"deny","bash":"deny","task":"deny","external_directory":"deny"}`}},
			resume:  []string{"--session", "{session}"}, model: []string{"--model", "{model}"}, parse: parseOpencode,
		},
		{
			Name: "gemini", Docs: "https://geminicli.com/docs/cli/headless", Tools: true,
			Hint:  "install Gemini CLI: npm install -g @google/gemini-cli",
			Login: "run `gemini` and choose how to log in, or set GEMINI_API_KEY",
			argv:  []string{"gemini", "--output-format", "stream-json", "--skip-trust", "{flags}", "{session}"},
			policies: map[Policy]flags{
				PolicyNone:  {args: []string{"--approval-mode", "default"}},
				PolicyEdits: {args: []string{"--approval-mode", "auto_edit"}},
				PolicyAll:   {args: []string{"--approval-mode", "yolo"}},
			},
			guarded: flags{args: []string{"--approval-mode", "plan"}},
			resume:  []string{"--resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseGemini,
		},
	}
}

// invocation is one run of an agent.
type invocation struct {
	argv  []string
	env   []string
	stdin string
	bare  bool // the prompt is an argument
}

// invocation gives the run for a prompt, or a StartError.
func (c Config) invocation(p outer.Prompt, session string) (invocation, error) {
	template, f, err := c.template(p.Guarded)
	if err != nil {
		return invocation{}, &outer.StartError{Agent: c.name(), Err: err, Hint: c.remedy(p.Guarded)}
	}
	run := invocation{env: c.environment(f.env), stdin: p.Text}
	for _, arg := range template {
		switch {
		case arg == "{flags}":
			run.argv = append(run.argv, f.args...)
		case arg == "{session}":
			run.argv = append(run.argv, c.resumed(session)...)
		case strings.Contains(arg, "{prompt}"):
			run.stdin, run.bare = "", true
			run.argv = append(run.argv, strings.ReplaceAll(arg, "{prompt}", argument(arg, p.Text)))
		default:
			run.argv = append(run.argv, arg)
		}
	}
	return run, nil
}

// check refuses to give a prompt to a batch file as an argument: Windows has a
// shell read it, which runs what it finds between the words.
func (r invocation) check(goos string, look func(string) (string, error)) error {
	if goos != "windows" || !r.bare {
		return nil
	}
	program, _ := look(r.argv[0]) // that it is missing tells the start
	switch strings.ToLower(filepath.Ext(program)) {
	case ".bat", ".cmd":
		return fmt.Errorf("%s is a batch file, which cannot be given a prompt safely", program)
	}
	return nil
}

// argument keeps a prompt from being taken for a flag.
func argument(arg, prompt string) string {
	if strings.HasPrefix(arg, "{prompt}") && strings.HasPrefix(prompt, "-") {
		return " " + prompt
	}
	return prompt
}

// template gives the command line with its places, and what belongs into {flags}.
func (c Config) template(guarded bool) ([]string, flags, error) {
	if c.Preset.Name == "" {
		return c.command(guarded)
	}
	f, ok := c.Preset.policies[c.policy()]
	switch {
	case guarded:
		f = c.Preset.guarded
	case !ok:
		return nil, f, fmt.Errorf("its print mode does not know the permissions %q", c.policy())
	}
	f.args = slices.Clone(f.args)
	if c.Model != "" {
		for _, arg := range c.Preset.model {
			f.args = append(f.args, strings.ReplaceAll(arg, "{model}", c.Model))
		}
	}
	f.args = append(f.args, c.Args...)
	argv := c.Preset.argv
	if len(c.Argv) > 0 {
		argv = slices.Concat(c.Argv, argv[1:])
	}
	return argv, f, nil
}

// command is template for a program without a preset, of which nothing is known.
func (c Config) command(guarded bool) ([]string, flags, error) {
	argv := slices.Concat(c.Argv, c.Args)
	switch {
	case len(c.Argv) == 0:
		return nil, flags{}, errors.New("there is no command")
	case guarded:
		return nil, flags{}, errors.New("nothing keeps a command that is not known from writing and executing")
	case c.Model == "":
		return argv, flags{}, nil
	case !slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "{model}") }):
		return nil, flags{}, errors.New("it is not known how it is told its model")
	}
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], "{model}", c.Model)
	}
	return argv, flags{}, nil
}

func (c Config) policy() Policy {
	if c.Policy == "" {
		return PolicyNone
	}
	return c.Policy
}

// remedy is the hint for what template refuses.
func (c Config) remedy(guarded bool) string {
	switch {
	case c.Preset.Name != "":
		var known []string
		for _, p := range []Policy{PolicyNone, PolicyEdits, PolicyAll} {
			if _, ok := c.Preset.policies[p]; ok {
				known = append(known, string(p))
			}
		}
		return "nobody can be asked in print mode; it knows --permissions " + strings.Join(known, ", ")
	case len(c.Argv) == 0:
		return "name a program"
	case guarded:
		return "a loop that only plans needs an agent that is known"
	}
	return "write {model} into the command, where it belongs"
}

func (c Config) resumed(session string) []string {
	if !isSession(session) {
		return nil
	}
	args := slices.Clone(c.Preset.resume)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{session}", session)
	}
	return args
}

// environment adds to what the agent gets anyway.
func (c Config) environment(more []string) []string {
	if len(more) == 0 {
		return c.Env
	}
	anyway := (&exec.Cmd{Env: c.Env}).Environ()
	return slices.Concat(anyway, more)
}
