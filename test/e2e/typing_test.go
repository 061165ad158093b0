//go:build linux

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// desk is a desktop with a window of the editor in front, whose chat input is
// the one of the simulated Cursor.
type desk struct {
	x      *testdesk.X
	page   *testdesk.Page
	editor *testdesk.Editor
}

// TestTyping runs loops whose continue line is really typed: by the programs as
// they are installed, into a real window. No other test runs beside it: a browser
// that gets no processor inserts a pasted text after the Return that follows it.
func TestTyping(t *testing.T) {
	for _, program := range []string{"Xvfb", "openbox", "chromium", "xclip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs " + program)
		}
	}
	d := newDesk(t)
	for _, test := range short.First([]struct {
		name string
		run  func(*testing.T, *desk)
	}{
		{"23 iterations in 5 sessions", fiveTimes},
		{"another window is in front", anotherWindow},
		{"another chat is in front", func(t *testing.T, d *desk) { anotherChat(t, d, usual()) }},
		{"the focus is in a source file", sourceFile},
		{"the user cancels at every moment", cancelledAtEveryMoment},
		{"there is no window", noWindow},
		{"a minimal installation", minimalInstallation},
		{"another chat is in front, the hook sees the command's text only", func(t *testing.T, d *desk) {
			anotherChat(t, d, option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }))
		}},
		{"installed for the user and the project", installedTwice},
		{"two loops at once", twoTypers},
		{"the hook that began it still runs", hookStillRuns},
		{"the page ignores the first Return", ignoredReturn},
		{"the user presses Stop at every moment", stoppedAtEveryMoment},
		{"doctor --type-test", typeTest},
		{"the typer is killed", killedTyper},
		{"a turn fails", failedTurn},
		{"the user resumes from a terminal", resumedByTyping},
	}, 3) {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, d)
		})
	}
}

func newDesk(t *testing.T) *desk {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d := &desk{}
	var err error
	d.x, err = testdesk.StartX(ctx, t.TempDir())
	must(err)
	t.Cleanup(func() { must(d.x.Close()) })
	must(d.x.StartWM(ctx))
	d.page, err = testdesk.NewPage()
	must(err)
	t.Cleanup(func() { must(d.page.Close()) })
	d.editor, err = d.x.StartEditor(ctx, d.page, testdesk.Options{})
	must(err)
	t.Cleanup(func() { must(d.editor.Close()) })
	return d
}

// unattended is a chat whose agent works without a test's help, and whose
// input is the page: what is sent there is sent here.
type unattended struct {
	*world
	*desk
	chat    *simcursor.Chat
	message func(context.Context) (string, error) // waits for what is sent in the input

	mu       sync.Mutex
	front    *simcursor.Chat            // the chat that the page shows, nil for that of chats
	chats    map[string]*simcursor.Chat // by the line that is for it
	done     int                        // iterations that the agent has worked
	promised int                        // the iteration in which it gives its promise
	failing  int                        // the turn that is lost, 0 for none
	pausing  int                        // the iteration in which the user pauses the loop
}

func (d *desk) world(t *testing.T, v variant, install ...string) *unattended {
	t.Helper()
	v.installs = [][]string{append([]string{"--session-limit", "5"}, install...)}
	w := bareWorld(t, v)
	w.extra = []string{"DISPLAY=" + d.x.Display(), "CURSOR_RALPH_EDITOR_EXE=" + d.editor.Exe}
	for _, args := range w.installs {
		w.ok(w.repo(), append([]string{"install"}, args...)...)
	}
	u := &unattended{world: w, desk: d, promised: 23, message: d.page.Message}
	u.must(d.page.Reset(u.ctx))
	u.chat = w.cursor(w.repo()).Chat(u.agent)
	u.show(u.chat)
	return u
}

// show brings a chat to the front.
func (u *unattended) show(c *simcursor.Chat) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.front = c
}

// shown is the chat to which a line goes.
func (u *unattended) shown(line string) *simcursor.Chat {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.front == nil {
		return u.chats[line]
	}
	return u.front
}

