package hostile_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// swapping has the attacker's program exchange these pairs of paths, one after
// the other.
const swapping = "CURSOR_RALPH_HOSTILE_SWAP"

// swap exchanges each path with the next, in groups, until standard input ends,
// and prints how often.
func swap(paths []string) int {
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is what counts
		close(over)
	}()
	swaps := 0
	for i := 0; ; i = (i + 1) % len(paths) {
		select {
		case <-over:
			fmt.Println(swaps)
			return 0
		default:
		}
		group := strings.Split(paths[i], ",")
		for _, other := range group[1:] {
			if unix.Renameat2(unix.AT_FDCWD, group[0], unix.AT_FDCWD, other, unix.RENAME_EXCHANGE) == nil {
				swaps++
			}
		}
	}
}

// swaps starts the exchange as this user. What it gives ends that, and reports how
// often it was done.
func (u user) swaps(groups []string) (end func() int) {
	u.Helper()
	cmd := exec.Command(filepath.Join(bin, "attacker"))
	cmd.Env = append(u.env(), swapping+"="+strings.Join(groups, string(filepath.ListSeparator)))
	cmd.SysProcAttr, cmd.Dir, cmd.Stderr = u.attributes(), u.work(), os.Stderr
	var out bytes.Buffer
	cmd.Stdout = &out
	stdin, err := cmd.StdinPipe()
	must(u.T, err)
	must(u.T, cmd.Start())
	return func() int {
		must(u.T, stdin.Close())
		must(u.T, cmd.Wait())
		n, err := strconv.Atoi(strings.TrimSpace(out.String()))
		must(u.T, err)
		return n
	}
}

// enough returns how long each race goes on at least, and how often the thing
// behind a name has to change in it.
func enough() (raceFor time.Duration, swaps int) {
	return time.Duration(short.Times(300, 1000)) * time.Millisecond, short.Times(1500, 5000)
}

// stands makes several things of which one after the other is at a path.
func stands(alice, mallory user, path string, all ...func(path string)) (group string) {
	alice.Helper()
	group = path
	for i, put := range all {
		at := path
		if i > 0 {
			at = fmt.Sprintf("%s.other-%d", path, i)
			group += "," + at
		}
		put(at)
		if lstat(alice.T, at).Nlink == 1 || lstat(alice.T, at).Mode&syscall.S_IFMT == syscall.S_IFDIR {
			mallory.owns(at)
		}
	}
	return group
}

// TestRacesInASharedFolder: between the look at a name and its use Mallory puts
// something else there, thousands of times.
func TestRacesInASharedFolder(t *testing.T) {
	alice, mallory := newUsers(t)
	things := []func(string){
		func(path string) { baitFile(t, path, 0o666) },
		func(path string) { must(t, os.Symlink(alice.in("canary"), path)) },
		func(path string) { pipe(t, path) },
		func(path string) { must(t, os.Symlink(mallory.in("bait"), path)) },
	}
	folders := []func(string){
		func(path string) {
			must(t, os.Mkdir(path, 0o777))
			baits(t, path)
		},
		func(path string) { pipe(t, path) },
		func(path string) { must(t, os.Symlink(alice.in("vault"), path)) },
		func(path string) { must(t, os.Symlink(mallory.in("vault"), path)) },
	}
	var groups []string
	for _, prefix := range []string{plain, numbered()} {
		for i, name := range names(prefix) {
			if i == 0 {
				groups = append(groups, stands(alice, mallory, filepath.Join(shared, name), folders...))
			} else {
				groups = append(groups, stands(alice, mallory, filepath.Join(shared, name), things...))
			}
		}
	}
	alice.races(mallory, groups)
}

// TestRacesInAFolderOfMallorys is about a folder in which nothing keeps her from
// changing what is Alice's, as a folder that is shared should. Not even there is
// she given what is elsewhere.
func TestRacesInAFolderOfMallorys(t *testing.T) {
	alice, mallory := newUsers(t)
	alice.base = mallory.in("base")
	must(t, os.Mkdir(alice.base, 0o777))
	must(t, os.Chmod(alice.base, 0o777))
	mallory.owns(alice.base)
	alice.begins()
	alice.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
	alice.hook("afterAgentResponse", "chat-1", fields{"text": "done"})
	var groups []string
	for _, name := range []string{"-loop-chat-1.json", "-loop-chat-1.journal", "-stop-hook.log", "-pending.json", "-loop-chat-2.json"} {
		path := filepath.Join(alice.base, plain+name)
		group := path
		for i, put := range []func(string){
			func(path string) { must(t, os.Symlink(alice.in("canary"), path)) },
			func(path string) { pipe(t, path) },
			func(path string) { must(t, os.Link(alice.in("canary"), path)) },
			func(path string) { must(t, os.Symlink(mallory.in("bait"), path)) },
			func(path string) { baitFile(t, path, 0o666); mallory.owns(path) },
		} {
			other := fmt.Sprintf("%s.other-%d", path, i)
			put(other)
			group += "," + other
		}
		groups = append(groups, group)
	}
	alice.races(mallory, groups)
}

// races works as Alice while Mallory exchanges things.
func (u user) races(mallory user, groups []string) {
	u.Helper()
	watched := map[string]string{}
	for _, path := range []string{u.in("canary"), u.in("vault"), mallory.in("bait"), mallory.in("vault")} {
		watched[path] = describe(lstat(u.T, path))
	}
	raceFor, manySwaps := enough()
	end := mallory.swaps(groups)
	var said strings.Builder
	rounds := 0
	for began := time.Now(); rounds < 2 || time.Since(began) < raceFor; rounds++ {
		said.WriteString(u.lives())
	}
	swaps := end()
	u.Logf("%d exchanges in %d rounds", swaps, rounds)
	if swaps < manySwaps {
		u.Errorf("got %d exchanges, want %d at least", swaps, manySwaps)
	}
	for path, was := range watched {
		if is := describe(lstat(u.T, path)); is != was {
			u.Errorf("%s\ngot  %s\nwant %s", path, is, was)
		}
	}
	for _, word := range []string{bait, secret} {
		if strings.Contains(said.String(), word) {
			u.Errorf("got an answer with %s in it", word)
		}
	}
	if _, err := os.Lstat(u.in("pwned")); err == nil {
		u.Error("what Mallory wanted was run")
	}
	for _, dir := range []string{u.in(".local"), u.base} {
		u.hasNoBait(dir)
	}
}

// hasNoBait looks through what a user has in a folder.
func (u user) hasNoBait(dir string) {
	u.Helper()
	if dir == "" {
		return
	}
	must(u.T, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		must(u.T, err)
		if stat := lstat(u.T, path); int(stat.Uid) != u.id || stat.Nlink > 1 || !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		must(u.T, err)
		if bytes.Contains(content, []byte(bait)) || bytes.Contains(content, []byte(secret)) {
			u.Errorf("%s: got %.200q, want nothing of what is not hers", path, content)
		}
		return nil
	}))
}
