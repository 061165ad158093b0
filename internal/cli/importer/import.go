// Package importer takes over loops of other tools.
package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Flags adds the flags of import.
func Flags(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		switch o.Name {
		case "max-iterations":
			cli.AddOption(f, o, "end after `N` iterations in all, those done before included (default: as it was)")
		case "completion-promise":
			cli.AddOption(f, o, "the `TEXT` between <promise> and </promise> (default: as it was)")
		case "replace":
			cli.AddOption(f, o, o.Usage)
		}
	}
	f.String("conversation", "", "give the loop to the chat with this `ID` (default: the next one of the workspace that stops)")
	f.Bool("dry-run", false, "show what would be done and do nothing")
}

// otherLoop is a loop of another tool.
type otherLoop struct {
	path  string
	state loop.State
	count int      // as the other tool counts, which ends the loop when it comes to the limit
	notes []string // what had to be decided for it
}

// Run imports a loop: it becomes our pending loop first, then the other tool's
// file is renamed, so that only one hook drives the agent. If a kill leaves both, the
// next import renames the file.
func Run(ctx context.Context, e *cli.Env, args []string) error {
	if len(args) > 1 {
		return hint.Misuse("too many arguments", "import one file at a time")
	}
	asked, err := e.Asked()
	if err != nil {
		return err
	}
	path, err := chosen(e, args)
	if path == "" || err != nil {
		return err
	}
	o, err := readOther(e, path, asked)
	if err != nil {
		return err
	}
	if err := place(e, &o.state, o.path, asked); err != nil {
		return err
	}
	if e.IsSet("dry-run") {
		return wouldImport(e, o)
	}
	return takeOver(ctx, e, o)
}

// chosen returns the file to import, empty if there is nothing to do, which it has
// printed then.
func chosen(e *cli.Env, args []string) (string, error) {
	if len(args) == 0 {
		return onlyOther(e)
	}
	path, err := filepath.Abs(args[0])
	if err != nil {
		return "", err
	}
	if id := liveID(e, path); id != "" {
		if _, err := e.Store.Read(id); err != nil {
			return "", hint.New(path+": "+err.Error(), "it has the place and the name of a loop here: correct or remove it")
		}
		return "", e.Say("%s is a loop already: cursor-ralph status %s", path, id)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if aside := importedAs(path); aside != "" {
		return "", e.Say("%s was imported before and is now %s", path, aside)
	}
	return "", hint.New(path+" does not exist", "name the other tool's file, or none to look for it")
}

// onlyOther looks where other tools leave their loops.
func onlyOther(e *cli.Env) (string, error) {
	found := foreignLoops(e, e.Places.Base)
	if path, _ := Scratchpad(e); path != "" {
		found = append([]string{path}, found...)
	}
	switch len(found) {
	case 0:
		return "", nothing(e)
	case 1:
		return found[0], nil
	}
	return "", hint.New("there are loops of other tools", "name one of these: cursor-ralph import FILE\n  "+strings.Join(found, "\n  "))
}

// nothing prints that there is nothing to import. If our files were moved from /tmp,
// files there may be in use and have to be named.
func nothing(e *cli.Env) error {
	text := fmt.Sprintf("Nothing to import: no %s here or above, and no loop's file in %s that is not a loop here already.", scratchpadName, e.Places.Base)
	if runtime.GOOS != "windows" && !platform.SameFolder(runtime.GOOS, e.Places.Base, "/tmp") {
		for _, path := range foreignLoops(e, "/tmp") {
			text += "\nThis one is imported when you name it: " + path
		}
	}
	return e.Say("%s", text)
}

// Scratchpad returns the file of a loop of Cursor's plugin and its workspace, from
// here upwards: the plugin keeps it in the folder that Cursor has open.
func Scratchpad(e *cli.Env) (path, workspace string) {
	dir, err := e.Here()
	for ; err == nil; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, filepath.FromSlash(scratchpadName))
		if _, err := os.Lstat(path); err == nil {
			return path, dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", ""
}

const foreignPrefix, foreignSuffix = "cursor-ralph-loop-", ".json"

// foreignLoops returns this user's files of older tools in a shared folder, without
// our live loops. The tools are https://github.com/HardySimpson/cursor-ralph and
// https://github.com/hexsprite/cursor-ralph; they use our state file's format.
func foreignLoops(e *cli.Env, folder string) (paths []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if _, ok := foreignID(path); !ok {
			continue
		}
		if _, err := ownfile.Check(path); err == nil && liveID(e, path) == "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// foreignID returns what is in a file's name at the place of an id.
func foreignID(path string) (id string, ok bool) {
	name, begins := strings.CutPrefix(filepath.Base(path), foreignPrefix)
	id, ends := strings.CutSuffix(name, foreignSuffix)
	return id, begins && ends
}

// liveID returns the id of our live loop in a file, empty if there is none.
func liveID(e *cli.Env, path string) string {
	prefix, suffix := e.Places.LivePattern()
	name, begins := strings.CutPrefix(filepath.Base(path), prefix)
	id, ends := strings.CutSuffix(name, suffix)
	if !begins || !ends || loop.CheckID(id) != nil {
		return ""
	}
	there, err := os.Lstat(path)
	live, liveErr := os.Lstat(e.Places.Live(id))
	if err != nil || liveErr != nil || !os.SameFile(there, live) {
		return ""
	}
	return id
}

// importedAs returns the file that an import renamed.
func importedAs(path string) string {
	entries, _ := os.ReadDir(filepath.Dir(path)) // a folder that cannot be read holds no file to import either
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+importedSuffix) {
			return filepath.Join(filepath.Dir(path), entry.Name())
		}
	}
	return ""
}

