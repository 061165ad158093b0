//go:build unix

package notice

import (
	"runtime"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/scene"
)

// A command that hangs, with children in sessions of their own, leaves nothing.
func TestACommandThatHangs(t *testing.T) {
	t.Parallel()
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
