//go:build unix

package acp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

func init() { hostile["breeds"] = breeds }

// breeds starts a process, on Linux in its own session, prints both ids, and ignores
// signals.
func breeds(f *fake) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	child := exec.Command("sh", "-c", `trap "" TERM HUP; sleep 60; sleep 60`)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: runtime.GOOS == "linux"}
	child.Stdout = os.Stdout // held open
	if err := child.Start(); err != nil {
		panic(err)
	}
	m, text := f.prompt()
	f.say(m, strconv.Itoa(os.Getpid())+" "+strconv.Itoa(child.Process.Pid))
	if text == "crash" {
		os.Exit(1)
	}
	forever()
}

func TestNothingIsLeftOfAnAgent(t *testing.T) {
	for _, how := range short.First(list("a crash", "a close", "a cancel"), 1) {
		t.Run("after "+how, func(t *testing.T) {
			t.Parallel()
			c := config(t, "breeds")
			c.Grace = 100 * time.Millisecond
			d, s := open(t, c), &story{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			text := "work"
			if how == "a crash" {
				text = "crash"
			}
			failed := make(chan error, 1)
			words := make(chan string, 10)
			go func() {
				failed <- d.Turn(ctx, outer.Prompt{Text: text}, func(x outer.Seen) {
					s.see(x)
					if x.Text != "" {
						words <- x.Text
					}
				})
			}()
			pids := strings.Fields(<-words)
			switch how {
			case "a close":
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			case "a cancel":
				cancel()
			}
			if err := <-failed; err == nil || errors.Is(err, context.Canceled) != (how == "a cancel") {
				t.Errorf("got %v", err)
			}
			for _, word := range pids {
				pid, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				if !proc.Gone(pid) {
					t.Errorf("process %d still runs", pid)
				}
			}
		})
	}
}

func TestAPipeIsNotAFile(t *testing.T) {
	dir := scene(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := openWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.close() }()
	_, err = ws.read(t.Context(), "pipe", 0, 0)
	contains(t, "read", said(err), "not a plain file")
	if err := ws.write("pipe", "x"); err == nil {
		t.Error("it was written to")
	}
}