// agent does what a slash command says, works, and returns its promise in time.
func (u *unattended) agent(t *simcursor.Turn) {
	if !t.Followup {
		command, err := handOver(t.Message)
		if err != nil {
			u.Errorf("turn %d: %v", t.Number, err)
			return
		}
		if output, exit := t.Shell(command); exit != 0 {
			t.Say("It cannot go on: " + output)
			return
		}
	}
	if err := t.Edit(fmt.Sprintf("work-%d.txt", t.Number), "work\n"); err != nil {
		u.Errorf("edit: %v", err)
	}
	u.mu.Lock()
	u.done++
	last, fail, pause := u.done >= u.promised, u.done == u.failing, u.done == u.pausing
	u.mu.Unlock()
	switch {
	case fail:
		t.Fail()
	case pause:
		u.ok(u.repo(), "pause", t.Chat.ID)
	case last && u.minimal():
		t.Shell(fmt.Sprintf(`cursor-ralph note %s "%s"`, t.Chat.ID, done))
	case last:
		t.Say("All is done. " + done)
	default:
		t.Say("A part is done.")
	}
}

func (u *unattended) minimal() bool { return slices.Contains(u.installs[0], "--minimal") }

// begins starts a loop and lets what comes from the input into the chat in
// front, until the test ends.
func (u *unattended) begins(task string) {
	u.Helper()
	ctx, cancel := context.WithCancel(u.ctx)
	var pump sync.WaitGroup
	u.Cleanup(func() {
		u.awaitTypers()
		cancel()
		pump.Wait()
	})
	sent := make(chan error, 1)
	pump.Go(func() {
		sent <- u.chat.Send(ctx, "/ralph-loop "+task)
		for {
			text, err := u.message(ctx)
			if err != nil {
				return // the test is over
			}
			if err := u.shown(text).Send(ctx, text); err != nil && ctx.Err() == nil {
				u.Error(err)
			}
		}
	})
	select {
	case err := <-sent:
		u.must(err)
	case <-u.ctx.Done():
		u.Fatal("the loop does not get to its first session's end")
	}
}

// awaitTypers waits until every injection that the hook began is over. The
// test's own context has ended by then.
func (u *unattended) awaitTypers() {
	u.Helper()
	count := func(action string) int { return strings.Count(u.log(), " action="+action+" ") }
	for end := time.Now().Add(patience); count("inject") > count("injected")+count("not-typed"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			u.Error("a typer has no end")
			return
		}
	}
}

// typedLine is how an injection went, in the history.
type typedLine struct {
	Outcome      string   `json:"outcome"`
	Method       string   `json:"method"`
	Milliseconds int64    `json:"milliseconds"`
	Tries        []string `json:"tries"`
}

// typed returns the injections of a loop's history.
func (u *unattended) typed() (lines []typedLine) {
	u.Helper()
	var history []struct {
		Injections []typedLine `json:"injections"`
	}
	u.must(json.Unmarshal([]byte(u.ok(u.repo(), "history", "--json", u.chat.ID)), &history))
	for _, h := range history {
		lines = append(lines, h.Injections...)
	}
	return lines
}

func (u *unattended) line() string { return "/ralph-loop --continue " + u.chat.ID }

// reachesItsPromise waits for the end of the loop and checks every step to it.
func (u *unattended) reachesItsPromise(method string) {
	u.Helper()
	u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
	u.until("the reports", func() bool { return len(u.typed()) == 4 })
	u.wantStatus(u.chat.ID, "PROMISE_ACCEPTED", 23)
	if got, want := u.page.Messages(), slices.Repeat([]string{u.line()}, 4); !slices.Equal(got, want) {
		u.Errorf("the page sent %q, want the exact line four times and nothing else", got)
	}
	for _, line := range u.typed() {
		if line.Outcome != "arrived" || line.Method != method || line.Milliseconds <= 0 {
			u.Errorf("got %+v, want one that arrived by %s", line, method)
		}
	}
}

func fiveTimes(t *testing.T, d *desk) {
	for n := range short.Times(1, 5) {
		t.Run(fmt.Sprint("time ", n+1), func(t *testing.T) {
			u := d.world(t, usual())
			u.must(d.x.Copy(u.ctx, "what the user had copied"))
			u.begins(`"make it green" --max-iterations 30`)
			u.reachesItsPromise("xtest")
			if got, err := d.x.Clipboard(u.ctx); got != "what the user had copied" || err != nil {
				u.Errorf("the clipboard: got %q, %v", got, err)
			}
		})
	}
}

