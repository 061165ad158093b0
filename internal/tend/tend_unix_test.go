//go:build unix

package tend

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// TestMain makes three programs of the test's binary: the keeper, one that starts
// a script and waits, and the tests.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "tend":
		code, err := Supervise(os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	case len(os.Args) > 1 && os.Args[1] == "starter":
		if _, err := Start(Command{Argv: []string{"/bin/sh", "-c", os.Args[2]}, Self: os.Args[0]}); err != nil {
			panic(err)
		}
		select {}
	}
	os.Exit(m.Run())
}

// stubborn are programs that do not end, and tell the numbers of all that must.
var stubborn = []struct {
	name, system, text string // of any system, if empty
	tells              []string
}{
	{"one that waits", "", `sh $T/tell a $$; sleep 60`, []string{"a"}},
	{"one that ignores what it is asked", "", `trap '' TERM INT HUP; sh $T/tell a $$; while :; do sleep 60; done`, []string{"a"}},
	{"one that has stopped itself", "", `sh $T/tell a $$; kill -STOP $$; sleep 60`, []string{"a"}},
	{"one that prints without end", "", `trap '' TERM INT; sh $T/tell a $$; while :; do echo x; echo y >&2; done`, []string{"a"}},
	{"children", "", `for i in a b c; do sh -c 'trap "" TERM; sh $T/tell '$i' $$; while :; do sleep 60; done' & done; wait`, []string{"a", "b", "c"}},
	{"one with a session of its own", "linux", `setsid sh -c 'trap "" TERM; sh $T/tell a $$; sleep 60' & wait`, []string{"a"}},
	{"a daemon", "linux", `(env -i setsid sh -c "sh $T/tell a \$\$; exec sleep 60" </dev/null >/dev/null 2>&1 &); sh $T/tell b $$; sleep 60`, []string{"a", "b"}},
}

func TestNothingIsLeft(t *testing.T) {
	for _, end := range []struct {
		name string
		end  func(p *Process)
	}{
		{"of what is stopped", func(p *Process) { p.Stop(100 * time.Millisecond) }},
		{"when the keeper is asked", func(p *Process) { hit(p, syscall.SIGTERM) }},
	} {
		for i, c := range stubborn {
			if i > 1 && strings.HasPrefix(end.name, "when") {
				break // it gives them more time
			}
			if c.system != "" && c.system != runtime.GOOS {
				continue
			}
			t.Run(end.name+": "+c.name, func(t *testing.T) {
				t.Parallel()
				s := newScene(t)
				p := s.start(c.text)
				go func() { _, _ = io.Copy(io.Discard, p.Stdout) }()
				pids := s.told(c.tells...)
				end.end(p)
				s.ended(p)
				s.gone(pids)
			})
		}
	}
}

// TestNothingOutlivesUs: whoever started it is killed, which nobody can do
// anything about.
func TestNothingOutlivesUs(t *testing.T) {
	for _, c := range stubborn {
		if c.system != "" && c.system != runtime.GOOS {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			starter := exec.Command(os.Args[0], "starter", c.text)
			starter.Env = append(os.Environ(), "T="+s.dir)
			if err := starter.Start(); err != nil {
				t.Fatal(err)
			}
			pids := s.told(c.tells...)
			if err := starter.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = starter.Wait() // killed
			s.gone(pids)
		})
	}
}

// TestTheKeeperIsKilled: then the program is, too.
func TestTheKeeperIsKilled(t *testing.T) {
	s := newScene(t)
	p := s.start(`sh -c 'trap "" TERM HUP; sh $T/tell a $$; while :; do sleep 60; done' & sh $T/tell b $$; wait`)
	pids := s.told("a", "b")
	hit(p, syscall.SIGKILL)
	s.ended(p)
	if code, err := p.Exit(); code != -1 || err == nil || err.Error() != "the process that watches over it was killed" {
		t.Errorf("got %d, %v, want that the keeper was killed", code, err)
	}
	s.gone(pids)
}

// TestBothAreKilled: the keeper too is killed before it can do anything. Then the
// program alone can be ended, on Linux, by the kernel.
func TestBothAreKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	s := newScene(t)
	starter := exec.Command(os.Args[0], "starter", `trap '' TERM HUP; sh $T/tell keeper $PPID; sh $T/tell a $$; while :; do sleep 60; done`)
	starter.Env = append(os.Environ(), "T="+s.dir)
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	pids := s.told("keeper", "a")
	if err := syscall.Kill(pids[0], syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
	if err := starter.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = starter.Wait() // killed
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	s.gone(pids)
}

