// Package importer takes over loops of other tools.
package importer

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
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

// Run imports a loop: it becomes our pending loop first, then the other tool's file is renamed, so that only one hook drives the
// agent. If a kill leaves both, the next import renames the file.
func Run(ctx context.Context, e *cli.Env, args []string) error {
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

// place sets whose loop it becomes: of the chat that was named, of the one in the file's name, of the one whose agent called us,
// or of the next one in the workspace.
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
		err = sayImport(e, "Imported", o)
	}
	if err != nil {
		return err
	}
	aside, err := ownfile.Aside(o.path, fmt.Sprintf("%s%d", importedSuffix, e.Now().Unix()))
	if err != nil {
		return hint.New(fmt.Sprintf("the loop was imported (%s), but the other tool still has it: %v", name, err), "rename or remove "+o.path+", or two hooks will drive one agent")
	}
	return e.Say("The other tool's file is now %s\nTo undo the import: cursor-ralph cancel %s", aside, name)
}

// importedBefore returns the loop of an import that was killed before it renamed the file, or could not.
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
	if err := sayImport(e, "Would import", o); err != nil {
		return err
	}
	return e.Say("%s would be renamed. Nothing was done.", o.path)
}

func sayImport(e *cli.Env, did string, o otherLoop) error {
	l := o.state
	who := "The next chat in " + l.Workspace + " whose agent stops"
	if l.ConversationID != "" {
		who = "Conversation " + l.ConversationID
	}
	next := fmt.Sprintf("continues with iteration %d at its next stop", l.Iterations+2)
	if l.Iterations+1 >= l.MaxIterations {
		next = "ends it at its next stop, unless you add --max-iterations N"
	}
	text := fmt.Sprintf("%s %s: iteration %d of %d is under way, the promise is %s\n%s takes the loop, and %s.",
		did, o.path, l.Iterations+1, l.MaxIterations, l.CompletionPromise, who, next)
	return e.Say("%s", strings.Join(append([]string{text}, o.notes...), "\n"))
}
