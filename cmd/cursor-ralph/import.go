package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

func importFlags(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		switch o.Name {
		case "max-iterations":
			addOption(f, o, "end after `N` iterations in all, those done before included (default: as it was)")
		case "completion-promise":
			addOption(f, o, "the `TEXT` between <promise> and </promise> (default: as it was)")
		case "replace":
			addOption(f, o, o.Usage)
		}
	}
	f.String("conversation", "", "give the loop to the chat with this `ID` (default: the next one of the workspace that stops)")
	f.Bool("dry-run", false, "show what would be done and do nothing")
}

// otherLoop is a loop of another tool: its file, and what it becomes here.
type otherLoop struct {
	path  string
	state loop.State
	count int      // as the other tool counts, which ends the loop when it comes to the limit
	notes []string // what had to be decided for it
}

const maxOther = 1 << 20 // bytes of another tool's file

// importLoop takes over a loop of another tool: first it becomes a pending one
// of ours, then the other tool's file is renamed, or two hooks would pull at
// one agent. Killed in between there are both, and the next import renames.
func importLoop(ctx context.Context, e *env, args []string) error {
	if len(args) > 1 {
		return misuse("too many arguments", "import one file at a time")
	}
	asked, err := e.asked()
	if err != nil {
		return err
	}
	path, err := e.chosen(args)
	if path == "" || err != nil {
		return err
	}
	o, err := e.readOther(path, asked)
	if err != nil {
		return err
	}
	if err := e.place(&o.state, o.path, asked); err != nil {
		return err
	}
	if e.isSet("dry-run") {
		return e.wouldImport(o)
	}
	return e.takeOver(ctx, o)
}