func minimalInstallation(t *testing.T, d *desk) {
	u := d.world(t, usual(), "--minimal")
	u.begins(`"make it green" --max-iterations 30`)
	u.reachesItsPromise("xtest")
}

func anotherWindow(t *testing.T, d *desk) {
	u := d.world(t, usual())
	other, err := d.x.NewOther(u.ctx, "XTerm", "a terminal that shows Cursor", os.Getpid())
	u.must(err)
	defer other.Close()
	u.must(other.Activate(u.ctx))
	u.promised = 7
	u.begins(`"make it green"`)
	u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
	if got := u.page.Messages(); !slices.Equal(got, []string{u.line()}) {
		u.Errorf("the page sent %q", got)
	}
	if keys, pasted := other.Keys(), other.Pasted(); len(keys) > 0 || len(pasted) > 0 {
		u.Errorf("the other window got the keys %v and the text %q, want none", keys, pasted)
	}
}

// anotherChat is in front in the editor's window: the line is kept back there,
// and nothing moves.
func anotherChat(t *testing.T, d *desk, v variant) {
	u := d.world(t, v)
	other := u.cursor(u.repo()).Chat(func(t *simcursor.Turn) { u.Errorf("the other chat's agent was sent %q", t.Message) })
	u.show(other)
	u.begins(`"make it green"`)
	u.until("the refusal", func() bool { return len(u.typed()) == 1 && len(other.Shown()) == 1 })
	u.wantPart("what the user is shown", other.Shown()[0], "send there: "+u.line())
	l := u.wantStatus(u.chat.ID, "waiting", 5)
	u.wantPart("why", l.Reason, "another chat was in front")
	if l.SessionIterations != 5 {
		u.Errorf("got %d iterations in the session, want 5: nothing has arrived", l.SessionIterations)
	}
	u.show(u.chat)
	u.promised = 7
	u.must(u.chat.Send(u.ctx, u.line())) // as the user does now
	u.wantStatus(u.chat.ID, "PROMISE_ACCEPTED", 7)
}

// sourceFile: the line is pasted where the cursor is, and nothing else of the
// file changes.
func sourceFile(t *testing.T, d *desk) {
	const before = "package main\n\nfunc main() {}\n"
	u := d.world(t, usual(), "--injectors", "none")
	u.begins(`"make it green"`)
	u.must(d.page.SetFile(u.ctx, before))
	u.must(d.page.FocusFile(u.ctx))
	complaint := u.refused(u.repo(), "inject", u.chat.ID, "--method", "xtest", "--wait", "1s")
	u.wantPart("complaint", complaint, "did not arrive")
	s, err := d.page.State(u.ctx)
	u.must(err)
	if rest := strings.Replace(s.File, u.line()+"\n", "", 1); rest != before {
		u.Errorf("the file is %q now, want that the line and its Return are all that was added to %q", s.File, before)
	}
	for _, version := range d.page.FileVersions() {
		if len(version) < len(before) {
			u.Errorf("meanwhile the file was %q: something was deleted", version)
		}
	}
	u.wantStatus(u.chat.ID, "waiting", 5)
	u.must(d.page.FocusInput(u.ctx))
	if got, err := d.x.Clipboard(u.ctx); got != u.line() || err != nil {
		u.Errorf("the clipboard: got %q, %v, want the line for the user to paste", got, err)
	}
}

// ignoredReturn: Return is pressed again only where the focus is known to be in
// the chat input.
func ignoredReturn(t *testing.T, d *desk) {
	t.Run("with focus keys", func(t *testing.T) {
		u := d.world(t, usual(), "--focus-keys", "ctrl+i")
		u.promised = 7
		u.must(d.page.IgnoreReturns(u.ctx, 1))
		u.begins(`"make it green"`)
		u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
		if got := u.page.Messages(); !slices.Equal(got, []string{u.line()}) {
			u.Errorf("the page sent %q", got)
		}
	})
	t.Run("without", func(t *testing.T) {
		u := d.world(t, usual(), "--injectors", "none")
		u.begins(`"make it green"`)
		u.must(d.page.IgnoreReturns(u.ctx, 1))
		u.refused(u.repo(), "inject", u.chat.ID, "--method", "xtest", "--wait", "1s")
		s, err := d.page.State(u.ctx)
		u.must(err)
		if strings.TrimSuffix(s.Draft, "\n") != u.line() || len(u.page.Messages()) > 0 {
			u.Errorf("got the draft %q and the messages %q, want the line as a draft", s.Draft, u.page.Messages())
		}
		returns := slices.DeleteFunc(d.page.Keys(), func(k testdesk.Key) bool { return k.Key != "Enter" })
		if len(returns) != 1 {
			u.Errorf("Return was pressed %d times, want once", len(returns))
		}
	})
}

