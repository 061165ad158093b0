package printmode

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Preset is an agent whose print mode is known.
type Preset struct {
	Name  string
	Docs  string // the documentation that this preset relies on
	Hint  string // how to install it
	Login string // how to log in
	Notes string // what a user should know
	Tools bool   // its stream contains tool calls

	argv     []string // with {flags}, {session} and {prompt}
	resume   []string // replaces {session}
	model    []string // with {model}
	policies map[outer.Policy]flags
	guarded  flags // instead of a policy's
	parse    parser
}

// Program returns the agent's program, alone.
func (p Preset) Program() []string { return p.argv[:1:1] }

type flags struct {
	args []string
	env  []string
}

// Presets returns the known agents in the order of the help.
func Presets() []Preset {
	return []Preset{
		{
			Name: "cursor-agent", Docs: "https://cursor.com/docs/cli/reference/output-format", Tools: true,
			Hint:  "install Cursor's CLI: https://cursor.com/docs/cli/installation",
			Login: "run `cursor-agent login`, or set CURSOR_API_KEY",
			Notes: "written from its documentation, not tried; the prompt is an argument, whose length is limited",
			argv:  []string{"cursor-agent", "-p", "--output-format", "stream-json", "--trust", "{flags}", "{session}", "{prompt}"},
			// Without --force it proposes changes and does not make them.
			policies: map[outer.Policy]flags{outer.PolicyNone: {}, outer.PolicyAll: {args: []string{"--force"}}},
			guarded:  flags{args: []string{"--mode", "plan"}},
			resume:   []string{"--resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseCursor,
		},
		{
			Name: "claude", Docs: "https://code.claude.com/docs/en/headless", Tools: true,
			Hint:  "install Claude Code: npm install -g @anthropic-ai/claude-code",
			Login: "run `claude` and /login there, or set ANTHROPIC_API_KEY",
			Notes: "as root it rejects --permissions all unless IS_SANDBOX=1 is set",
			argv:  []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "{flags}", "{session}"},
			policies: map[outer.Policy]flags{
				outer.PolicyNone:  {args: []string{"--permission-mode", "dontAsk"}},
				outer.PolicyEdits: {args: []string{"--permission-mode", "acceptEdits"}},
				outer.PolicyAll:   {args: []string{"--permission-mode", "bypassPermissions"}},
			},
			guarded: flags{args: []string{"--permission-mode", "plan", "--disallowedTools=Bash"}},
			resume:  []string{"--resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseClaude,
		},
		{
			Name: "codex", Docs: "https://developers.openai.com/codex/noninteractive", Tools: true,
			Hint:  "install Codex: npm install -g @openai/codex",
			Login: "run `codex login`, or set CODEX_API_KEY",
			Notes: "commands always run, in its sandbox: with --permissions none, and in a plan loop, they can only read; with edits they can write to the workspace only",
			argv:  []string{"codex", "exec", "--json", "--skip-git-repo-check", "{flags}", "{session}", "-"},
			policies: map[outer.Policy]flags{
				outer.PolicyNone:  {args: []string{"--sandbox", "read-only"}},
				outer.PolicyEdits: {args: []string{"--sandbox", "workspace-write"}},
				outer.PolicyAll:   {args: []string{"--dangerously-bypass-approvals-and-sandbox"}},
			},
			guarded: flags{args: []string{"--sandbox", "read-only"}},
			resume:  []string{"resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseCodex,
		},
		{
			Name: "opencode", Docs: "https://opencode.ai/docs/cli/#run-1", Tools: true,
			Hint:  "install opencode: npm install -g opencode-ai",
			Login: "run `opencode auth login`",
			argv:  []string{"opencode", "run", "--format", "json", "{flags}", "{session}"},
			// https://opencode.ai/docs/permissions: the user's settings decide about everything else.
			policies: map[outer.Policy]flags{
				outer.PolicyNone:  {env: []string{`OPENCODE_PERMISSION={"edit":"deny","bash":"deny","external_directory":"deny"}`}},
				outer.PolicyEdits: {env: []string{`OPENCODE_PERMISSION={"edit":"allow","bash":"deny","external_directory":"deny"}`}},
				outer.PolicyAll:   {args: []string{"--auto"}, env: []string{`OPENCODE_PERMISSION={"edit":"allow","bash":"allow","external_directory":"allow"}`}},
			},
			guarded: flags{args: []string{"--agent", "plan"}, env: []string{`OPENCODE_PERMISSION={"edit":"deny","bash":"deny","task":"deny","external_directory":"deny"}`}},
			resume:  []string{"--session", "{session}"}, model: []string{"--model", "{model}"}, parse: parseOpencode,
		},
		{
			Name: "gemini", Docs: "https://geminicli.com/docs/cli/headless", Tools: true,
			Hint:  "install Gemini CLI: npm install -g @google/gemini-cli",
			Login: "run `gemini` and choose how to log in, or set GEMINI_API_KEY",
			argv:  []string{"gemini", "--output-format", "stream-json", "--skip-trust", "{flags}", "{session}"},
			policies: map[outer.Policy]flags{
				outer.PolicyNone:  {args: []string{"--approval-mode", "default"}},
				outer.PolicyEdits: {args: []string{"--approval-mode", "auto_edit"}},
				outer.PolicyAll:   {args: []string{"--approval-mode", "yolo"}},
			},
			guarded: flags{args: []string{"--approval-mode", "plan"}},
			resume:  []string{"--resume", "{session}"}, model: []string{"--model", "{model}"}, parse: parseGemini,
		},
	}
}

type invocation struct {
	argv           []string
	env            []string
	stdin          string
	promptArgument bool // instead of stdin
}

func (c Config) invocation(p outer.Prompt, session string) (invocation, error) {
	template, f, err := c.template(p.Guarded)
	if err != nil {
		return invocation{}, &outer.StartError{Agent: c.name(), Err: err, Hint: c.remedy(p.Guarded)}
	}
	run := invocation{env: outer.Environ(c.Dir, c.Env, f.env), stdin: p.Text}
	for _, arg := range template {
		switch {
		case arg == "{flags}":
			run.argv = append(run.argv, f.args...)
		case arg == "{session}":
			run.argv = append(run.argv, c.resumed(session)...)
		case strings.Contains(arg, "{prompt}"):
			run.stdin, run.promptArgument = "", true
			run.argv = append(run.argv, strings.ReplaceAll(arg, "{prompt}", argument(arg, p.Text)))
		default:
			run.argv = append(run.argv, arg)
		}
	}
	return run, nil
}

// check refuses to pass a prompt to a batch file as an argument: on Windows a shell
// would interpret it.
func (r invocation) check(goos string, look func(string) (string, error)) error {
	if goos != "windows" || !r.promptArgument {
		return nil
	}
	program, _ := look(r.argv[0]) // if it is missing, starting it fails
	switch strings.ToLower(filepath.Ext(program)) {
	case ".bat", ".cmd":
		return fmt.Errorf("%s is a batch file, which cannot take a prompt safely", program)
	}
	return nil
}

// argument returns the prompt so that it cannot be taken for a flag.
func argument(arg, prompt string) string {
	if strings.HasPrefix(arg, "{prompt}") && strings.HasPrefix(prompt, "-") {
		return " " + prompt
	}
	return prompt
}

// template returns the command line with its placeholders, and what replaces {flags}.
func (c Config) template(guarded bool) ([]string, flags, error) {
	if c.Preset.Name == "" {
		return c.command(guarded)
	}
	f, ok := c.Preset.policies[c.policy()]
	switch {
	case guarded:
		f = c.Preset.guarded
	case !ok:
		return nil, f, fmt.Errorf("its print mode does not support the permissions %q", c.policy())
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

func (c Config) command(guarded bool) ([]string, flags, error) {
	argv := slices.Concat(c.Argv, c.Args)
	switch {
	case len(c.Argv) == 0:
		return nil, flags{}, errors.New("there is no command")
	case guarded:
		return nil, flags{}, errors.New("an unknown command cannot be kept from writing and executing")
	case c.Model == "":
		return argv, flags{}, nil
	case !slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "{model}") }):
		return nil, flags{}, errors.New("how to choose its model is unknown")
	}
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], "{model}", c.Model)
	}
	return argv, flags{}, nil
}

func (c Config) policy() outer.Policy { return cmp.Or(c.Policy, outer.PolicyNone) }

func (c Config) remedy(guarded bool) string {
	switch {
	case c.Preset.Name != "":
		var known []string
		for _, p := range []outer.Policy{outer.PolicyNone, outer.PolicyEdits, outer.PolicyAll} {
			if _, ok := c.Preset.policies[p]; ok {
				known = append(known, string(p))
			}
		}
		return "print mode cannot ask you; it supports --permissions " + strings.Join(known, ", ")
	case len(c.Argv) == 0:
		return "name a program"
	case guarded:
		return "a plan loop needs a known agent"
	}
	return "put {model} into the command"
}

func (c Config) resumed(session string) []string {
	if !validSession.MatchString(session) {
		return nil
	}
	args := slices.Clone(c.Preset.resume)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{session}", session)
	}
	return args
}
