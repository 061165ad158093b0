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
)

func checkFolders(_ context.Context, e *cli.Env, found *list) {
	for _, dir := range []string{e.Places.Pending(), e.Places.Archive} {
		switch err := ownfile.CheckFolder(dir); {
		case errors.Is(err, fs.ErrNotExist):
			found.ok("%s does not exist yet: the first loop creates it", dir)
		case err != nil:
			found.problem("give the folder to this user, or move everything with CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR", "%v", err)
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
	for _, l := range waiting {
		switch {
		case l.Err != nil:
			found.problem("correct or remove it", "%s: %v", l.File.Path, l.Err)
		case l.File.Stale():
			found.warning("cursor-ralph cancel "+l.State.ShortID(), "%s is %s old and is not claimed any more", l.File.Path, text.Duration(l.File.Age))
		}
	}
}

// checkStates reports unreadable live files and those that were moved aside.
func checkStates(_ context.Context, e *cli.Env, found *list) {
	live, problems := e.Loops.LiveWithHistory()
	found.ok("%s", text.Count(len(live), "live loop"))
	for _, p := range problems {
		if !errors.Is(p, fs.ErrNotExist) { // the first loop creates the folder
			found.problem("correct the file, or remove it", "%v", p)
		}
	}
	for _, path := range aside(e) {
		found.warning("check what it contains, then remove it", "was not a loop's file and was moved aside: %s", path)
	}
}

// aside returns the files that we moved aside, without those of other users.
func aside(e *cli.Env) (paths []string) {
	live, _ := e.Places.LivePattern()
	entries, _ := os.ReadDir(e.Places.Base) // checkFolders and checkStates report what is wrong with it
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, live) || strings.HasPrefix(name, filepath.Base(e.Places.Legacy())) {
			paths = append(paths, filepath.Join(e.Places.Base, name))
		}
	}
	names, _ := ownfile.Names(e.Places.Pending()) // as above; another user may have put a link there
	for _, name := range names {
		paths = append(paths, filepath.Join(e.Places.Pending(), name))
	}
	slices.Sort(paths)
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := ownfile.Check(path)
		return err != nil || !strings.Contains(filepath.Base(path), ".json.corrupt-")
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
		found.warning(hint.DidYouMean(name, known)+"`cursor-ralph config --json` names those of the settings", "nothing reads the variable %s", name)
	}
	found.orOK("%s", configWords(c, e.ConfigFile()))
}

func checkedTogether(c config.Config) error {
	r, err := loop.NewRequest().Fill(c.Loop())
	return cmp.Or(err, r.Check())
}

func configWords(c config.Config, path string) string {
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
		found.info("if it should not: cursor-ralph loop-mode off --workspace "+commands.Quote(m.Workspace, runtime.GOOS), "%s", render.ModeWords(m))
	}
	for _, p := range problems {
		found.problem("remove the file, and switch it on again", "it counts as off, because its file cannot be read: %v", p)
	}
	found.orOK("off in every workspace")
}
