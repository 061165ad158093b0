package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/cursorlog"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// checkCursorLog reports what Cursor's own log says about our entries and answers. Its format is reported, not documented, so
// unknown lines are ignored.
func checkCursorLog(_ context.Context, e *cli.Env, found *list) {
	folder := platform.CursorLogs(runtime.GOOS, e.Getenv)
	if folder == "" {
		return
	}
	log, paths := cursorlog.Read(folder)
	if len(paths) == 0 {
		found.ok("no log of hooks below %s", folder)
		return
	}
	ours := slices.DeleteFunc(log.Runs, func(r cursorlog.Run) bool { return !commands.RunsHook(r.Command) })
	verdicts(e, log.Verdicts, found)
	recorded(ours, found)
	lost(e, ours, found)
	found.orOK("nothing about our hook in %s", paths[0])
}

func verdicts(e *cli.Env, all []cursorlog.Verdict, found *list) {
	sources := []string{"user", "project"}
	for i, file := range install.HookFiles(e) {
		for _, v := range slices.Backward(all) {
			if v.Source == sources[i] && (v.Path == "" || cli.SameFile(v.Path, file)) {
				verdict(v, file, found)
				break
			}
		}
	}
}

// verdict reports one verdict. If the log does not name the file, a project's may be about another project.
func verdict(v cursorlog.Verdict, file string, found *list) {
	const reload = "reload Cursor's window"
	here := install.InstalledAt(file)
	when := shortTime(v.At)
	switch info, err := os.Stat(file); {
	case err != nil, !here.Any() && v.Problem == "":
	case !v.At.IsZero() && info.ModTime().After(v.At.Add(time.Second)):
		found.info("if hooks do not run, "+reload, "Cursor last read a %s hooks.json%s, before %s was changed", v.Source, when, file)
	case v.Problem != "" && v.Source == "project" && v.Path == "":
		found.warning("if that was "+file+", correct it and "+reload, "Cursor dropped a project's hooks.json%s: %s", when, v.Problem)
	case v.Problem != "":
		found.problem("correct that entry (the check hooks.json shows the line), then "+reload, "Cursor dropped %s%s: %s", file, when, v.Problem)
	case v.Missing:
		found.warning(reload+"; a project's needs a trusted workspace", "Cursor found no %s hooks.json%s, but there is %s", v.Source, when, file)
	case !slices.Contains(v.Steps, hook.EventStop) && here.At(hook.EventStop):
		found.problem(reload+"; if that does not help, "+reinstall, "Cursor loaded %s%s without a stop hook", file, when)
	default:
		found.ok("Cursor loaded %s%s", file, when)
	}
}

func shortTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " on " + at.Local().Format("2006-01-02 at 15:04:05")
}

func recorded(ours []cursorlog.Run, found *list) {
	const shown = 3
	var words []string
	failed := false
	for _, r := range slices.Backward(ours[max(0, len(ours)-shown):]) {
		words = append(words, r.Event+shortTime(r.At)+": "+answerWords(r))
		failed = failed || r.Exit != "0"
	}
	text := "the last answers that Cursor recorded of our hook: " + strings.Join(words, "; ")
	switch {
	case failed:
		found.warning("run the command of that entry by hand: a hook that exits with anything but 0 has given no answer", "%s", text)
	case len(ours) > 0:
		found.ok("%s", text)
	}
}

func answerWords(r cursorlog.Run) string {
	switch {
	case r.Exit != "0":
		return "exit code " + r.Exit
	case r.HasFollowup():
		return "a follow-up"
	case r.Answer == "":
		return "nothing"
	}
	return cli.Shortened(r.Answer, 40)
}

func lost(e *cli.Env, ours []cursorlog.Run, found *list) {
	if len(ours) == 0 {
		return
	}
	text, _ := render.LogLines(e, "") // checkFolders reports what is wrong with it
	var lines []hooklog.Line
	for _, l := range text {
		if line, err := hooklog.Parse(l); err == nil {
			lines = append(lines, line)
		}
	}
	var all list
	for i, line := range lines {
		if line.Event != hook.EventStop || line.Action != string(loop.Followup) && line.Action != string(loop.HandOver) || !lostIn(ours, line) {
			continue
		}
		what := fmt.Sprintf("a follow-up of %s%s was lost: we sent it, and Cursor recorded no answer", line.Conversation, shortTime(line.At))
		if slices.ContainsFunc(lines[i+1:], func(l hooklog.Line) bool { return l.Conversation == line.Conversation }) {
			all.info("", "%s; the chat went on since", what)
			continue
		}
		all.problem("cursor-ralph status "+loop.Argument(line.Conversation)+" shows how the loop goes on: type its continue line into the chat", "%s", what)
	}
	*found = append(*found, all[max(0, len(all)-3):]...)
}

// lostIn reports whether runs of a stop cover a line's time, without a follow-up. If our hook is installed twice, one of the two
// answers nothing.
func lostIn(ours []cursorlog.Run, line hooklog.Line) bool {
	const slack = 2 * time.Second
	ran := false
	for _, r := range ours {
		if r.Event != hook.EventStop || r.Conversation != line.Conversation || r.At.IsZero() ||
			line.At.Before(r.At.Add(-slack)) || line.At.After(r.At.Add(r.Took+slack)) {
			continue
		}
		if r.HasFollowup() {
			return false
		}
		ran = true
	}
	return ran
}
