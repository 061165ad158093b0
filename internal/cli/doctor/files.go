package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

func checkFolders(_ context.Context, e *cli.Env, found *list) {
	for _, dir := range []string{e.Places.Pending(), e.Places.Archive} {
		switch err := ownfile.CheckFolder(dir); {
		case errors.Is(err, fs.ErrNotExist):
			found.ok("%s does not exist yet: the first loop creates it", dir)
		case err != nil:
			found.problem("look at what is in it, then chmod 700; or move everything with CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR", "%v", err)
		default:
			found.ok("%s", dir)
		}
	}
	if _, err := ownfile.Check(e.Places.Log()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		found.problem("remove it: without it the hook works, but keeps no log", "%v", err)
	}
}

func checkPending(_ context.Context, e *cli.Env, found *list) {
	waiting, err := e.Loops.Pending()
	if err != nil && !errors.Is(err, ownfile.ErrNotOurs) { // checkFolders reports that
		found.problem("make the folder readable", "%v", err)
	}
	const shown = 5
	broken, stale := 0, 0
	for _, l := range waiting {
		switch {
		case errors.Is(l.Err, pending.ErrTooMany):
			found.problem("remove those that none of your loops needs", "%s: %v", l.File.Path, l.Err)
		case l.Err != nil:
			if broken++; broken <= shown {
				found.problem("correct or remove it", "%s: %v", l.File.Path, l.Err)
			}
		case l.File.Stale():
			if stale++; stale <= shown {
				found.warning("cursor-ralph cancel "+l.State.ShortID(), "%s is %s old and is not claimed any more", l.File.Path, text.Duration(l.File.Age))
			}
		}
		warnOfMisplaced(found, l.State)
	}
	if broken > shown {
		found.problem("correct or remove them", "%d more pending files cannot be used", broken-shown)
	}
	if stale > shown {
		found.warning("`cursor-ralph list` names them, `cursor-ralph cancel <id>` removes one", "%d more pending files are too old to be claimed", stale-shown)
	}
}

// checkStates reports unreadable live files and those that were moved aside.
func checkStates(_ context.Context, e *cli.Env, found *list) {
	live, problems := e.Loops.LiveWithHistory()
	found.ok("%s", text.Count(len(live), "live loop"))
	for _, l := range live {
		warnOfMisplaced(found, l)
	}
	for _, p := range problems {
		if !errors.Is(p, fs.ErrNotExist) { // the first loop creates the folder
			found.problem("correct the file, or remove it", "%v", p)
		}
	}
	for _, path := range aside(e) {
		why := "was not a loop's file and was moved aside"
		if strings.Contains(path, ".json.refused-") {
			why = "named a command or a task list, so it was not started and was moved aside"
		}
		found.warning("check what it contains, then remove it", "%s: %s", why, path)
	}
}

// warnOfMisplaced reports commands that stand in a file which an agent in a sandbox can write,
// and a loop whose commands are missing.
func warnOfMisplaced(found *list, l loop.State) {
	if l.Misplaced != "" {
		found.warning("ask for a command with /ralph-loop or cursor-ralph start", "the loop %s: %s", l.ShortID(), cli.Printable(l.Misplaced))
	}
	if l.LacksRecord() {
		found.problem("start it again; the hook and your shell need the same XDG_STATE_HOME or CURSOR_RALPH_STATE_DIR", "the loop %s has no record in the state folder, so no promise of it counts", l.ShortID())
	}
}

// aside returns the files that we moved aside, without those of other users.
func aside(e *cli.Env) (paths []string) {
	live, _ := e.Places.LivePattern()
	entries, _ := os.ReadDir(e.Places.Base) // checkFolders and checkStates report what is wrong with it
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, live) {
			paths = append(paths, filepath.Join(e.Places.Base, name))
		}
	}
	names, _ := ownfile.Names(e.Places.Pending()) // as above; another user may have put a link there
	for _, name := range names {
		paths = append(paths, filepath.Join(e.Places.Pending(), name))
	}
	slices.Sort(paths)
	return slices.DeleteFunc(paths, func(path string) bool {
		if name := filepath.Base(path); !strings.Contains(name, ".json.corrupt-") && !strings.Contains(name, ".json.refused-") {
			return true
		}
		_, err := ownfile.Check(path)
		return err != nil
	})
}

func checkRecords(_ context.Context, e *cli.Env, found *list) {
	const shown = 3
	kept, problems := e.Loops.Kept(time.Time{})
	if len(problems) > 0 && errors.Is(problems[0], ownfile.ErrNotOurs) && ownfile.CheckFolder(e.Places.Archive) != nil {
		return // checkFolders reports it
	}
	for _, p := range problems[:min(len(problems), shown)] {
		found.warning("remove the file, unless a newer cursor-ralph wrote it", "a record cannot be read: %v", p)
	}
	if more := len(problems) - shown; more > 0 {
		found.warning("remove them, unless a newer cursor-ralph wrote them", "%d more records cannot be read", more)
	}
	ended := 0
	for _, l := range kept {
		if l.State.Status.Ended() {
			ended++
		}
	}
	found.ok("%s of ended loops", text.Count(ended, "record"))
}

func checkConfig(_ context.Context, e *cli.Env, found *list) {
	c, err := e.Config()
	if err != nil {
		found.problem(hint.Of(err), "%v", err)
	} else if err := checkedTogether(c); err != nil {
		found.problem("correct one of them", "%v", err)
	}
	known := variables()
	for _, name := range unread(os.Environ(), known) {
		found.warning("`cursor-ralph config --json` names those of the settings", "nothing reads the variable %s", name)
	}
	found.orOK("%s", describeConfig(c, e.ConfigFile()))
}

func checkedTogether(c config.Config) error {
	r, err := loop.NewRequest().Fill(c.Loop())
	return cmp.Or(err, r.Check())
}

func describeConfig(c config.Config, path string) string {
	set := 0
	for _, v := range c.Values {
		if v.From != config.BuiltIn {
			set++
		}
	}
	return fmt.Sprintf("%d of %d are set; the file is %s", set, len(c.Values), cmp.Or(path, "nowhere, without a home folder"))
}

func variables() (names []string) {
	for _, v := range cli.Variables() {
		names = append(names, v.Name)
	}
	return names
}

func unread(environ, known []string) (names []string) {
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "CURSOR_RALPH_") && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkLoopMode reports where loop mode is on, in case the user has forgotten it.
func checkLoopMode(_ context.Context, e *cli.Env, found *list) {
	on, problems := e.Store.Modes()
	for _, m := range on {
		found.info("if it should not: cursor-ralph loop-mode off --workspace "+commands.Quote(m.Workspace, runtime.GOOS), "%s", render.DescribeMode(m))
	}
	for _, p := range problems {
		found.problem("remove the file, and switch it on again", "it counts as off, because its file cannot be read: %v", p)
	}
	found.orOK("off in every workspace")
}
