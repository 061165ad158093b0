//go:build unix

package worktree

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// fakeGit makes git a script, which finds the folder of its pid files in $0.
func (w world) fakeGit(script string) world {
	w.t.Helper()
	bin := w.path("../bin")
	w.must(os.MkdirAll(bin, 0o777))
	w.must(sources.WriteProgram(filepath.Join(bin, "git"), []byte("#!/bin/sh\nhere=${0%/*}\n"+script+"\n"), 0o777))
	w.env = append(w.env, "PATH="+bin)
	return w
}

// hung is more than a look takes on a busy machine, and less than the scripts sleep.
const hung = 15 * time.Second

// A program that is not git, or a git that misbehaves, costs two seconds at most and
// has no effect on the result; what it has started is killed.
func TestMisbehavingGit(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	const head = `printf '# branch.oid 0123456789abcdef0123456789abcdef01234567\000'`
	for _, tt := range short.First([]struct {
		name, script, want string
	}{
		{"floods", `echo $$ >"$here/1.pid"; while :; do echo FLOOD; done`, ""},
		{"prints half and ends", head + `; printf '1 .M N... 100'`, "cut off"},
		{"is no program at all", "\x00", ""},
		{"sleeps", `echo $$ >"$here/1.pid"; exec SLEEP 60`, errSlow.Error()},
		{"ignores signals, as its children do", `trap '' TERM HUP INT; (trap '' TERM HUP INT; SLEEP 60 & echo $! >"$here/2.pid"; wait) & echo $$ >"$here/1.pid"; wait`, errSlow.Error()},
		{"prints half and sleeps", head + `; echo $$ >"$here/1.pid"; SLEEP 60`, errSlow.Error()},
		{"ends, but a child holds the pipe", head + `; SLEEP 60 & echo $! >"$here/1.pid"`, proc.ErrHeld.Error()},
		{"ends, but a child holds the words' pipe", `SLEEP 60 >/dev/null & echo $! >"$here/1.pid"`, proc.ErrHeld.Error()},
		{"closes its streams and sleeps", `echo $$ >"$here/1.pid"; exec SLEEP 60 >/dev/null 2>&1`, errSlow.Error()},
		{"floods with words, then ends", `i=0; while [ $i -lt 5000 ]; do echo FLOOD >&2; i=$((i+1)); done; exit 7`, "exit status 7: xxxx"},
		{"prints rubbish", `echo hello; exit 0`, "no commit"},
		{"prints rubbish and fails", `echo hello; echo no >&2; echo such >&2; exit 1`, "exit status 1: no"},
		{"prints nothing", `exit 0`, "no commit"},
		{"prints colours and fails", `printf '\033[31mred\r\n' >&2; exit 3`, `exit status 3: \u001b[31mred`},
		{"kills itself", `kill -9 $$`, "git status: signal: killed"},
	}, 4) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			script := strings.ReplaceAll(strings.ReplaceAll(tt.script, "SLEEP", sleep), "FLOOD", strings.Repeat("x", 4000))
			w = w.fakeGit(script)
			begin := time.Now()
			tree, err := viewer(t, w.env).Tree(t.Context(), w.dir, []string{"file"})
			if took := time.Since(begin); took > hung {
				t.Errorf("it took %v", took)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if tree.Root != "" || tree.Print != "" || len(tree.Files) != 1 {
				t.Errorf("got %+v, want the edited file alone", tree)
			}
			w.nothingRuns()
		})
	}
}

// nothingRuns waits until the processes of the pid files have ended.
func (w world) nothingRuns() {
	w.t.Helper()
	files, err := filepath.Glob(w.path("../bin/*.pid"))
	w.must(err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		w.must(err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
		w.must(err)
		for end := time.Now().Add(2 * time.Minute); !proc.Gone(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				w.t.Fatalf("%s: process %d runs on", filepath.Base(file), pid)
			}
		}
	}
}