// moments are how long after the beginning of an injection something happens.
func moments() (list []time.Duration) {
	for d := time.Duration(0); d <= 150*time.Millisecond; d += 20 * time.Millisecond {
		list = append(list, d)
	}
	slices.Reverse(list) // the late ones press keys
	return short.First(list, 2)
}

// waitsForTyping plays up to the end of a session and returns when the typing
// begins.
func (u *unattended) waitsForTyping(iterations int) {
	u.Helper()
	u.promised = iterations + 1
	u.begins(fmt.Sprintf(`"make it green" --max-iterations %d`, iterations))
	u.until("the injection", func() bool { return strings.Contains(u.log(), "event=inject") })
}

func cancelledAtEveryMoment(t *testing.T, d *desk) {
	for _, moment := range moments() {
		t.Run(moment.String(), func(t *testing.T) {
			u := d.world(t, usual())
			u.waitsForTyping(1000) // none of the moments is too late
			time.Sleep(moment)     // any moment will do, and each is tried
			u.ok(u.repo(), "cancel", u.chat.ID)
			cancelled := time.Now()
			u.until("the typer's end", func() bool {
				return strings.Contains(u.log(), "action=injected") || strings.Contains(u.log(), "action=not-typed")
			})
			// One key may be between its check and its press, and the log has the time of its line.
			const onItsWay = 25 * time.Millisecond
			if pressed := u.loggedAt("pressed Return"); pressed.After(cancelled.Add(onItsWay)) {
				u.Errorf("Return was pressed %s after the loop was cancelled", pressed.Sub(cancelled))
			}
			u.idle()
			if l := u.status(u.chat.ID); l.Status != "CANCELLED" {
				u.Errorf("got %s after %d iterations", l.Status, l.Iterations)
			}
		})
	}
}

func stoppedAtEveryMoment(t *testing.T, d *desk) {
	for _, moment := range moments() {
		t.Run(moment.String(), func(t *testing.T) {
			u := d.world(t, usual())
			u.waitsForTyping(9)
			time.Sleep(moment) // any moment will do, and each is tried
			for !u.chat.Stop() && !strings.Contains(u.log(), "action=injected") {
				time.Sleep(time.Millisecond) // the button is there only while a turn runs
			}
			u.idle()
			switch l := u.status(u.chat.ID); l.Status {
			case "USER_STOPPED":
			case "running", "waiting": // it was pressed between two turns, which Cursor tells nobody: no follow-up came
				if u.wasStopped() {
					u.Errorf("got %s after the user's Stop", l.Status)
				}
			case "MAX_ITERATIONS_REACHED": // the turn was over before the button was found
				if u.wasStopped() {
					u.Errorf("the loop went on after the user's Stop")
				}
			default:
				u.Errorf("got %s after %d iterations: %s", l.Status, l.Iterations, l.Reason)
			}
		})
	}
}

// wasStopped reports whether Cursor told a hook that the user stopped a turn.
func (u *unattended) wasStopped() bool {
	return slices.ContainsFunc(u.chat.Runs("stop"), func(r simcursor.Run) bool {
		return strings.Contains(string(r.Payload), `"aborted"`)
	})
}

// loggedAt returns the time of the last log line with some words, the zero time
// if there is none.
func (u *unattended) loggedAt(words string) (at time.Time) {
	u.Helper()
	for line := range strings.Lines(u.log()) {
		if strings.Contains(line, words) {
			stamp, _, _ := strings.Cut(line, " ")
			var err error
			at, err = time.Parse("2006-01-02T15:04:05.000Z", stamp)
			u.must(err)
		}
	}
	return at
}

// idle waits until no turn is under way.
func (u *unattended) idle() {
	u.Helper()
	u.until("rest", func() bool { return !u.chat.Busy() })
}