const importedSuffix = ".imported-"

// readOther reads a file of another tool and applies the user's options.
func readOther(e *cli.Env, path string, asked loop.Request) (otherLoop, error) {
	o := otherLoop{path: path}
	data, err := otherContent(path)
	if err != nil {
		return o, hint.New(err.Error(), "nothing was imported; "+startAnew)
	}
	if filepath.Ext(path) == foreignSuffix {
		err = o.fromState(data)
	} else {
		err = o.fromScratchpad(data, asked)
	}
	if errors.Is(err, loop.ErrNewer) {
		return o, loops.Hinted(fmt.Errorf("%s: %w", path, err))
	}
	if err != nil {
		return o, hint.New(path+": "+err.Error(), "correct it there and import it then; "+startAnew)
	}
	if asked.Given("max-iterations") {
		o.state.MaxIterations = asked.State.MaxIterations
	}
	if asked.Given("completion-promise") {
		o.state.CompletionPromise = asked.State.CompletionPromise
	}
	if o.count >= o.state.MaxIterations {
		return o, hint.New(fmt.Sprintf("%s: the loop is at its limit (iteration %d of %d)", path, o.count, o.state.MaxIterations),
			fmt.Sprintf("import it with a higher one, such as --max-iterations %d", min(o.count+loop.DefaultMaxIterations, loop.MaxMaxIterations)))
	}
	return o, nil
}

const startAnew = "`cursor-ralph start \"<task>\"` begins a new loop"

// otherContent refuses links and other users' files: the file that is renamed later
// must be the one that was read.
func otherContent(path string) ([]byte, error) {
	info, err := ownfile.Check(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > cli.MaxOther {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, cli.MaxOther)
	}
	data, _, err := ownfile.Read(path, 0)
	return data, err
}

func (o *otherLoop) fromScratchpad(data []byte, asked loop.Request) error {
	s, err := parseScratchpad(data)
	if err != nil {
		return err
	}
	done := filepath.Join(filepath.Dir(o.path), "done")
	if _, err := os.Lstat(done); err == nil {
		return fmt.Errorf("the plugin has seen its promise, as %s tells; remove that file if it is not so", done)
	}
	o.count = s.iteration
	o.state, o.notes, err = s.state(asked)
	return err
}

// fromState takes the seven fields that all such tools share. The rest belongs to an
// earlier loop.
func (o *otherLoop) fromState(data []byte) error {
	s, err := loop.Parse(data)
	switch {
	case err != nil:
		return err
	case s.Status.Ended():
		return fmt.Errorf("the loop has ended (%s)", s.Status)
	case s.Stop:
		return errors.New("the user has stopped the loop: stop is true in it")
	}
	promise, err := checkedPromise(s.CompletionPromise)
	if err != nil {
		return err
	}
	o.state, o.count = loop.New(), s.Iterations
	o.state.Prompt, o.state.MaxIterations, o.state.CompletionPromise = s.Prompt, s.MaxIterations, promise
	o.state.Iterations, o.state.LastOutput = s.Iterations, s.LastOutput
	return nil
}

