package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// scripts are hooks in bash, for the comparison.
//
//go:embed bash/*.sh
var scripts embed.FS

// installed is what runs at an event.
type installed struct {
	Command string `json:"command"`
	Matcher string `json:"matcher"`
}

// hooks are those of one kind, by event: the floor's, ours or bash's.
type hooks struct {
	who string
	of  map[string][]installed
}

// contestants are the floor, our hook as cursor-ralph install writes it, and
// the hooks in bash.
func (b *bench) contestants() (floor, ours, bash hooks, err error) {
	ours = hooks{who: "hook"}
	if ours.of, err = b.install(); err != nil {
		return floor, ours, bash, err
	}
	floor = hooks{"floor", map[string][]installed{}}
	for event, entries := range ours.of {
		for _, e := range entries {
			floor.of[event] = append(floor.of[event], installed{quoted(b.programs.floor), e.Matcher})
		}
	}
	bash, err = b.unpack()
	return floor, ours, bash, err
}

// install returns the entries of the hooks.json that a user has afterwards.
func (b *bench) install() (map[string][]installed, error) {
	s, err := newScene("disk", b.work.disk, "install")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.programs.cli, "install")
	cmd.Dir, cmd.Env = s.workspace, s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cursor-ralph install: %w\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(s.home, ".cursor", "hooks.json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Hooks map[string][]installed `json:"hooks"`
	}
	err = json.Unmarshal(data, &file)
	return file.Hooks, err
}

// unpack writes the scripts next to the binaries.
func (b *bench) unpack() (hooks, error) {
	h := hooks{"bash", map[string][]installed{}}
	for event, name := range map[string]string{
		"stop": "stop.sh", "beforeSubmitPrompt": "prompt.sh", "afterAgentResponse": "response.sh", "postToolUse": "tool.sh",
	} {
		data, err := scripts.ReadFile("bash/" + name)
		if err != nil {
			return h, err
		}
		path := filepath.Join(b.work.disk, name)
		if err := os.WriteFile(path, data, 0o700); err != nil { // #nosec G306 -- a program
			return h, err
		}
		h.of[event] = []installed{{Command: quoted(path)}}
	}
	return h, nil
}

func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// commands are what the editor runs at an event, through the user's shell as a
// login shell or without one.
func (h hooks) commands(e event, login bool) (list [][]string, err error) {
	for _, entry := range h.of[e["hook_event_name"].(string)] {
		if text, ok := e["command"].(string); ok && entry.Matcher != "" {
			matched, err := regexp.MatchString(entry.Matcher, text)
			if err != nil {
				return nil, err
			}
			if !matched {
				continue
			}
		}
		if login {
			list = append(list, []string{userShell(), "-lc", entry.Command})
			continue
		}
		list = append(list, strings.Fields(strings.ReplaceAll(entry.Command, "'", ""))) // our folder's name has no spaces
	}
	return list, nil
}

// userShell is what Cursor runs hooks with.
func userShell() string {
	if shell := os.Getenv("SHELL"); filepath.IsAbs(shell) {
		return shell
	}
	return "/bin/bash"
}

// shells compares with hooks in bash, each started directly and by the login
// shell that Cursor uses.
func (b *bench) shells(ctx context.Context, r *record) error {
	if !b.comparable(r) {
		return nil
	}
	floor, ours, bash, err := b.contestants()
	if err != nil {
		return err
	}
	for _, h := range []hooks{ours, bash} {
		if err := b.tryOut(h); err != nil {
			return err
		}
	}
	cases, err := b.contests(floor, ours, bash)
	if err != nil {
		return err
	}
	if err := b.measure(ctx, cases, b.settings.n); err != nil {
		return err
	}
	for _, c := range cases {
		r.addCase("Bash", c)
	}
	return nil
}

// comparable reports whether there is what the comparison needs.
func (b *bench) comparable(r *record) bool {
	if b.settings.self {
		return false
	}
	for _, tool := range []string{"bash", "jq"} {
		if !r.has(tool, "the comparison with hooks in bash") {
			return false
		}
	}
	_, err := os.Stat("/bin/bash")
	if err != nil {
		r.miss("the comparison with hooks in bash: there is no /bin/bash")
	}
	return err == nil
}

