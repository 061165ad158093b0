// Package simulate plays sessions in a simulated Cursor: the commands demo, and
// simulate for hooks of any kind.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Flags adds the flags of simulate.
func Flags(f *pflag.FlagSet) {
	f.String("session", "", "play the session in `FILE`, YAML or lines of JSON, instead of the built-in one")
	f.Bool("print-session", false, "print the built-in session, as a template")
	f.String("place", "", "`WHOSE` file it is: user or project (default: by its folder)")
	f.String("workspace", "", "play in this `FOLDER` and change its files, instead of in an empty one")
	f.StringSlice("assume", nil, "assume the opposite of an unknown about Cursor, by its `NAME`; `--assume help` lists them")
	f.Int("max-turns", 10, "stop after `N` turns for one message")
	f.Bool("verbose", false, "print the hooks' input, and events without hooks")
	cli.JSONFlag(f)
}

type simulation struct {
	e       *cli.Env
	report  simulated
	scratch string
	cfg     simcursor.Config
	asJSON  bool
	verbose bool
	max     int
	typed   string // the last message, which is not shown again if the model gets the same
}

const simulateTime = 30 * time.Minute

// Run plays a session in the simulated Cursor and prints what the hooks of a
// hooks.json do. It really runs them.
func Run(ctx context.Context, e *cli.Env, args []string) error {
	if e.IsSet("print-session") {
		_, err := e.Stdout.Write(builtInSession)
		return err
	}
	assumed, _ := e.Flags.GetStringSlice("assume")
	if slices.Contains(assumed, "help") {
		return listUnknowns(e)
	}
	if len(args) != 1 {
		return hint.Misuse("simulate needs one hooks.json", "for example: cursor-ralph simulate .cursor/hooks.json")
	}
	session, _ := e.Flags.GetString("session")
	rounds, err := readSession(session)
	if err != nil {
		return err
	}
	cli.OutliveReader()
	s, err := newSimulation(e, args[0], assumed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, simulateTime)
	defer cancel()
	return errors.Join(s.run(ctx, rounds), os.RemoveAll(s.scratch))
}

func newSimulation(e *cli.Env, file string, assumed []string) (*simulation, error) {
	file, place, err := hooksFile(e, file)
	if err != nil {
		return nil, err
	}
	s := &simulation{e: e, asJSON: e.IsSet("json"), verbose: e.IsSet("verbose")}
	s.report = simulated{File: file, Place: place}
	s.max, _ = e.Flags.GetInt("max-turns")
	if s.max < 1 {
		return nil, hint.Misuse("--max-turns must be at least 1", "leave it out for 10")
	}
	if err := s.assume(assumed); err != nil {
		return nil, err
	}
	if s.scratch, err = os.MkdirTemp("", "cursor-ralph-simulate-"); err != nil {
		return nil, err
	}
	if err := s.arrange(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.scratch))
	}
	return s, nil
}

func hooksFile(e *cli.Env, file string) (path, place string, err error) {
	path, err = filepath.Abs(file)
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", hint.New(err.Error(), "name a hooks.json")
	}
	if !info.Mode().IsRegular() {
		return "", "", hint.New(file+" is not a file", "name a hooks.json")
	}
	place, _ = e.Flags.GetString("place")
	switch place {
	case "user", "project":
		return path, place, nil
	case "":
		return path, ownerOf(e, path), nil
	}
	return "", "", hint.Misuse(fmt.Sprintf("--place: %q is not one of user, project", place), "leave it out: the folder of the file says it")
}

// ownerOf returns project for a file in a .cursor folder, except the user's.
func ownerOf(e *cli.Env, path string) string {
	folder := filepath.Dir(path)
	if filepath.Base(folder) != ".cursor" || cli.SameFile(filepath.Dir(folder), e.HomeFolder()) {
		return "user"
	}
	return "project"
}

