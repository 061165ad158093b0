// Package preset is the table of the agents that are known by name, and finds their programs. It starts none.
package preset

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// Preset is a known agent and how to start it.
type Preset struct {
	Name      string
	Argv      []string
	ModelFlag string // see acp.Config
	AskEnv    []string
	Reading   Reading
	Docs      string // the documentation of its protocol mode
	Hint      string // how to install it and log in
	Notes     string // what a user should know
}

// Reading is how an agent is started that may only read, and obeys nothing of the
// workspace: the settings that it would load from there.
type Reading struct {
	Env  []string       // instead of AskEnv
	Meta map[string]any // of the session, for an adapter that passes it on
}

// Named returns a known agent.
func Named(name string) (found Preset, ok bool) {
	list := All()
	if i := slices.IndexFunc(list, func(p Preset) bool { return p.Name == name }); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Names returns the names of the known agents.
func Names() (names []string) {
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Installed returns an error unless an agent is known, and its program on the PATH.
func Installed(name string) error {
	p, ok := Named(name)
	if !ok {
		return hint.Misuse(fmt.Sprintf("unknown agent %q", name), "agents: "+strings.Join(Names(), ", "))
	}
	found, howTo := WithCursorCLI(p.Argv, p.Hint)
	if _, err := exec.LookPath(found[0]); err != nil {
		return hint.New(fmt.Sprintf("the agent %s is not installed: there is no %s on the PATH", name, p.Argv[0]), howTo)
	}
	return nil
}

// All returns the known agents.
func All() []Preset {
	return []Preset{
		{
			Name: "cursor", Argv: []string{"cursor-agent", "acp"}, ModelFlag: "--model",
			Docs:  "https://cursor.com/docs/cli/acp",
			Hint:  "install it as https://cursor.com/docs/cli/installation says, then: cursor-agent login",
			Notes: "not run by the project's tests: its program is not in a registry",
		},
		{
			Name: "opencode", Argv: []string{"opencode", "acp"},
			Docs:  "https://opencode.ai/docs/acp/",
			Hint:  "npm install -g opencode-ai, then: opencode auth login",
			Notes: "on its own it allows everything: AskEnv (see https://opencode.ai/docs/cli/#environment-variables) makes it ask",

			AskEnv: []string{`OPENCODE_PERMISSION={"edit":"ask","bash":"ask","webfetch":"ask"}`},
			// A denied request would end its turn.
			Reading: Reading{Env: []string{
				`OPENCODE_PERMISSION={"edit":"deny","bash":"deny","webfetch":"deny","external_directory":"deny"}`,
				"OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_CLAUDE_CODE=1",
			}},
		},
		{
			Name: "gemini", Argv: []string{"gemini", "--acp"}, ModelFlag: "--model",
			Docs:  "https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/acp-mode.md",
			Hint:  "npm install -g @google/gemini-cli, then run gemini once to choose how to log in",
			Notes: "before 0.33 the flag was --experimental-acp",
		},
		{
			Name: "copilot", Argv: []string{"copilot", "--acp", "--stdio"}, ModelFlag: "--model",
			Docs: "https://docs.github.com/en/copilot/reference/copilot-cli-reference/acp-server",
			Hint: "npm install -g @github/copilot, then: copilot login",
		},
		{
			Name: "claude", Argv: []string{"claude-agent-acp"},
			Docs:  "https://github.com/agentclientprotocol/claude-agent-acp",
			Hint:  "npm install -g @agentclientprotocol/claude-agent-acp, and log in with claude or set ANTHROPIC_API_KEY",
			Notes: "the adapter, not claude itself",

			// As claude --setting-sources user --strict-mcp-config.
			Reading: Reading{Meta: map[string]any{"claudeCode": map[string]any{"options": map[string]any{
				"settingSources": []string{"user"}, "strictMcpConfig": true,
			}}}},
		},
		{
			Name: "codex", Argv: []string{"codex-acp"},
			Docs:  "https://github.com/agentclientprotocol/codex-acp",
			Hint:  "npm install -g @agentclientprotocol/codex-acp, and log in with codex or set OPENAI_API_KEY",
			Notes: "the adapter, not codex itself",

			Reading: Reading{Env: []string{`CODEX_CONFIG={"project_doc_max_bytes":0}`}},
		},
	}
}