// contests are the cases. Where another chat has a loop, bash cannot answer
// without looking at the event.
func (b *bench) contests(kinds ...hooks) (cases []*benchCase, err error) {
	place, root := b.work.quick()
	empties, err := newScene(place, root, "shell-empty")
	if err != nil {
		return nil, err
	}
	busy, err := newScene(place, root, "shell")
	if err == nil {
		err = errors.Join(busy.reset("another-chat"), busy.resetBash("another-chat"))
	}
	if err != nil {
		return nil, err
	}
	tool, answer := shellEvent("postToolUse"), answerEvent(strings.Repeat("The tests pass now. ", 40))
	prompt := promptEvent(strings.Repeat("please look into this ", 20))
	list := []benchCase{
		{scene: empties, name: "stop, no loop", id: "chat-1", event: stopEvent(0)},
		{scene: busy, name: "stop, another chat has a loop", id: "chat-1", event: stopEvent(0)},
		{scene: empties, name: "prompt, no loop", id: "chat-2", event: prompt},
		{scene: busy, name: "tool use, another chat has a loop", id: "chat-3", event: tool},
		{scene: busy, name: "tool use in a loop", id: "loop-tool", event: tool},
		{scene: busy, name: "answer in a loop", id: "loop-answer", event: answer},
		{scene: busy, name: goesOnName, id: "loop-stop", event: stopEvent(0)},
	}
	if place == "tmpfs" {
		disk, err := newScene("disk", b.work.disk, "shell")
		if err != nil {
			return nil, err
		}
		list = append(list, benchCase{scene: disk, name: goesOnName, id: "loop-stop", event: stopEvent(0)})
	}
	for i := range list {
		if err := list[i].enter(kinds); err != nil {
			return nil, err
		}
		cases = append(cases, &list[i])
	}
	return cases, nil
}

// enter returns a case its runners: all without a shell, then all with one.
func (c *benchCase) enter(kinds []hooks) error {
	for _, login := range []bool{false, true} {
		for _, h := range kinds {
			commands, err := h.commands(c.event, login)
			if err != nil || len(commands) != 1 {
				return errors.Join(err, fmt.Errorf("%s: %s runs %d commands, want one", c.name, h.who, len(commands)))
			}
			c.runners = append(c.runners, c.contestant(h.who, startedBy(login), commands[0]))
		}
	}
	if c.inLoop() && c.name != goesOnName {
		left := []func() error{grown(c.journal(c.id)), grown(c.ofBash(c.id) + map[bool]string{true: ".text", false: ".tools"}[c.event["text"] != nil])}
		c.after = func() error { return errors.Join(left[0](), left[1]()) }
	}
	return nil
}

func (c *benchCase) inLoop() bool { return strings.HasPrefix(c.id, "loop-") }

// startedBy says in the record how a hook was started.
func startedBy(login bool) string {
	if login {
		return key("shell", "login")
	}
	return key("shell", "direct")
}

func (c *benchCase) contestant(who, row string, argv []string) runner {
	r := runner{name: who, row: row, argv: argv, fits: empty}
	if who == "floor" || !c.inLoop() {
		return r
	}
	if c.name == goesOnName {
		r.fits = goesOn(2, task)
	}
	r.before = func() error { return c.reset(c.id) }
	if who == "bash" {
		r.before = func() error { return c.resetBash(c.id) }
	}
	return r
}

func (s scene) resetBash(id string) error { return resetFile(s.ofBash(id), loopFile(task)) }

// tryOut plays a loop from its beginning to its end, so that nobody is measured
// who does not do what a loop is for.
func (b *bench) tryOut(h hooks) error {
	place, root := b.work.quick()
	s, err := newScene(place, root, fmt.Sprintf("try-%d", b.number))
	if err != nil {
		return err
	}
	const id = "loop-tried"
	if err := errors.Join(s.reset(id), s.resetBash(id)); err != nil {
		return err
	}
	for i, step := range []struct {
		event event
		fits  func([]byte) error
	}{
		{promptEvent("a message"), empty},
		{answerEvent("All is done. <promise>COMPLETE</promise>"), empty},
		{stopEvent(0), goesOn(2, "refused")},
		{shellEvent("postToolUse"), empty},
		{answerEvent("I did a part of it."), empty},
		{stopEvent(1), goesOn(3, task)},
		{answerEvent("All is done.\n\n<promise>COMPLETE</promise>"), empty},
		{stopEvent(2), empty},
		{stopEvent(3), empty},
	} {
		if _, err := b.fire(h, s, id, step.event, false, step.fits); err != nil {
			return fmt.Errorf("%s is no hook of a loop: step %d: %w", h.who, i+1, err)
		}
	}
	state := map[string]string{"hook": s.live(id), "bash": s.ofBash(id)}[h.who]
	if _, err := os.Stat(state); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is no hook of a loop: %s is there after the end: %w", h.who, state, err)
	}
	return nil
}

// fire runs all that is installed for an event, one after the other.
func (b *bench) fire(h hooks, s scene, id string, e event, login bool, fits func([]byte) error) (sum sample, err error) {
	b.number++
	commands, err := h.commands(e, login)
	if err != nil {
		return sum, err
	}
	input, err := e.bytes(s, id, b.number)
	if err != nil {
		return sum, err
	}
	for _, argv := range commands {
		took, _, err := b.once(argv, s, input, fits)
		if err != nil {
			return sum, err
		}
		sum.wall, sum.cpu = sum.wall+took.wall, sum.cpu+took.cpu
	}
	return sum, nil
}