// arrange creates the folders. If the file contains our own hook, it keeps its loops
// in the scratch folder, shows no notifications and types nothing.
func (s *simulation) arrange() error {
	s.cfg.Workspace, _ = s.e.Flags.GetString("workspace")
	for _, name := range []string{"home", "workspace", "loops", "archive"} {
		if err := os.Mkdir(s.in(name), 0o700); err != nil {
			return err
		}
	}
	s.cfg.Home = s.e.HomeFolder()
	if s.cfg.Home == "" {
		s.cfg.Home = s.in("home")
	}
	s.cfg.Env = append(os.Environ(), "CURSOR_RALPH_DIR="+s.in("loops"), "CURSOR_RALPH_STATE_DIR="+s.in("archive"),
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1", "CURSOR_RALPH_DESKTOP=none")
	s.cfg.MaxTurns = s.max
	s.cfg.Observe, s.cfg.Fired = s.observe, s.fired
	if s.report.Place == "user" {
		s.cfg.UserFile, s.cfg.ProjectFile = s.report.File, s.in("none")
	} else {
		s.cfg.UserFile, s.cfg.ProjectFile = s.in("none"), s.report.File
	}
	return s.openWorkspace()
}

// openWorkspace copies the scripts beside a project's hooks.json into the empty
// workspace, because the session may change them.
func (s *simulation) openWorkspace() error {
	if s.cfg.Workspace != "" {
		return nil
	}
	s.cfg.Workspace = s.in("workspace")
	folder := filepath.Dir(s.report.File)
	if s.report.Place != "project" || filepath.Base(folder) != ".cursor" {
		return nil
	}
	if err := os.CopyFS(filepath.Join(s.cfg.Workspace, ".cursor"), os.DirFS(folder)); err != nil {
		return hint.New("copy the folder of "+s.report.File+": "+err.Error(), "--workspace FOLDER plays in that folder itself")
	}
	return nil
}

func (s *simulation) in(name string) string { return filepath.Join(s.scratch, name) }

func (s *simulation) run(ctx context.Context, rounds []round) error {
	cursor, err := simcursor.New(s.cfg)
	if err != nil {
		return hint.New(err.Error(), "--workspace needs a folder")
	}
	s.report.Workspace = s.cfg.Workspace
	for _, file := range cursor.Files() { // the only one
		s.report.Used, s.report.Dropped = file.Loaded, lines(file.Reason)
	}
	if !s.report.Used {
		return s.dropped()
	}
	s.header()
	a := &agent{rounds: rounds}
	chat := cursor.Chat(a.play)
	for i, r := range rounds {
		a.now, a.turn = i, 0
		if err := s.playRound(ctx, chat, a, r); err != nil {
			return err
		}
	}
	return s.end()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (s *simulation) playRound(ctx context.Context, chat *simcursor.Chat, a *agent, r round) error {
	if r.message != "" {
		send := chat.Send
		if r.pasted {
			send = chat.Paste
		}
		err := send(ctx, r.message)
		if errors.Is(err, simcursor.ErrEndless) {
			s.note(fmt.Sprintf("after %d turns the hooks still ask for another one: stopped (--max-turns)", s.max))
		} else if err != nil {
			return err
		}
	}
	if left := a.left(); left > 0 {
		s.note(fmt.Sprintf("turns of the session that were not played because no hook asked for them: %d", left))
	}
	for _, event := range r.after {
		event.fire(ctx, chat)
	}
	return ctx.Err()
}

func (s *simulation) dropped() error {
	if s.asJSON {
		if err := s.e.JSON(s.report); err != nil {
			return err
		}
	}
	what := fmt.Sprintf("Cursor drops %s as a whole: %s", s.report.File, strings.Join(s.report.Dropped, "; "))
	return hint.New(what, "Cursor runs none of the file's hooks and shows no message")
}

func (s *simulation) end() error {
	s.report.NotKnown = s.unknowns()
	if s.asJSON {
		if err := s.e.JSON(s.report); err != nil {
			return err
		}
	} else {
		s.footer()
	}
	if n := len(s.report.Failures); n > 0 {
		return hint.New(fmt.Sprintf("%s failed; the first: %s", text.Count(n, "hook run"), s.report.Failures[0]), "a hook must read its input to the end, write one JSON object or nothing, and exit with 0")
	}
	return nil
}
