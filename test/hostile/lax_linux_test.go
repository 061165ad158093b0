package hostile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// by runs a line of shell as this user: an agent's, or Mallory's own.
func (u user) by(umask, line string) {
	u.Helper()
	if got := u.runs("", "/bin/sh", "-c", "umask "+umask+"; "+line); got.code != 0 {
		u.Fatalf("%s: %+v", line, got)
	}
}

// TestFilesThatOthersCanWriteAreNotBelieved: Alice's agent wrote one of our files
// by hand, under a umask of 0, and Mallory has changed it since.
func TestFilesThatOthersCanWriteAreNotBelieved(t *testing.T) {
	live, folder := filepath.Join(shared, plain+"-loop-chat-1.json"), filepath.Join(shared, plain+"-pending")
	for _, c := range []struct{ name, path, make string }{
		{"the state", live, ""},
		{"a pending file", filepath.Join(folder, "chat-1.json"), "mkdir -p " + folder},
	} {
		t.Run(c.name, func(t *testing.T) {
			alice, mallory := newUsers(t)
			alice.by("0", strings.TrimPrefix(c.make+"; ", "; ")+"cat vault.json >"+c.path)
			mallory.by("0", "cat "+mallory.in("bait")+" >"+c.path)
			said := alice.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
			doctor := alice.command("doctor", "--verbose")
			if strings.Contains(said.out+doctor.out, bait) || said.out != "{}\n" && said.out != "{}" {
				t.Errorf("got %s, %s, want nothing of what Mallory wrote", said.out, doctor.out)
			}
			if _, err := os.Lstat(alice.in("pwned")); err == nil {
				t.Error("what Mallory wanted was run")
			}
			if !strings.Contains(doctor.out, "other users can write") {
				t.Errorf("got %s, want doctor to say who can write it", doctor.out)
			}
		})
	}
}

// TestFilesOfTheUsersOwnGroup: with the common umask of 002 what an agent writes by
// hand can be written by a group, in which nobody else is.
func TestFilesOfTheUsersOwnGroup(t *testing.T) {
	folder := filepath.Join(shared, plain+"-pending")
	for _, c := range []struct{ umask, name, line string }{
		{"002", "the state", "cat vault.json >" + filepath.Join(shared, plain+"-loop-chat-1.json")},
		{"002", "a pending file", "mkdir -p " + folder + "; cat vault.json >" + folder + "/chat-1.json"},
		{"0", "a pending file in our folder", "mkdir -m 700 " + folder + "; cat vault.json >" + folder + "/1700000000000-7.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			alice, _ := newUsers(t)
			alice.by(c.umask, c.line)
			said := alice.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
			if !strings.Contains(said.out, aliceTask) {
				t.Errorf("got %s, want the loop to go on", said.out)
			}
		})
	}
}

// TestNoModeIsChangedElsewhere: in a folder of Mallory's, who exchanges our folder for
// a link to one of Alice's.
func TestNoModeIsChangedElsewhere(t *testing.T) {
	alice, mallory := newUsers(t)
	alice.base = mallory.in("base")
	must(t, os.Mkdir(alice.base, 0o777))
	must(t, os.Chmod(alice.base, 0o777))
	mallory.owns(alice.base)
	folder := filepath.Join(alice.base, plain+"-pending")
	alice.begins()
	ours, err := os.Open(folder)
	must(t, err)
	defer ours.Close()
	must(t, os.Symlink(alice.in("vault"), folder+".other"))
	was := lstat(t, alice.in("vault")).Mode
	end := mallory.swaps([]string{fmt.Sprintf("%s,%s.other", folder, folder)})
	for range short.Times(50, 200) {
		must(t, ours.Chmod(0o755)) // as an agent's mkdir left it
		alice.hook("beforeSubmitPrompt", "chat-2", fields{"prompt": `/ralph-loop "x"`})
	}
	t.Logf("%d exchanges", end())
	if is := lstat(t, alice.in("vault")).Mode; is != was {
		t.Errorf("got mode %o of Alice's folder, want %o", is, was)
	}
}