// noWindow of the editor is there: the hook hands over as if nothing could be
// typed, and nothing is.
func noWindow(t *testing.T, d *desk) {
	u := d.world(t, usual())
	u.extra[1] = "CURSOR_RALPH_EDITOR_EXE=another-editor"
	clear(u.cursors)
	u.chat = u.cursor(u.repo()).Chat(u.agent)
	u.begins(`"make it green"`)
	u.wantPart("the last message", u.chat.Messages()[5], u.line())
	u.wantStatus(u.chat.ID, "waiting", 5)
	u.wantPart("log", u.log(), "action=typing-impossible")
	if got := u.page.Messages(); len(got) > 0 {
		u.Errorf("the page sent %q", got)
	}
}

// installedTwice has two hooks at each stop. One line is typed all the same, and
// one that came to the wrong chat is kept back by both.
func installedTwice(t *testing.T, d *desk) {
	u := d.world(t, usual())
	u.ok(u.repo(), "install", "--project", ".", "--session-limit", "5")
	other := u.cursor(u.repo()).Chat(func(t *simcursor.Turn) { u.Errorf("the other chat's agent was sent %q", t.Message) })
	u.show(other)
	u.begins(`"make it green"`)
	u.until("the refusal", func() bool { return len(u.typed()) == 1 && len(other.Shown()) > 0 })
	u.show(u.chat)
	u.promised = 12
	u.must(u.chat.Send(u.ctx, u.line()))
	u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
	u.wantStatus(u.chat.ID, "PROMISE_ACCEPTED", 12)
	if got := u.page.Messages(); !slices.Equal(got, []string{u.line(), u.line()}) {
		u.Errorf("the page sent %q, want the line at each of the two limits", got)
	}
}

// twoTypers are typed for one after the other: there is one keyboard.
func twoTypers(t *testing.T, d *desk) {
	u := d.world(t, usual(), "--injectors", "none")
	u.promised = 100
	u.begins(`"make it green" --max-iterations 50`)
	other := u.cursor(u.repo()).Chat(u.agent)
	u.must(other.Send(u.ctx, `/ralph-loop "and blue" --max-iterations 50`))
	lines := []string{u.line(), "/ralph-loop --continue " + other.ID}
	u.show(nil) // each line goes to its own chat
	u.mu.Lock()
	u.chats = map[string]*simcursor.Chat{lines[0]: u.chat, lines[1]: other}
	u.mu.Unlock()
	rested := func(iterations int) func() bool {
		return func() bool {
			for _, c := range []*simcursor.Chat{u.chat, other} {
				if l := u.status(c.ID); l.Status != "waiting" || l.Iterations < iterations || c.Busy() {
					return false
				}
			}
			return true
		}
	}
	for n := range 3 {
		u.until("rest", rested(5+n*5)) // of both, in the hand-over of a session
		u.must(d.page.Reset(u.ctx))
		var typers sync.WaitGroup
		for _, id := range []string{u.chat.ID, other.ID} {
			typers.Go(func() { u.ok(u.repo(), "inject", id, "--method", "xtest") })
		}
		typers.Wait()
		got := u.page.Messages()
		slices.Sort(got)
		if slices.Sort(lines); !slices.Equal(got, lines) {
			u.Errorf("the page sent %q, want each line once", got)
		}
	}
}

// hookStillRuns is a process that has to end before anything is typed.
func hookStillRuns(t *testing.T, d *desk) {
	u := d.world(t, usual(), "--injectors", "none")
	u.promised = 7
	u.begins(`"make it green"`)
	hook := exec.Command("sleep", "600")
	u.must(hook.Start())
	var typer sync.WaitGroup
	typer.Go(func() {
		u.ok(u.repo(), "inject", u.chat.ID, "--method", "xtest", "--after", fmt.Sprint(hook.Process.Pid))
	})
	u.until("the injection", func() bool { return strings.Contains(u.ok(u.repo(), "status", u.chat.ID), "under way") })
	time.Sleep(300 * time.Millisecond) // in which a typer that does not wait has typed
	ended := time.Now()
	u.must(hook.Process.Kill()) // its parent asks for its end later, as editors may
	typer.Wait()
	_ = hook.Wait()
	if typed := u.loggedAt("xtest: typing"); typed.Before(ended.Truncate(time.Millisecond)) {
		u.Errorf("the typing began %s before the hook ended", ended.Sub(typed))
	}
	u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
}

