//go:build linux

package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// agent is the settings that make a real agent use our model and no network.
type agent struct {
	name     string
	files    map[string]string // in the home folder; <URL> is the server, <DIR> the workspace
	env      []string
	noFailed bool // it does not report that a command failed
	tries    bool // it retries after a rate limit
}

func theAgents() map[string]agent {
	list := []agent{
		{
			name: "codex", // https://developers.openai.com/codex/config-reference
			env:  []string{"SCRIPTED_KEY=none"},
			files: map[string]string{".codex/config.toml": `
model = "gpt-5.5"
model_provider = "scripted"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "<URL>/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."<DIR>"]
trust_level = "trusted"
`},
		},
		{
			name: "claude", // https://code.claude.com/docs/en/settings
			env: []string{"ANTHROPIC_BASE_URL=<URL>", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false", // an extra request, with tools, after a turn
				"IS_SANDBOX=1"}, // otherwise root may not bypass permissions
			tries: true,
		},
		{
			name: "gemini", // https://geminicli.com/docs/reference/configuration
			env:  []string{"GOOGLE_GEMINI_BASE_URL=<URL>", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"},
			files: map[string]string{".gemini/settings.json": `{
"security": {"auth": {"selectedType": "gemini-api-key"}},
"privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
"model": {"name": "gemini-2.5-pro"}}`},
			noFailed: true,
			tries:    true,
		},
		{
			name: "opencode", // https://opencode.ai/docs/config
			env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
			files: map[string]string{
				".config/opencode/opencode.json": `{
"autoupdate": false, "share": "disabled", "snapshot": false, "model": "scripted/scripted", "small_model": "scripted/scripted",
"enabled_providers": ["scripted"],
"provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "<URL>/v1", "apiKey": "none"},
  "models": {"scripted": {"limit": {"context": 100000, "output": 4000}}}}}}`,
				// Otherwise it would install this in the background.
				".config/opencode/package-lock.json":     `{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}`,
				".config/opencode/node_modules/.nothing": "",
			},
			tries: true,
		},
		{
			name: "copilot", // copilot help providers
			env: []string{"COPILOT_PROVIDER_BASE_URL=<URL>/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=claude-sonnet-4",
				"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false",
				"XDG_CACHE_HOME=<CACHE>"}, // it unpacks itself there, which is slow
			tries: true,
		},
	}
	list = append(list, agent{
		name: "qwen", // https://qwenlm.github.io/qwen-code-docs
		env:  []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=<URL>/v1", "OPENAI_MODEL=scripted"},
		files: map[string]string{".qwen/settings.json": `{
  // a setting of the user's
  "security": {"auth": {"selectedType": "openai"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
  "$version": 4
}
`},
	})
	byName := map[string]agent{}
	for _, a := range list {
		byName[a.name] = a
	}
	return byName
}

// settle writes the agent's settings and returns its environment.
func (a agent) settle(t *testing.T, home, dir, url string) []string {
	t.Helper()
	fill := strings.NewReplacer("<URL>", url, "<DIR>", dir, "<CACHE>", unpacked)
	for name, text := range a.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var env []string
	for _, pair := range a.env {
		name, value, _ := strings.Cut(pair, "=")
		env = append(env, name+"="+fill.Replace(value))
	}
	return env
}
