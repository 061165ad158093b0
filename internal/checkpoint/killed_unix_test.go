//go:build unix

package checkpoint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// fakeGit is git until its call number "die", at which it ends with the lock of our index left behind, before or after
// its work.
const fakeGit = `#!/bin/sh
read n <%[1]s/count
n=$((n+1))
echo $n >%[1]s/count
read die <%[1]s/die
if test $n = $die; then
	read when <%[1]s/when
	test $when = before || %[2]s "$@" >/dev/null
	case "$GIT_INDEX_FILE" in */checkpoints/*) echo partly >"$GIT_INDEX_FILE.lock" ;; esac
	kill -9 $$
fi
exec %[2]s "$@"
`

// TestKilled: a git that is killed at any call costs at most this checkpoint or restore: the user's files stay, and the next
// one succeeds.
func TestKilled(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	for _, when := range []string{"before", "after"} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s its work, again %v", when, again), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				dir := filepath.Dir(w.root)
				w.must(sources.WriteProgram(filepath.Join(dir, "git"), fmt.Appendf(nil, fakeGit, dir, real), 0o700))
				set := func(name, value string) {
					w.must(os.WriteFile(filepath.Join(dir, name), []byte(value+"\n"), 0o600))
				}
				set("when", when)
				w.write("a", "1\n")
				w.write("crlf", "1\r\n")
				w.write(".gitattributes", "crlf text\n")
				w.commit()
				if again {
					w.take("0")
				}
				usual := w.p
				dying := w.p
				dying.Env = append(append([]string{}, w.p.Env...), "PATH="+dir)
				for call, died := 1, true; died; call++ {
					if !again {
						w.must(usual.Remove(context.Background(), w.l))
					}
					w.write("a", fmt.Sprintf("%d\n", call))
					w.write(fmt.Sprintf("new-%d", call), "x\n")
					before := w.user()
					set("count", "0")
					set("die", fmt.Sprint(call))
					_, err := dying.Take(context.Background(), w.l, "1")
					w.same(before)
					count, readErr := os.ReadFile(filepath.Join(dir, "count"))
					w.must(readErr)
					if err == nil && call < 6 {
						t.Errorf("call %d was not missed", call)
					}
					died = strings.TrimSpace(string(count)) == fmt.Sprint(call) || err != nil
					if _, err := usual.Take(context.Background(), w.l, "1"); err != nil {
						t.Fatalf("after call %d: %v", call, err)
					}
					w.same(before)
					if got := w.git("show", Ref(w.l, "1")+":a"); got != fmt.Sprintf("%d\n", call) {
						t.Errorf("after call %d: got %q", call, got)
					}
					if got := w.git("cat-file", "blob", Ref(w.l, "1")+":crlf"); got != "1\r\n" {
						t.Errorf("after call %d: got %q", call, got)
					}
					if call > 40 {
						t.Fatal("it never succeeds")
					}
				}
			})
		}
	}
}

// TestLeftByAKilledCheckpoint: a later checkpoint removes an unfinished file.
func TestLeftByAKilledCheckpoint(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n")
	w.commit()
	w.take("0")
	left := filepath.Join(w.p.Folder, w.l.ShortID(), ".new-1")
	w.must(os.WriteFile(left, []byte("par"), 0o600))
	before := time.Now().Add(-48 * time.Hour)
	w.must(os.Chtimes(left, before, before))
	w.take("1")
	if _, err := os.Lstat(left); err == nil {
		t.Error("it is still there")
	}
}