// TestTheKeeperHangs: a stop waits no longer than it has to.
func TestTheKeeperHangs(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.start(`sh $T/tell a $$; sleep 60`)
	pids := s.told("a")
	hit(p, syscall.SIGSTOP)
	p.keeper.patience = 100 * time.Millisecond
	p.Stop(0)
	s.gone(pids)
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		name, text string
		code       int
		err, tail  string
	}{
		{"success", "true", 0, "", ""},
		{"a code", "echo why >&2; exit 7", 7, "", "why"},
		{"a signal", "kill -9 $$", -1, "it was killed (signal: killed)", ""},
		{"what it leaves running", "sleep 60 & exit 3", 3, "", ""},
		{"what escapes a terminal", `printf '\033]0;x\007a\033[31mb' >&2`, 0, "", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newScene(t).start(c.text)
			out, err := io.ReadAll(p.Stdout)
			if err != nil || len(out) > 0 {
				t.Errorf("got %q, %v, want no output", out, err)
			}
			code, err := p.Exit()
			if code != c.code || c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
				t.Errorf("got %d, %v, want %d, %s", code, err, c.code, c.err)
			}
			if got := p.Tail(); got != c.tail {
				t.Errorf("got the tail %q, want %q", got, c.tail)
			}
		})
	}
}

func TestWhatItLeavesIsKilled(t *testing.T) {
	s := newScene(t)
	p := s.start("sh -c 'sh $T/tell a $$; exec sleep 60' & until [ -e $T/a ]; do sleep 0.01; done; echo end")
	out, err := io.ReadAll(p.Stdout)
	if string(out) != "end\n" || err != nil {
		t.Errorf("got %q, %v, want end", out, err)
	}
	if code, err := p.Exit(); code != 0 || err != nil {
		t.Errorf("got %d, %v, want success", code, err)
	}
	s.gone(s.told("a"))
}

func TestStreamsAreItsOwn(t *testing.T) {
	s := newScene(t)
	p := s.start(`pwd; echo $X; tr a-z A-Z; exec >&-; while [ ! -e $T/go ]; do sleep 0.01; done; exit 4`)
	if _, err := io.WriteString(p.Stdin, "words\x00\xff"); err != nil {
		t.Fatal(err)
	}
	if err := p.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(p.Stdout) // ends before the program does
	if want := s.dir + "\nx\nWORDS\x00\xff"; string(out) != want || err != nil {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	select {
	case <-p.Done():
		t.Error("it has ended with its output")
	default:
	}
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, err := p.Exit(); code != 4 || err != nil {
		t.Errorf("got %d, %v, want 4", code, err)
	}
}

func TestOnlyItsStreamsAreOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // nothing there tells
	}
	const list = "ls -l /proc/self/fd | sed -n 's/.* -> \\(pipe:.*\\)/\\1/p'"
	ours, err := exec.Command("sh", "-c", list).Output() // what the tests were started with
	if err != nil {
		t.Fatal(err)
	}
	p := newScene(t).start(list)
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]bool{}
	for pipe := range strings.Lines(string(out)) {
		others[pipe] = !strings.Contains(string(ours), pipe)
	}
	maps.DeleteFunc(others, func(_ string, other bool) bool { return !other })
	if len(others) != 3 { // its input, its errors, and the one in list
		t.Errorf("got the pipes %v, want three", others)
	}
}

func TestInterruptAndStop(t *testing.T) {
	for _, c := range []struct {
		name, signal string
		end          func(*Process)
		quick        bool
	}{
		{"an interrupt", "INT", (*Process).Interrupt, true},
		{"a stop", "TERM", func(p *Process) { p.Stop(20 * time.Second) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			p := s.start("trap 'echo tidy; exit 9' " + c.signal + "; sh $T/tell a $$; while :; do sleep 0.01; done")
			s.told("a")
			go c.end(p)
			out, err := io.ReadAll(p.Stdout)
			if string(out) != "tidy\n" || err != nil {
				t.Errorf("got %q, %v, want what it says at its end", out, err)
			}
			if code, err := p.Exit(); code != 9 || err != nil {
				t.Errorf("got %d, %v, want 9", code, err)
			}
		})
	}
}

// TestStopAfterTheEnd: again and again, and after all is over.
func TestStopAfterTheEnd(t *testing.T) {
	p := newScene(t).start("true")
	for range 3 {
		p.Interrupt()
		p.Stop(time.Hour)
	}
	if code, err := p.Exit(); code != 0 && err != nil { // it may have been stopped before
		t.Log(code, err)
	}
}

func TestFloodOnStderr(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p := newScene(t).start(`head -c 50000000 /dev/zero | tr '\0' x >&2; head -c 20000000 /dev/zero | tr '\0' '\n' >&2; echo end >&2`)
	if code, err := p.Exit(); code != 0 || err != nil {
		t.Errorf("got %d, %v, want success", code, err)
	}
	runtime.ReadMemStats(&after)
	if got := p.Tail(); !strings.HasSuffix(got, "\nend") || len(got) > 8<<10 {
		t.Errorf("got %d bytes %q, want the end", len(got), got)
	}
	if grown := after.Sys - before.Sys; grown > 32<<20 {
		t.Errorf("got %d MB more of the system, want next to none", grown>>20)
	}
}

