package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func simulateFlags(f *pflag.FlagSet) {
	f.String("session", "", "play the session in `FILE`, YAML or lines of JSON, not the built-in one")
	f.Bool("print-session", false, "print the built-in session, to write one's own from")
	f.String("place", "", "`WHOSE` file it is: user or project; else its folder tells")
	f.String("workspace", "", "play in this `FOLDER`, whose files the session then changes, not in an empty one")
	f.StringSlice("assume", nil, "take what is not known of Cursor the other way, by its `NAME`; help lists the names")
	f.Int("max-turns", 10, "`N` turns of one message after which an end is no longer waited for")
	f.Bool("verbose", false, "print the hooks' input, and events that no entry is run for")
	jsonFlag(f)
}

// simulation is one session under one hooks.json.
type simulation struct {
	e       *env
	report  simulated
	scratch string
	cfg     simcursor.Config
	asJSON  bool
	verbose bool
	max     int
}

// simulateTime is how long a session may take with all its hooks.
const simulateTime = 30 * time.Minute

// simulate plays a session in the simulated Cursor and prints what a hooks.json
// makes of it. The hooks are run for real.
func simulate(ctx context.Context, e *env, args []string) error {
	if e.isSet("print-session") {
		_, err := e.stdout.Write(builtInSession)
		return err
	}
	assumed, _ := e.flags.GetStringSlice("assume")
	if slices.Contains(assumed, "help") {
		return e.listUnknowns()
	}
	if len(args) != 1 {
		return misuse("simulate takes one hooks.json", "for example: cursor-ralph simulate .cursor/hooks.json")
	}
	session, _ := e.flags.GetString("session")
	rounds, err := readSession(session)
	if err != nil {
		return err
	}
	outliveReader()
	s, err := e.newSimulation(args[0], assumed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, simulateTime)
	defer cancel()
	return errors.Join(s.run(ctx, rounds), os.RemoveAll(s.scratch))
}

func (e *env) newSimulation(file string, assumed []string) (*simulation, error) {
	file, place, err := e.hooksFile(file)
	if err != nil {
		return nil, err
	}
	s := &simulation{e: e, asJSON: e.isSet("json"), verbose: e.isSet("verbose")}
	s.report = simulated{File: file, Place: place}
	s.max, _ = e.flags.GetInt("max-turns")
	if s.max < 1 {
		return nil, misuse("--max-turns is at least 1", "leave it out for 10")
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

// hooksFile gives the file's whole path, and whose it is.
func (e *env) hooksFile(file string) (path, place string, err error) {
	path, err = filepath.Abs(file)
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", problem(err.Error(), "name a hooks.json")
	}
	if !info.Mode().IsRegular() {
		return "", "", problem(file+" is not a file", "name a hooks.json")
	}
	place, _ = e.flags.GetString("place")
	switch place {
	case "user", "project":
		return path, place, nil
	case "":
		return path, e.ownerOf(path), nil
	}
	return "", "", misuse("unknown place "+place, "user or project")
}

// ownerOf takes a file in a .cursor folder for a project's, unless it is the
// user's own.
func (e *env) ownerOf(path string) string {
	folder := filepath.Dir(path)
	if filepath.Base(folder) != ".cursor" || filepath.Dir(folder) == e.homeFolder() {
		return "user"
	}
	return "project"
}

func (e *env) homeFolder() string {
	if runtime.GOOS == "windows" {
		return e.getenv("USERPROFILE")
	}
	return e.getenv("HOME")
}

// arrange makes the folders. Our own hook, if it is in the file, keeps its loops
// in the scratch folder, shows nothing, and types nothing.
func (s *simulation) arrange() error {
	s.cfg.Workspace, _ = s.e.flags.GetString("workspace")
	for _, name := range []string{"home", "workspace", "loops", "archive"} {
		if err := os.Mkdir(s.in(name), 0o700); err != nil {
			return err
		}
	}
	s.cfg.Home = s.e.homeFolder()
	if s.cfg.Home == "" {
		s.cfg.Home = s.in("home")
	}
	s.cfg.Env = append(os.Environ(), "CURSOR_RALPH_DIR="+s.in("loops"), "CURSOR_RALPH_STATE_DIR="+s.in("archive"),
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_DESKTOP=none")
	s.cfg.MaxTurns = s.max
	s.cfg.Observe, s.cfg.Fired = s.observe, s.fired
	if s.report.Place == "user" {
		s.cfg.UserFile, s.cfg.ProjectFile = s.report.File, s.in("none")
	} else {
		s.cfg.UserFile, s.cfg.ProjectFile = s.in("none"), s.report.File
	}
	return s.openWorkspace()
}

// openWorkspace gives a project's hooks in an empty folder the scripts that
// stand beside their hooks.json: copies, for the session may change them.
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
		return problem("copy the folder of "+s.report.File+": "+err.Error(), "--workspace FOLDER plays in a folder itself")
	}
	return nil
}

func (s *simulation) in(name string) string { return filepath.Join(s.scratch, name) }

func (s *simulation) run(ctx context.Context, rounds []round) error {
	cursor, err := simcursor.New(s.cfg)
	if err != nil {
		return problem(err.Error(), "--workspace names a folder")
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
		err := chat.Send(ctx, r.message)
		if errors.Is(err, simcursor.ErrEndless) {
			s.note(fmt.Sprintf("after %d turns the hooks still ask for another: stopped here (--max-turns)", s.max))
		} else if err != nil {
			return err
		}
	}
	if left := a.left(); left > 0 {
		s.note(fmt.Sprintf("turns of the session that were not played, as nothing asked for them: %d", left))
	}
	for _, event := range r.after {
		event.fire(ctx, chat)
	}
	return ctx.Err()
}

// dropped is for a file of which Cursor uses nothing.
func (s *simulation) dropped() error {
	if s.asJSON {
		if err := s.e.json(s.report); err != nil {
			return err
		}
	}
	what := fmt.Sprintf("Cursor drops %s as a whole: %s", s.report.File, strings.Join(s.report.Dropped, "; "))
	return problem(what, "Cursor itself says nothing of it, and runs none of the file's hooks")
}

// end prints what is left to say, and fails if hooks did.
func (s *simulation) end() error {
	s.report.NotKnown = s.unknowns()
	if s.asJSON {
		if err := s.e.json(s.report); err != nil {
			return err
		}
	} else {
		s.footer()
	}
	if n := len(s.report.Failures); n > 0 {
		return problem(fmt.Sprintf("%d hook runs failed; the first: %s", n, s.report.Failures[0]), "a hook reads its input to the end, exits with 0, and writes one JSON object or nothing")
	}
	return nil
}
