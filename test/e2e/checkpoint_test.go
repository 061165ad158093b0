//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/schema"
)

// checkpointTurn is what the agent does in a turn, and what diff --stat shows of it.
type checkpointTurn struct{ does, stat string }

// checkpointRound is a loop with checkpoints, in the editor and in a run.
type checkpointRound struct {
	prepare string // the repository
	turns   []checkpointTurn
}

func checkpointRounds() map[string]checkpointRound {
	const commit = "git add -A && git -c user.name=a -c user.email=a@b commit -qm x"
	return map[string]checkpointRound{
		"files of all kinds": {"echo one >a; echo one >gone; " + commit + "; echo dirty >>a", []checkpointTurn{
			{"echo two >>a; echo new >untracked; rm gone", "a          changed  +1 -0\ngone       deleted  +0 -1\nuntracked  added    +1 -0\n3 files, +2 -1"},
			{"true", "no difference"},
			{"chmod +x a; " + commit, "a  changed  +0 -0\n1 file, +0 -0"},
		}},
		"no commit yet": {"true", []checkpointTurn{
			{"echo new >a", "a  added  +1 -0\n1 file, +1 -0"},
			{"echo more >>a; git add a", "a  changed  +1 -0\n1 file, +1 -0"},
		}},
	}
}

// gitRepo makes the loop's workspace a repository, which ignores what the tests themselves write there.
func (w *world) gitRepo(script string) {
	w.Helper()
	w.write(filepath.Join(w.repo(), ".gitignore"), "prompt-*\nwork*\n.cursor\n")
	w.sh("git init -q; " + script)
}

func (w *world) sh(script string) string {
	w.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = w.repo(), w.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// files of the user: the work tree, the index, HEAD and the branches.
func (w *world) usersGit() string {
	w.Helper()
	return w.sh("git status --porcelain; git ls-files -s; cat .git/HEAD; git for-each-ref refs/heads; git reflog 2>/dev/null || true; cat a 2>/dev/null || true")
}

// wantCheckpoints checks what is known of a loop that has ended, and brings back its beginning and its end.
func (w *world) wantCheckpoints(r checkpointRound) {
	w.Helper()
	for n, turn := range r.turns {
		if got := strings.TrimRight(w.ok(w.repo(), "diff", fmt.Sprint(n+1), "--stat"), "\n"); got != turn.stat {
			w.Errorf("diff %d: got\n%s\nwant\n%s", n+1, got, turn.stat)
		}
	}
	last := len(r.turns)
	schema.Check(w, "checkpoints", w.ok(w.repo(), "diff", "--json"))
	w.wantPart("diff", w.ok(w.repo(), "diff", "0..", "--json"), `"schema": 1`)
	history := w.ok(w.repo(), "history", "--json")
	schema.Check(w, "history", history)
	w.wantPart("history", history, fmt.Sprintf(`"checkpoint": %d`, last))
	w.wantPart("report", w.ok(w.repo(), "report"), "cursor-ralph diff ")
	end := w.usersGit()
	w.wantPart("restore", w.ok(w.repo(), "restore", "0", "--dry-run", "--json"), `"schema": 1`)
	if now := w.usersGit(); now != end {
		w.Errorf("a dry run changed\n%s\nto\n%s", end, now)
	}
	w.wantPart("restore", w.ok(w.repo(), "restore", "0"), "to undo: cursor-ralph restore")
	if got := w.ok(w.repo(), "diff", "0..r1", "--stat"); got != w.ok(w.repo(), "diff", fmt.Sprintf("0..%d", last), "--stat") {
		w.Errorf("what was there is not in r1: %s", got)
	}
	w.wantPart("restore", w.ok(w.repo(), "restore", "r1", "--json"), `"schema": 1`)
	if now := w.usersGit(); now != end {
		w.Errorf("back and forth made\n%s\nof\n%s", now, end)
	}
	w.wantPart("restore", w.refused(w.repo(), "restore", "99"), `there is no checkpoint "99" of the loop`)
	w.sh(`sed -i 's/"ended_at": "[^"]*"/"ended_at": "2020-01-01T00:00:00Z"/' '` + filepath.Join(w.archive(), "loops") + `'/*`)
	w.ok(w.repo(), "prune", "--auto")
	if left := w.sh("git for-each-ref refs/cursor-ralph"); left != "" {
		w.Errorf("these are left: %s", left)
	}
}

// TestCheckpoints: each iteration can be shown and undone, whatever the agent runs in.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	for name, r := range checkpointRounds() {
		t.Run(name+", in the editor", func(t *testing.T) {
			once(t, func(w *world) {
				w.gitRepo(r.prepare)
				c := w.chat()
				c.starts(`"make it green" --checkpoints`)
				for n, turn := range r.turns {
					c.works()
					c.runs(turn.does)
					if n+1 < len(r.turns) {
						c.says("not yet").goesOn()
						if n == 0 {
							w.wantPart("restore", w.refused(w.repo(), "restore", "0"), "runs in this work tree, so nothing was restored")
						}
					}
				}
				c.says(done).rests()
				w.wantStatus(c.ID, "PROMISE_ACCEPTED", len(r.turns))
				w.wantCheckpoints(r)
			})
		})
		t.Run(name+", in a run", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, variant{})
			w.gitRepo(r.prepare)
			script := "case $n in\n"
			for n, turn := range r.turns {
				script += fmt.Sprintf("%d) %s;;\n", n+1, turn.does)
			}
			script += fmt.Sprintf("esac\necho x >>work\nif test $n = %d; then echo '%s'; fi\n", len(r.turns), done)
			w.must(os.WriteFile(filepath.Join(w.dir, "start"), []byte(`"$1" run "make it green" --agent-command "$2" --min-tool-calls 0`), 0o600))
			w.startShell(filepath.Join(w.dir, "start"), filepath.Join(bin, "cursor-ralph"), w.scriptedAgent(script)).ends(0)
			w.wantCheckpoints(r)
		})
	}
}