func TestCannotStart(t *testing.T) {
	s := newScene(t)
	for _, c := range []struct {
		name    string
		command Command
		is      error
		want    string
	}{
		{"nothing", Command{}, nil, "there is no command"},
		{"no such program", Command{Argv: []string{"no-such-agent"}}, exec.ErrNotFound, `exec: "no-such-agent": executable file not found in $PATH`},
		{"no such file", Command{Argv: []string{"/no/such"}}, fs.ErrNotExist, "start /no/such: no such file or directory"},
		{"no program", Command{Argv: []string{s.dir + "/tell"}}, nil, "fork/exec " + s.dir + "/tell: permission denied"},
		{"no folder", Command{Argv: []string{"true"}, Dir: "/no/such"}, fs.ErrNotExist, "stat /no/such: no such file or directory"},
		{"a file for a folder", Command{Argv: []string{"true"}, Dir: s.dir + "/tell"}, syscall.ENOTDIR, "chdir " + s.dir + "/tell: not a directory"},
		{"no keeper", Command{Argv: []string{"true"}, Self: "/no/such"}, fs.ErrNotExist, "fork/exec /no/such: no such file or directory"},
		{"a keeper that is none", Command{Argv: []string{"x"}, Self: "/bin/cat"}, nil, "*/bin/cat, which has to watch over it, ended: exit status 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.command.Self == "" {
				c.command.Self = os.Args[0]
			}
			_, err := Start(c.command)
			begins, part := strings.CutPrefix(c.want, "*")
			if err == nil || err.Error() != c.want && !(part && strings.HasPrefix(err.Error(), begins)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want that it is %v", err, c.is)
			}
		})
	}
	if _, err := Start(Command{Argv: []string{"true"}}); err == nil {
		t.Error("started without a keeper")
	}
}

func TestNobodyToTendFor(t *testing.T) {
	out, err := exec.Command(os.Args[0], "tend", "--", "sh", "-c", "echo ran").CombinedOutput()
	if err == nil || string(out) != "there is nobody who has to outlive it\n" {
		t.Errorf("got %q, %v, want that it is refused", out, err)
	}
}

func TestFilesAreClosed(t *testing.T) {
	before := open(t)
	for range 5 {
		p := newScene(t).start("echo x")
		_, _ = io.ReadAll(p.Stdout)
		p.Stop(0)
	}
	for range 5 {
		_, _ = Start(Command{Argv: []string{"no-such-agent"}, Self: os.Args[0]})
	}
	s := newScene(t)
	s.until("all are closed", func() bool { return open(t) <= before })
}

func open(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func hit(p *Process, s syscall.Signal) { _ = p.keeper.cmd.Process.Signal(s) }

// scene is a folder in which scripts tell the numbers of their processes: by
// `sh $T/tell NAME $$`, which makes a file of that name at once and whole.
type scene struct {
	*testing.T
	dir string
}

func newScene(t *testing.T) scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := scene{t, dir}
	tell := "echo \"$2\" >\"${0%/*}/$1.new\" && mv \"${0%/*}/$1.new\" \"${0%/*}/$1\"\n"
	if err := os.WriteFile(filepath.Join(s.dir, "tell"), []byte(tell), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s scene) start(text string) *Process {
	s.Helper()
	p, err := Start(Command{Argv: []string{"/bin/sh", "-c", text}, Dir: s.dir, Env: append(os.Environ(), "T="+s.dir, "X=x"), Self: os.Args[0]})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { p.Stop(0) })
	return p
}

// told waits until processes have told their numbers, and gives them.
func (s scene) told(names ...string) (pids []int) {
	s.Helper()
	for _, name := range names {
		s.until("process "+name+" tells its number", func() bool {
			data, _ := os.ReadFile(filepath.Join(s.dir, name))
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err == nil {
				pids = append(pids, pid)
			}
			return err == nil
		})
	}
	return pids
}

func (s scene) ended(p *Process) {
	s.Helper()
	select {
	case <-p.Done():
	case <-time.After(30 * time.Second):
		s.Fatal("it did not end")
	}
}

func (s scene) gone(pids []int) {
	s.Helper()
	for _, pid := range pids {
		s.until(fmt.Sprintf("process %d is gone", pid), func() bool { return platform.Gone(pid) })
	}
}

func (s scene) until(what string, come func() bool) {
	s.Helper()
	for end := time.Now().Add(30 * time.Second); !come(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("timed out: %s", what)
		}
	}
}
