//go:build unix

package notice

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/scene"
)

func TestACommand(t *testing.T) {
	s := scene.New(t)
	all := sender(t)
	all.Env = s.Env()
	got := all.Send(t.Context(), []Channel{`command:cat >$T/in; echo "$CURSOR_RALPH_NOTICE_ID $CURSOR_RALPH_NOTICE_STATUS" >$T/env`, "command:exit 3", "command:/nonexistent/x " + secret}, aNotice())
	if !got[0].OK || got[1].OK || got[1].Why != "it failed with exit 3" || got[1].Tries != 3 || got[2].OK {
		t.Fatalf("got %+v", got)
	}
	without(t, got[2].Channel, got[2].Why)
	var n Notice
	data, err := os.ReadFile(s.Dir + "/in")
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil || n.ID != "k7f2m" || n.Event != Ended || n.Status != "PROMISE_ACCEPTED" || n.Workspace != "repo" || n.Task != "make it green" || strings.Contains(string(data), "private") {
		t.Errorf("got %s, %v", data, err)
	}
	if env, _ := os.ReadFile(s.Dir + "/env"); string(env) != "k7f2m PROMISE_ACCEPTED\n" {
		t.Errorf("got %q", env)
	}
}

// A command that hangs, with children in sessions of their own, leaves nothing.
func TestACommandThatHangs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not find processes that left their session")
	}
	s := scene.New(t)
	all := sender(t)
	all.Env, all.Limit = s.Env(), time.Second
	results := make(chan []Result)
	go func() {
		results <- all.Send(t.Context(), []Channel{`command:trap '' TERM; (echo $$ >$T/first); setsid sh -c 'echo $$ >$T/away; exec sleep 1000' & sleep 1000`}, aNotice())
	}()
	pids := s.PIDs("first", "away")
	got := <-results
	if got[0].OK || got[0].Why != "no answer within 1s" || got[0].Tries != 1 {
		t.Errorf("got %+v", got)
	}
	s.Gone(pids...)
}

// What a command leaves running ends with it, and so does one whose time is over.
func TestACommandLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not find processes that left their session")
	}
	for name, last := range map[string]string{"it ends": "exit 3", "its time is over": "exec sleep 1000"} {
		t.Run(name, func(t *testing.T) {
			s := scene.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			self := sender(t).Self
			type end struct {
				exit int
				err  error
			}
			ended := make(chan end)
			go func() {
				exit, err := Command{Text: "setsid sh -c 'echo $$ >$T/away; exec sleep 1000' & until test -s $T/away; do sleep 0.01; done; " + last, Dir: s.Dir, Shell: "/bin/sh", Self: self, Env: s.Env(), Input: "x"}.Run(ctx)
				ended <- end{exit, err}
			}()
			away := s.PID("away")
			if last != "exit 3" {
				cancel()
			}
			if got := <-ended; last == "exit 3" && (got.exit != 3 || got.err != nil) {
				t.Errorf("got %+v", got)
			}
			s.Gone(away)
		})
	}
}