// typeTest types a harmless line into the window in front, whoever's it is.
func typeTest(t *testing.T, d *desk) {
	for _, method := range short.First([]string{"xtest", "xdotool"}, 1) {
		t.Run(method, func(t *testing.T) {
			u := d.world(t, usual())
			u.extra[1] = "CURSOR_RALPH_EDITOR_EXE=another-editor"
			said := u.ok(u.repo(), "doctor", "--type-test", "--method", method)
			u.wantPart("output", said, "typed by "+method)
			s, err := d.page.State(u.ctx)
			u.must(err)
			if line := "cursor-ralph was here: this line is a test and can be deleted"; s.Draft != line || len(d.page.Messages()) > 0 {
				u.Errorf("got the draft %q and the messages %q, want the line as a draft", s.Draft, d.page.Messages())
			}
		})
	}
}

// killedTyper is reported by its guard, and the loop waits for the user.
func killedTyper(t *testing.T, d *desk) {
	u := d.world(t, usual())
	u.must(d.page.Blur(u.ctx)) // so that nothing is fetched, and the typer waits
	u.begins(`"make it green"`)
	u.until("the typing", func() bool { return strings.Contains(u.log(), "xtest: typing") })
	var pid string
	u.until("the guard", func() bool {
		out, _ := exec.Command("pgrep", "-f", "guard -- "+u.chat.ID).Output()
		guard := strings.TrimSpace(string(out))
		if guard == "" {
			return false
		}
		out, _ = exec.Command("ps", "-o", "ppid=", "-p", guard).Output()
		pid = strings.TrimSpace(string(out))
		return pid != ""
	})
	u.must(exec.Command("kill", "-9", pid).Run())
	u.until("the report", func() bool { return len(u.typed()) == 1 })
	l := u.wantStatus(u.chat.ID, "waiting", 5)
	u.wantPart("why", l.Reason, "the process that typed it has died")
	u.must(d.page.FocusInput(u.ctx))
}

// failedTurn is tried again after a while, which the test makes short.
func failedTurn(t *testing.T, d *desk) {
	u := d.world(t, usual())
	stopped := u.cursor(u.repo()).Chat(func(t *simcursor.Turn) { t.PressStop() })
	u.must(stopped.Send(u.ctx, `/ralph-loop "something else"`))
	u.failing, u.promised = 2, 4
	u.begins(`"make it green" --on-error retry`)
	l := u.wantStatus(u.chat.ID, "waiting", 1)
	u.wantPart("reason", l.Reason, "the turn failed: Cursor reported error; it is tried again after 30s (1 of 4)")
	var state map[string]json.RawMessage
	data, err := os.ReadFile(u.live(u.chat.ID))
	u.must(err)
	u.must(json.Unmarshal(data, &state))
	var injection map[string]any
	u.must(json.Unmarshal(state["injection"], &injection))
	due := time.Now().Add(time.Second)
	injection["due_at"] = due
	u.change(u.live(u.chat.ID), map[string]any{"injection": injection})
	u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
	u.wantStatus(u.chat.ID, "PROMISE_ACCEPTED", 3)
	if began := u.loggedAt(" action=step "); began.Before(due.Truncate(time.Millisecond)) {
		u.Errorf("typing began at %s, want it not before %s", began, due)
	}
	if got := u.page.Messages(); !slices.Equal(got, []string{u.line()}) {
		u.Errorf("the page sent %q", got)
	}
}

func resumedByTyping(t *testing.T, d *desk) {
	u := d.world(t, usual())
	u.pausing, u.promised = 2, 3
	u.begins(`"make it green"`)
	u.wantStatus(u.chat.ID, "paused", 1)
	u.wantPart("resume --inject", u.ok(u.repo(), "resume", "--inject", u.chat.ID), "typed by xtest, and arrived")
	u.until("the promise", func() bool { return u.status(u.chat.ID).Status == "PROMISE_ACCEPTED" })
	if got := u.page.Messages(); !slices.Equal(got, []string{u.line()}) {
		u.Errorf("the page sent %q", got)
	}
}
