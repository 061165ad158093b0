// Package notify sends notices about loops, in a process that nobody waits for.
package notify

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gen2brain/beeep"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/notice"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Flags adds the flags of notify.
func Flags(f *pflag.FlagSet) {
	new(handoff.Notify).Flags(f)
	f.Lookup("undecided").Hidden = true
}

// Run sends a notice about a loop. The hook does not wait for it, so errors go to the log too.
func Run(ctx context.Context, e *cli.Env, args []string) error {
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l := found.State
	var call handoff.Notify
	if e.Read(&call); call.IfWanted && !May(e) {
		return nil
	}
	c, _ := e.Config() // doctor shows what is wrong with it
	all := channels(e)
	if call.IfWanted && !HasDesktop(e) {
		all = slices.DeleteFunc(all, notice.Channel.IsDesktop)
	}
	details := c.Get("notify.details").Text == "true"
	n := notice.Of(l, e.Loops.StallAfter, e.Now(), details)
	if call.Undecided {
		n = notice.OfUndecided(l, e.Now(), details)
	}
	results := send(ctx, e, all, n)
	for _, r := range results {
		if !r.OK {
			e.Log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Event: "notify", Action: "error", Why: "no notice by " + r.Channel + ": " + r.Why + " (" + attempts(r) + ")"})
		}
	}
	return failed(results, "")
}

type shownTest struct {
	Schema   int             `json:"schema"`
	Channels []notice.Result `json:"channels"`
}

// Test sends a test notice to each channel and prints how it went.
func Test(ctx context.Context, e *cli.Env) error {
	if _, err := e.Config(); err != nil {
		return err
	}
	results := send(ctx, e, channels(e), notice.OfTest())
	switch {
	case e.IsSet("json"):
		if err := e.JSON(shownTest{1, results}); err != nil {
			return err
		}
	case len(results) == 0:
		return hint.New("notify.channels names no channel", `give some, such as channels = ["desktop"] below [notify]; `+"`cursor-ralph config --path` names the file")
	default:
		if err := e.Say("%s", table(e.Screen(), results)); err != nil {
			return err
		}
	}
	if off := Off(e); off != nil { // the test sends all the same
		e.Warn("loops send no notices: %v", off)
	}
	return failed(results, desktopHint(e))
}

// desktopHint says what is missing for a notice on the desktop, empty if nothing is.
func desktopHint(e *cli.Env) string {
	err := NoDesktop(e)
	if err == nil {
		return ""
	}
	return fmt.Sprintf("desktop: %s\n%s\n", err, hint.Of(err))
}

func table(screen view.Screen, results []notice.Result) string {
	var rows [][]string
	for _, r := range results {
		how := "ok"
		if !r.OK {
			how = "failed: " + r.Why
		}
		rows = append(rows, []string{r.Channel, fmt.Sprintf("%.1fs", r.Seconds), how})
	}
	return strings.TrimRight(screen.Columns(rows, view.Give{Column: 2, Least: 12}), "\n")
}

func attempts(r notice.Result) string {
	if r.Tries == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", r.Tries)
}

// failed returns an error with the channels that got nothing. onDesktop says what is
// missing there.
func failed(results []notice.Result, onDesktop string) error {
	var names []string
	for _, r := range results {
		if !r.OK {
			names = append(names, r.Channel)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if !slices.Contains(names, "desktop") {
		onDesktop = ""
	}
	return hint.New(fmt.Sprintf("%d of %s got nothing: %s", len(names), text.Count(len(results), "channel"), strings.Join(names, ", ")),
		onDesktop+"correct notify.channels; `cursor-ralph config --test-notice` tries them again")
}

func send(ctx context.Context, e *cli.Env, all []notice.Channel, n notice.Notice) []notice.Result {
	notice.Guard()
	self := string(cli.Self())
	return notice.Sender{Desktop: show, Self: self, Shell: e.UserShell(), Env: os.Environ()}.Send(ctx, all, n)
}

func show(title, words string) error {
	beeep.AppName = "cursor-ralph"
	if err := beeep.Notify(title, words, ""); err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	return nil
}

// channels are those of the settings. With unreadable settings it is the desktop.
func channels(e *cli.Env) []notice.Channel {
	c, _ := e.Config()
	return notice.Channels(c.Get("notify.channels").Text)
}

// HasDesktop reports whether there may be a desktop here.
func HasDesktop(e *cli.Env) bool { return platform.HasDesktop(runtime.GOOS, e.Getenv) }

// May reports whether the user wants notices and there may be a channel for them.
func May(e *cli.Env) bool {
	if e.Getenv("CURSOR_RALPH_NO_NOTIFY") != "" {
		return false
	}
	all := channels(e)
	return notice.Reaches(all) || len(all) > 0 && HasDesktop(e)
}

// Later sends it in a process of its own, since nobody should wait for a channel.
func Later(e *cli.Env, id string) error {
	if !May(e) {
		return nil
	}
	return cli.Self().Notify(id, handoff.Notify{IfWanted: true})
}