// TestCheckpointsOfALostRepository: the agent reads it once, and the loop goes on.
func TestCheckpointsOfALostRepository(t *testing.T) {
	once(t, func(w *world) {
		w.sh("git init -q")
		c := w.chat()
		c.starts(`"make it green" --checkpoints`)
		w.sh("rm -r .git")
		c.works()
		w.wantPart("first", c.says("not yet").goesOn(), "no checkpoint was made: no git work tree")
		c.works()
		w.wantNoPart("second", c.says("not yet").goesOn(), "checkpoint")
		w.wantPart("diff", w.refused(w.repo(), "diff"), "is no git work tree")
	})
}

// TestAStopAsksGitAtMostSixTimes: for the evidence and the checkpoint together, from the second checkpoint on.
func TestAStopAsksGitAtMostSixTimes(t *testing.T) {
	t.Parallel()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	w := newWorld(t, usual())
	w.gitRepo("echo 0 >f; mkdir old; echo 1 >old/f; git add -A; git -c user.name=a -c user.email=a@b commit -qm x")
	dir := filepath.Join(w.dir, "counted")
	calls := filepath.Join(dir, "calls")
	w.write(filepath.Join(dir, "git"), fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%s\nexec %s \"$@\"\n", calls, real))
	w.must(os.Chmod(filepath.Join(dir, "git"), 0o755))
	w.profileAdds("PATH=" + dir + ":$PATH")
	c := w.chat()
	c.starts(`"make it green" --checkpoints`)
	const commit = "; git add -A; git -c user.name=a -c user.email=a@b commit -qm x"
	for name, work := range map[string]string{
		"nothing":                     "true",
		"a changed and a new file":    "echo 1 >>f; mkdir -p d; echo 1 >d/new",
		"new rules and a commit":      "echo '*.tmp' >>.gitignore; echo 1 >1.tmp; echo 1 >another" + commit,
		"a commit and more":           "echo 2 >committed" + commit + "; echo 3 >>committed; echo 1 >uncommitted",
		"a folder that is a link now": "rm -r old; ln -s /etc old; echo 1 >beside",
	} {
		c.works()
		c.runs(work)
		w.must(os.RemoveAll(calls))
		c.says("not yet").goesOn()
		asked, err := os.ReadFile(calls)
		w.must(err)
		if n := strings.Count(string(asked), "\n"); n < 3 || n > 6 {
			t.Errorf("%s: git ran %d times:\n%s", name, n, asked)
		}
	}
	if got := w.ok(w.repo(), "diff"); strings.Count(got, "after iteration") != 5 {
		t.Errorf("got %s", got)
	}
}
