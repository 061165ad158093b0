// Package doctor checks the installation, the files and this machine. It changes nothing.
package doctor

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
)

// Flags adds the flags of doctor.
func Flags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("verbose", false, "show what is fine too, and what is worth knowing")
	f.String("project", "", "check the installation in this `FOLDER` too (default: this workspace)")
}

type check struct {
	name string
	run  func(ctx context.Context, e *cli.Env, found *list)
}

func checks() []check {
	return []check{
		{"hook program", checkHookProgram},
		{"cursor-ralph", checkProgram},
		{"hooks.json", checkHooks},
		{"other programs", checkHosts},
		{"Cursor's log", checkCursorLog},
		{"plugin", checkPlugin},
		{"extension", checkExtension},
		{"slash commands", checkCommands},
		{"folders", checkFolders},
		{"pending loops", checkPending},
		{"state files", checkStates},
		{"records", checkRecords},
		{"loop mode", checkLoopMode},
		{"settings", checkConfig},
		{"same machine", checkMachine},
		{"typing", checkTyping},
		{"notifications", checkNotifications},
	}
}

// Run runs all checks, and fails if there is a problem.
func Run(ctx context.Context, e *cli.Env, _ []string) error {
	if project := e.Text("project"); project != "" {
		if _, err := install.CursorFolder(e, project); err != nil {
			return err
		}
	}
	r := reportOf(runAll(ctx, e, checks(), patience))
	if err := r.show(e); err != nil {
		return err
	}
	if r.Problems > 0 {
		return cli.Exited(1) // the verdict says why
	}
	return nil
}

// patience is how long a check may take. What hangs, a folder of a network or a display, must not hang doctor.
const patience = 15 * time.Second

func runAll(ctx context.Context, e *cli.Env, all []check, patience time.Duration) (found list) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	results := make([]chan list, len(all))
	for i, c := range all {
		results[i] = make(chan list, 1)
		go func() {
			var l list
			c.run(ctx, e, &l)
			results[i] <- l
		}()
	}
	for i, c := range all {
		found = append(found, await(ctx, results[i]).named(c.name)...)
	}
	return found
}

// await waits for a check; one that ends with the context has another second.
func await(ctx context.Context, result <-chan list) (l list) {
	select {
	case l = <-result:
		return l
	case <-ctx.Done():
	}
	select {
	case l = <-result:
	case <-time.After(time.Second):
		l.warning("see what hangs: a folder of a network, a display, a profile of the shell", "this check took too long and was given up")
	}
	return l
}