// chosen is the file that is meant. It is empty where there is nothing to do,
// and then that has been said.
func (e *env) chosen(args []string) (string, error) {
	if len(args) == 0 {
		return e.onlyOther()
	}
	path, err := filepath.Abs(args[0])
	if err != nil {
		return "", err
	}
	if id := e.liveID(path); id != "" {
		if _, err := e.store.Read(id); err != nil {
			return "", problem(path+": "+err.Error(), "it has the place and the name of a loop here: correct or remove it")
		}
		return "", e.say("%s is a loop already: cursor-ralph status %s", path, id)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if aside := importedAs(path); aside != "" {
		return "", e.say("%s was imported before and is now %s", path, aside)
	}
	return "", problem(path+" does not exist", "name the other tool's file, or none to look for it")
}

// onlyOther looks where other tools leave their loops.
func (e *env) onlyOther() (string, error) {
	found := e.strays(e.places.Base)
	if path, _ := e.scratchpad(); path != "" {
		found = append([]string{path}, found...)
	}
	switch len(found) {
	case 0:
		return "", e.nothing()
	case 1:
		return found[0], nil
	}
	return "", problem("there are loops of other tools", "name one of these: cursor-ralph import FILE\n  "+strings.Join(found, "\n  "))
}

// nothing says that there is nothing to import. Where our files were moved
// from /tmp, what lies there may be in use and has to be named.
func (e *env) nothing() error {
	text := fmt.Sprintf("Nothing to import: no %s here or above, and no loop's file in %s that is not a loop here already.", scratchpadName, e.places.Base)
	if runtime.GOOS != "windows" && !platform.SameFolder(runtime.GOOS, e.places.Base, "/tmp") {
		for _, path := range e.strays("/tmp") {
			text += "\nThis one is imported when you name it: " + path
		}
	}
	return e.say("%s", text)
}

// scratchpad finds a loop of Cursor's plugin and its workspace, from here
// upwards: the plugin keeps it in the folder that Cursor has open.
func (e *env) scratchpad() (path, workspace string) {
	dir, err := e.here()
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

const strayPrefix, straySuffix = "cursor-ralph-loop-", ".json"

// strays are files of older tools in a folder that many may share: those of
// this user that are not live loops of ours. The tools are
// https://github.com/HardySimpson/cursor-ralph and
// https://github.com/hexsprite/cursor-ralph; the form is our state file's.
func (e *env) strays(folder string) (paths []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if _, ok := strayID(path); !ok {
			continue
		}
		if _, err := ownfile.Check(path); err == nil && e.liveID(path) == "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// strayID is what stands in a file's name where an id should.
func strayID(path string) (id string, ok bool) {
	name, begins := strings.CutPrefix(filepath.Base(path), strayPrefix)
	id, ends := strings.CutSuffix(name, straySuffix)
	return id, begins && ends
}

// liveID is the id of the loop of ours that a file is, or empty.
func (e *env) liveID(path string) string {
	prefix, suffix := e.places.LivePattern()
	name, begins := strings.CutPrefix(filepath.Base(path), prefix)
	id, ends := strings.CutSuffix(name, suffix)
	if !begins || !ends || loop.CheckID(id) != nil {
		return ""
	}
	there, err := os.Lstat(path)
	live, liveErr := os.Lstat(e.places.Live(id))
	if err != nil || liveErr != nil || !os.SameFile(there, live) {
		return ""
	}
	return id
}

// importedAs finds what an import has made of a file.
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

// readOther reads a file of another tool, with the options that the user gave.
func (e *env) readOther(path string, asked loop.Request) (otherLoop, error) {
	o := otherLoop{path: path}
	data, err := otherContent(path)
	if err != nil {
		return o, problem(err.Error(), "nothing was imported; "+startAnew)
	}
	if filepath.Ext(path) == straySuffix {
		err = o.fromState(data)
	} else {
		err = o.fromScratchpad(data, asked)
	}
	if errors.Is(err, loop.ErrNewer) {
		return o, hintFor(fmt.Errorf("%s: %w", path, err))
	}
	if err != nil {
		return o, problem(path+": "+err.Error(), "correct it there and import it then; "+startAnew)
	}
	if asked.Given("max-iterations") {
		o.state.MaxIterations = asked.State.MaxIterations
	}
	if asked.Given("completion-promise") {
		o.state.CompletionPromise = asked.State.CompletionPromise
	}
	if o.count >= o.state.MaxIterations {
		return o, problem(fmt.Sprintf("%s: the loop is at its limit (iteration %d of %d)", path, o.count, o.state.MaxIterations),
			fmt.Sprintf("import it with a higher one, such as --max-iterations %d", min(o.count+loop.DefaultMaxIterations, loop.MaxMaxIterations)))
	}
	return o, nil
}

const startAnew = "`cursor-ralph start \"<task>\"` begins a new loop"

// otherContent reads what is neither a link nor another user's: what is renamed
// afterwards must be what was read.
func otherContent(path string) ([]byte, error) {
	info, err := ownfile.Check(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxOther {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxOther)
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

// fromState reads the seven fields that all such tools share. Whatever else we
// have written into such a file is of another life of the loop.
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

// place says whose loop it becomes: the chat that was named, the one in the
// file's name, the one whose agent runs us, or the workspace's next one.
func (e *env) place(l *loop.State, path string, asked loop.Request) error {
	l.ArmedBy, l.Confirmed, l.Replace, l.Program = "cli", true, asked.Replace, called()
	var err error
	if l.ConversationID, err = e.importTo(path); err != nil {
		return err
	}
	l.Workspace, err = e.workspace()
	if folder, ok := strings.CutSuffix(filepath.ToSlash(path), "/"+scratchpadName); ok && err == nil {
		l.Workspace = filepath.FromSlash(folder)
	}
	l.Cwd = l.Workspace // a chat in the folder we stand in has no part in it
	return err
}

func (e *env) importTo(path string) (string, error) {
	if id := e.text("conversation"); id != "" {
		if err := loop.CheckID(id); err != nil {
			return "", misuse("--conversation: "+err.Error(), "`cursor-ralph list --all` shows ids")
		}
		return id, nil
	}
	if id, ok := strayID(path); ok && loop.CheckID(id) == nil {
		return id, nil
	}
	return e.conversation()
}

func (e *env) takeOver(ctx context.Context, o otherLoop) error {
	name, err := e.importedBefore(o.state)
	if err != nil {
		return err
	}
	if name != "" {
		err = e.say("%s is a loop already: cursor-ralph status %s", o.path, name)
	} else if name, _, err = e.put(ctx, o.state, ""); err == nil {
		err = e.tellImport("Imported", o)
	}
	if err != nil {
		return err
	}
	aside, err := ownfile.Aside(o.path, fmt.Sprintf("%s%d", importedSuffix, e.now().Unix()))
	if err != nil {
		return problem(fmt.Sprintf("the loop is there (%s), but the other tool still has it: %v", name, err), "rename or remove "+o.path+", or two hooks pull at one agent")
	}
	return e.say("The other tool's file is now %s\nTo take the loop back: cursor-ralph cancel %s", aside, name)
}

// importedBefore finds the loop that an import left which could not rename, or
// was killed before.
func (e *env) importedBefore(l loop.State) (name string, err error) {
	same := func(other loop.State) bool {
		return other.Prompt == l.Prompt && other.Iterations >= l.Iterations && other.CompletionPromise == l.CompletionPromise &&
			other.MaxIterations == l.MaxIterations && !l.Replace && platform.SameFolder(runtime.GOOS, other.Workspace, l.Workspace) &&
			(l.ConversationID == "" || l.ConversationID == other.ConversationID)
	}
	live, _ := e.store.List()
	for _, other := range live {
		if same(other) {
			return other.ConversationID, nil
		}
	}
	items, err := e.box.List()
	for _, i := range items {
		if alive(i) && same(i.State) {
			return i.Name, nil
		}
	}
	return "", err
}

func alive(i pending.Item) bool { return i.Err == nil && !i.State.Status.Ended() }

func (e *env) wouldImport(o otherLoop) error {
	if id := o.state.ConversationID; id != "" && !o.state.Replace {
		if has, err := e.store.Has(id); has || err != nil {
			return problem("a loop runs in conversation "+id+" already", "add --replace to import in its place, or name another with --conversation")
		}
	}
	if err := e.tellImport("Would import", o); err != nil {
		return err
	}
	return e.say("%s would be renamed. Nothing was done.", o.path)
}

// tellImport says what is taken over, which chat takes it, and what was decided.
func (e *env) tellImport(did string, o otherLoop) error {
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
		did, o.path, l.Iterations+1, l.MaxIterations, l.Marker(), who, next)
	return e.say("%s", strings.Join(append([]string{text}, o.notes...), "\n"))
}
