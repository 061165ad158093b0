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
func checkCursorLog(_ context.Context, e *cli.Env) []finding {
	folder := platform.CursorLogs(runtime.GOOS, e.Getenv)
	if folder == "" {
		return nil
	}
	log, paths := cursorlog.Read(folder)
	if len(paths) == 0 {
		return []finding{fine("no log of hooks below " + folder)}
	}
	ours := slices.DeleteFunc(log.Runs, func(r cursorlog.Run) bool { return !commands.RunsHook(r.Command) })
	found := slices.Concat(verdicts(e, log.Verdicts), recorded(ours), lost(e, ours))
	if len(found) == 0 {
		return []finding{fine("nothing about our hook in " + paths[0])}
	}
	return found
}

// verdicts reports the last verdict on each of our files.
func verdicts(e *cli.Env, list []cursorlog.Verdict) []finding {
	var found []finding
	sources := []string{"user", "project"}
	for i, file := range install.HookFiles(e) {
		for _, v := range slices.Backward(list) {
			if v.Source == sources[i] && (v.Path == "" || cli.SameFile(v.Path, file)) {
				found = append(found, verdict(v, file)...)
				break
			}
		}
	}
	return found
}

// verdict reports one verdict. If the log does not name the file, a project's may be about another project.
func verdict(v cursorlog.Verdict, file string) []finding {
	here := install.InstalledAt(file)
	when := shortTime(v.At)
	switch info, err := os.Stat(file); {
	case err != nil, !here.Any() && v.Problem == "":
		return nil
	case !v.At.IsZero() && info.ModTime().After(v.At.Add(time.Second)):
		return []finding{remark(fmt.Sprintf("Cursor last read a %s hooks.json%s, before %s was changed", v.Source, when, file), "if hooks do not run, reload Cursor's window")}
	case v.Problem != "" && v.Source == "project" && v.Path == "":
		return []finding{remark(fmt.Sprintf("Cursor dropped a project's hooks.json%s: %s", when, v.Problem), "if that was "+file+", correct it and reload Cursor's window")}
	case v.Problem != "":
		return []finding{wrong(fmt.Sprintf("Cursor dropped %s%s: %s", file, when, v.Problem), "correct that entry (the check hooks.json shows the line), then reload Cursor's window")}
	case v.Missing:
		return []finding{remark(fmt.Sprintf("Cursor found no %s hooks.json%s, but there is %s", v.Source, when, file), "reload Cursor's window; a project's needs a trusted workspace")}
	case !slices.Contains(v.Steps, hook.EventStop) && here.At(hook.EventStop):
		return []finding{wrong(fmt.Sprintf("Cursor loaded %s%s without a stop hook", file, when), "reload Cursor's window; if that does not help, cursor-ralph install")}
	}
	return []finding{fine(fmt.Sprintf("Cursor loaded %s%s", file, when))}
}

func shortTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " on " + at.Local().Format("2006-01-02 at 15:04:05")
}

// recorded reports the last answers that Cursor recorded.
func recorded(ours []cursorlog.Run) []finding {
	if len(ours) == 0 {
		return nil
	}
	const shown = 3
	var list []string
	failed := ""
	for _, r := range slices.Backward(ours[max(0, len(ours)-shown):]) {
		list = append(list, r.Event+shortTime(r.At)+": "+answerWords(r))
		if r.Exit != "0" {
			failed = r.Exit
		}
	}
	text := "the last answers that Cursor recorded of our hook: " + strings.Join(list, "; ")
	if failed != "" {
		return []finding{remark(text, "run the command of that entry by hand: a hook that exits with anything but 0 has given no answer")}
	}
	return []finding{fine(text)}
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

// lost reports follow-ups that our log has and Cursor's has not.
func lost(e *cli.Env, ours []cursorlog.Run) []finding {
	if len(ours) == 0 {
		return nil
	}
	text, err := render.LogLines(e, "")
	if err != nil {
		return nil // checkFolders reports it
	}
	var lines []hooklog.Line
	for _, l := range text {
		if line, err := hooklog.Parse(l); err == nil {
			lines = append(lines, line)
		}
	}
	var found []finding
	for i, line := range lines {
		if line.Event != hook.EventStop || line.Action != string(loop.Followup) && line.Action != string(loop.HandOver) || !lostIn(ours, line) {
			continue
		}
		what := fmt.Sprintf("a follow-up of %s%s was lost: we sent it, and Cursor recorded no answer", line.Conversation, shortTime(line.At))
		if slices.ContainsFunc(lines[i+1:], func(l hooklog.Line) bool { return l.Conversation == line.Conversation }) {
			found = append(found, remark(what+"; the chat went on since", "none needed"))
			continue
		}
		found = append(found, wrong(what, "cursor-ralph status "+line.Conversation+" shows how the loop goes on: type its continue line into the chat"))
	}
	return found[max(0, len(found)-3):]
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
