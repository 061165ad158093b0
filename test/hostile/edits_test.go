//go:build unix

package hostile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/autoload"
)

// editor is an agent that asks before it edits, and edits what it may: the files that are
// named in the file `wants`, one a line.
const editor = `#!/bin/sh
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
n=0
edit() {
  n=$((n+1))
  printf '{"jsonrpc":"2.0","id":"e%s","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"%s","title":"edit","kind":"edit","locations":[{"path":"%s"}],"content":[{"type":"diff","path":"%s","newText":"touch executed"}]},"options":[{"optionId":"yes","name":"yes","kind":"allow_once"},{"optionId":"no","name":"no","kind":"reject_once"}]}}\n' "$n" "$n" "$1" "$1"
  read -r answer
  case $answer in
  *'"yes"'*) mkdir -p "$(dirname "$1")" && echo 'touch executed' >"$1"; echo "$1" >>../written ;;
  *) echo "$1" >>../refused ;;
  esac
}
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
  *'"initialize"'*) reply "$id" '{"protocolVersion":1}' ;;
  *'"session/new"'*) reply "$id" '{"sessionId":"s"}' ;;
  *'"session/prompt"'*)
    while read -r path; do edit "$path" <&3; done 3<&0 <../wants
    reply "$id" '{"stopReason":"end_turn"}' ;;
  esac
done
`

// An agent that may edit the workspace may not write what other programs execute or agents
// obey on their own, wherever it is, however its name is written, and by no link.
func TestEditsWriteNothingThatIsObeyed(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	p.write(filepath.Join(p.cwd, "ci", "workflow.yml"), "")
	p.must(os.Symlink("ci", filepath.Join(p.cwd, ".github")))
	p.must(os.Symlink("docs/agents.txt", filepath.Join(p.cwd, "CLAUDE.md")))
	p.must(os.Symlink(p.cwd, filepath.Join(p.cwd, "here")))
	refused := []string{
		".mcp.json", "opencode.json", ".opencode/plugin/x.js", ".gemini/settings.json", ".codex/config.toml", ".zed/tasks.json", ".npmrc", "AGENTS.md",
		"deep/in/a/package/AGENTS.md", "deep/.git/hooks/pre-commit", ".GIT/config", "Agents.MD", ".Cursor/hooks.json", "./a/../.envrc", "here/.vscode/tasks.json",
		".qwen/settings.json", ".copilot/x", ".idea/workspace.xml", ".husky/pre-push", ".devcontainer/devcontainer.json", "GEMINI.md", "QWEN.md",
		"ci/workflow.yml", "docs/agents.txt", "../outside.txt", "here/../../outside.txt", "/tmp/cursor-ralph-hostile-outside.txt",
	}
	refused = append(refused, autoload.Names()...)
	allowed := []string{"main.go", "docs/guide.md", "gitignore", "deep/agents/x.go", filepath.Join(p.cwd, "absolute.txt")}
	p.write(p.in("wants"), strings.Join(append(refused, allowed...), "\n")+"\n")
	agent := p.in("agent")
	p.write(agent, editor)
	p.must(os.Chmod(agent, 0o755))
	p.runs("", "cursor-ralph", "run", "build it", "--acp-command", "'"+agent+"'", "--permissions", "edits", "--max-iterations", "1")
	written, _ := os.ReadFile(p.in("written"))
	if got, want := string(written), strings.Join(allowed, "\n")+"\n"; got != want {
		t.Errorf("the agent wrote:\n%swant only:\n%s", got, want)
	}
	if got, _ := os.ReadFile(p.in("refused")); strings.Count(string(got), "\n") != len(refused) {
		t.Errorf("got %d refusals, want %d:\n%s", strings.Count(string(got), "\n"), len(refused), got)
	}
}