// place sets whose loop it becomes: of the chat that was named, of the one in the
// file's name, of the one whose agent called us, or of the next one in the workspace.
func place(e *cli.Env, l *loop.State, path string, asked loop.Request) error {
	l.ArmedBy, l.Confirmed, l.Replace, l.Program = "cli", true, asked.Replace, install.Called()
	var err error
	if l.ConversationID, err = importTo(e, path); err != nil {
		return err
	}
	l.Workspace, err = e.Workspace()
	if folder, ok := strings.CutSuffix(filepath.ToSlash(path), "/"+scratchpadName); ok && err == nil {
		l.Workspace = filepath.FromSlash(folder)
	}
	l.Cwd = l.Workspace // a chat in the folder we stand in has no part in it
	return err
}

func importTo(e *cli.Env, path string) (string, error) {
	if id := e.Text("conversation"); id != "" {
		if err := loop.CheckID(id); err != nil {
			return "", hint.Misuse("--conversation: "+err.Error(), "`cursor-ralph list --all` shows ids")
		}
		return id, nil
	}
	if id, ok := foreignID(path); ok && loop.CheckID(id) == nil {
		return id, nil
	}
	return e.Conversation()
}

func takeOver(ctx context.Context, e *cli.Env, o otherLoop) error {
	name, err := importedBefore(e, o.state)
	if err != nil {
		return err
	}
	if name != "" {
		err = e.Say("%s is a loop already: cursor-ralph status %s", o.path, name)
	} else if name, _, err = e.Loops.Put(ctx, o.state, ""); err == nil {
		err = tellImport(e, "Imported", o)
	}
	if err != nil {
		return err
	}
	aside, err := ownfile.Aside(o.path, fmt.Sprintf("%s%d", importedSuffix, e.Now().Unix()))
	if err != nil {
		return hint.New(fmt.Sprintf("the loop is there (%s), but the other tool still has it: %v", name, err), "rename or remove "+o.path+", or two hooks pull at one agent")
	}
	return e.Say("The other tool's file is now %s\nTo take the loop back: cursor-ralph cancel %s", aside, name)
}

// importedBefore returns the loop of an import that was killed before it renamed
// the file, or could not.
func importedBefore(e *cli.Env, l loop.State) (name string, err error) {
	same := func(other loops.Loop) bool {
		o := other.State
		return o.Prompt == l.Prompt && o.Iterations >= l.Iterations && o.CompletionPromise == l.CompletionPromise &&
			o.MaxIterations == l.MaxIterations && !l.Replace && cli.SameFolder(o.Workspace, l.Workspace) &&
			(l.ConversationID == "" || l.ConversationID == o.ConversationID)
	}
	current, err := e.Loops.Usable()
	if i := slices.IndexFunc(current, same); i >= 0 {
		return current[i].ID, nil
	}
	return "", err
}

func wouldImport(e *cli.Env, o otherLoop) error {
	if id := o.state.ConversationID; id != "" && !o.state.Replace {
		if has, err := e.Store.Has(id); has || err != nil {
			return hint.New("a loop runs in conversation "+id+" already", "add --replace to import in its place, or name another with --conversation")
		}
	}
	if err := tellImport(e, "Would import", o); err != nil {
		return err
	}
	return e.Say("%s would be renamed. Nothing was done.", o.path)
}

// tellImport prints what is imported, which chat takes it, and what was decided.
func tellImport(e *cli.Env, did string, o otherLoop) error {
	l := o.state
	who := "The next chat in " + l.Workspace + " whose agent stops"
	if l.ConversationID != "" {
		who = "Conversation " + l.ConversationID
	}
	next := fmt.Sprintf("goes on with iteration %d at its stop", l.Iterations+2)
	if l.Iterations+1 >= l.MaxIterations {
		next = "ends it at its stop, unless you add --max-iterations N"
	}
	text := fmt.Sprintf("%s %s: iteration %d of %d is under way, the promise is %s\n%s takes the loop, and %s.",
		did, o.path, l.Iterations+1, l.MaxIterations, l.CompletionPromise, who, next)
	return e.Say("%s", strings.Join(append([]string{text}, o.notes...), "\n"))
}
