//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// gitWorld is a machine whose workspace is a git repository with a commit.
func gitWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, usual())
	w.extra = append(w.extra, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	c := w.chat()
	c.types("Make a repository.")
	c.runs("git init -q . && echo 0 >f && echo ignored >.gitignore && git add . && git commit -qm first")
	c.rests()
	return w
}

// stucks plays a turn, and says whether the continuation has the hint.
func (c *chat) stucks(want bool, play func()) {
	c.Helper()
	n := c.turn.Number
	play()
	text := c.goesOn()
	if want {
		c.wantPart(fmt.Sprint("after turn ", n), text, stuck)
	} else {
		c.wantNoPart(fmt.Sprint("after turn ", n), text, stuck)
	}
}

func (c *chat) shell(command string) func() { return func() { c.Helper(); c.runs(command) } }

func (c *chat) writes(path, content string) func() {
	return func() {
		c.Helper()
		c.does(func(t *simcursor.Turn) {
			if err := t.Edit(path, content); err != nil {
				c.Errorf("edit: %v", err)
			}
		})
	}
}

func TestWhatCountsAsProgressInGit(t *testing.T) {
	t.Parallel()
	nothing := func(c *chat) func() { return c.shell("git status") }
	for _, tt := range short.First([]struct {
		name string
		play func(c *chat)
	}{
		{"nothing at all", func(c *chat) {
			c.stucks(false, nothing(c))
			c.stucks(false, nothing(c))
			c.stucks(true, nothing(c))
			c.stucks(true, nothing(c))
			c.stucks(false, c.shell("echo 1 >f"))
		}},
		{"commits", func(c *chat) {
			for i := range 5 {
				c.stucks(false, c.shell(fmt.Sprintf("git commit -q --allow-empty -m %d", i)))
			}
		}},
		{"touch is no change", func(c *chat) {
			c.stucks(false, c.shell("touch f"))
			c.stucks(false, c.shell("touch f"))
			c.stucks(true, c.shell("touch f"))
		}},
		{"edits outside of the repository", func(c *chat) {
			for i := range 5 {
				c.stucks(false, c.writes(filepath.Join(c.home(), "notes.txt"), fmt.Sprint(i)))
			}
		}},
		{"the same failure again", func(c *chat) {
			fail := func(line string) func() {
				return func() { c.tries("date +%N >>f; echo " + line + "; exit 3") }
			}
			c.stucks(false, fail("E1"))
			c.stucks(false, fail("E2"))
			c.stucks(true, fail("E1"))
			l := c.wantStatus(c.ID, "running", 3)
			c.wantPart("errors", fmt.Sprint(l.History[2].Errors), "exited with 3: E1")
		}},
	}, 4) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := gitWorld(t)
			c := w.chat()
			c.starts(`"make it green"`)
			tt.play(c)
			c.stops()
		})
	}
}

// A git that leaves a child with its pipe costs the loop its evidence, and does not
// hold the editor for the ten minutes of that child. internal/worktree has the other ill ones.
func TestAGitThatDoesNotAnswerHoldsNobody(t *testing.T) {
	t.Parallel()
	w := gitWorld(t)
	dir := filepath.Join(w.dir, "fake")
	w.write(filepath.Join(dir, "git"), "#!/bin/sh\n(trap '' TERM; sleep 600) & exit 0\n")
	w.must(os.Chmod(filepath.Join(dir, "git"), 0o755))
	c := w.chat()
	c.starts(`"make it green"`)
	c.works()
	w.profileAdds("PATH=" + dir + ":$PATH")
	c.goesOn()
	c.says(done).rests()
	w.wantPart("status", w.status(c.ID).Status, "PROMISE_ACCEPTED")
	w.wantPart("log", w.log(), "action=git-not-asked")
}

// profileAdds puts a line into the profile of the login shell that runs hooks.
func (w *world) profileAdds(line string) {
	w.Helper()
	path := filepath.Join(w.home(), ".profile")
	before, err := os.ReadFile(path)
	w.must(err)
	w.write(path, string(before)+line+"\n")
}
