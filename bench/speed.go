package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const goesOnName = "stop, goes on"

// The targets of a hook that nobody notices, times the floor.
const (
	withoutLoop = 1.2
	toolInLoop  = 1.5
	continues   = 2.0 // without what fsync costs
	flat        = 1.1 // the ratio with many others to that with one
)

// pair is a case of the floor and the hook.
func (b *bench) pair(c benchCase, loop bool, fits func([]byte) error, args ...string) *benchCase {
	hook := runner{name: "hook", argv: append([]string{b.programs.hook}, args...), fits: fits}
	if b.settings.self {
		hook.fits = empty
	}
	if loop {
		hook.before = func() error { return c.reset(c.id) }
	}
	c.runners = []runner{{name: "floor", argv: []string{b.programs.floor}, fits: empty}, hook}
	if b.settings.self {
		c.after = nil
	}
	return &c
}

// goesOn is a stop that continues a loop.
func (b *bench) goesOn(s scene, name string, target float64) *benchCase {
	c := benchCase{scene: s, name: name, target: target, id: "chat-goes-on", event: stopEvent(0)}
	return b.pair(c, true, goesOn(2, task), "--session-limit", "none")
}

func (b *bench) toolInLoop(s scene) *benchCase {
	c := benchCase{scene: s, name: "tool use in a loop", target: toolInLoop, id: "chat-tool", event: shellEvent("postToolUse")}
	c.after = grown(s.journal(c.id))
	return b.pair(c, true, quiet)
}

func (b *bench) stopWithout(s scene) *benchCase {
	return b.pair(benchCase{scene: s, name: "stop, no loop", target: withoutLoop, id: "chat-1", event: stopEvent(0)}, false, empty)
}

func (b *bench) promptWithout(s scene) *benchCase {
	c := benchCase{scene: s, name: "prompt, no loop", target: withoutLoop, id: "chat-2"}
	c.event = promptEvent(strings.Repeat("please look into this ", 20))
	return b.pair(c, false, empty)
}

// speed measures each event alone, without other loops.
func (b *bench) speed(ctx context.Context, r *record) error {
	disk, err := newScene("disk", b.work.disk, "alone")
	if err != nil {
		return err
	}
	cases := b.alone(disk)
	if b.work.tmpfs != "" {
		s, err := newScene("tmpfs", b.work.tmpfs, "alone")
		if err != nil {
			return err
		}
		cases = append(cases, b.goesOn(s, goesOnName, continues))
	}
	inGit, err := b.inGit(r)
	if err != nil {
		return err
	}
	cases = append(cases, inGit...)
	if err := b.measure(ctx, cases, b.settings.n); err != nil {
		return err
	}
	for _, c := range cases {
		r.addCase("Event", c)
	}
	return b.sizes(cases, r)
}

func (b *bench) alone(s scene) []*benchCase {
	tool, before := shellEvent("postToolUse"), shellEvent("preToolUse")
	answer := answerEvent(strings.Repeat("I changed the file and the tests pass now. ", 20))
	said := benchCase{scene: s, name: "answer in a loop", id: "chat-answer", event: answer}
	said.after = grown(s.journal(said.id))
	return []*benchCase{
		b.stopWithout(s),
		b.promptWithout(s),
		b.pair(benchCase{scene: s, name: "tool use, no loop", target: withoutLoop, id: "chat-3", event: tool}, false, empty),
		b.pair(benchCase{scene: s, name: "answer, no loop", target: withoutLoop, id: "chat-4", event: answer}, false, empty),
		b.pair(benchCase{scene: s, name: "preToolUse, no loop", id: "chat-5", event: before}, false, empty, "--guard"),
		b.toolInLoop(s),
		b.pair(said, true, quiet),
		b.pair(benchCase{scene: s, name: "preToolUse in a loop", id: "chat-guard", event: before}, true, empty, "--guard"),
		b.goesOn(s, goesOnName, 0),
	}
}

// inGit is a stop in a small repository, where the hook asks git.
func (b *bench) inGit(r *record) ([]*benchCase, error) {
	if !r.has("git", "a stop in a repository") {
		return nil, nil
	}
	place, root := b.work.quick()
	s, err := newScene(place, root, "git")
	if err != nil {
		return nil, err
	}
	return []*benchCase{b.goesOn(s, "stop, goes on, git", 0)}, s.repository()
}

// repository makes the workspace one of thirty files, with one commit, a file
// that changed and one that is new.
func (s scene) repository() error {
	if err := s.files(30); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "-m", "files"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.workspace, append(s.env, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return &exec.Error{Name: "git " + args[0] + ": " + string(out), Err: err}
		}
	}
	return s.edit(0, "changed\n", "new.txt", "new\n")
}

func (s scene) files(n int) error {
	for i := range n {
		if err := s.edit(i, strings.Repeat("package one // a line of a file\n", 50)); err != nil {
			return err
		}
	}
	return nil
}

// edit writes the workspace's file of a number, and others by their names.
func (s scene) edit(number int, content string, others ...string) error {
	if err := os.WriteFile(s.file(number), []byte(content), 0o600); err != nil {
		return err
	}
	for i := 0; i+1 < len(others); i += 2 {
		if err := os.WriteFile(filepath.Join(s.workspace, others[i]), []byte(others[i+1]), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s scene) file(number int) string {
	return filepath.Join(s.workspace, "file-"+string(rune('a'+number/26))+string(rune('a'+number%26))+".go")
}

// The targets of a process, in bytes.
const (
	mostBytes = 4_000_000
	mostPeak  = 12 << 20
)

// sizes are of the two binaries, and of their processes.
func (b *bench) sizes(cases []*benchCase, r *record) error {
	for _, c := range cases {
		if c.place != "disk" || c.name != "stop, no loop" && c.name != goesOnName {
			continue
		}
		for _, by := range c.runners {
			info, err := os.Stat(by.argv[0])
			if err != nil {
				return err
			}
			peak, err := b.peak(c, by)
			if err != nil {
				return err
			}
			r.add("Size", key("case", c.name), by.name, peak, "peak-B")
			r.add("Size", key("case", c.name), by.name, info.Size(), "binary-B")
			if by.name == "hook" {
				r.targets = append(r.targets, target{c.name + ", MiB of memory", float64(peak) / (1 << 20), mostPeak >> 20})
			}
			if by.name == "hook" && c.name == goesOnName {
				r.targets = append(r.targets, target{"MB of the binary", float64(info.Size()) / 1e6, mostBytes / 1e6})
			}
		}
	}
	return nil
}
