package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// checkConfig reports unusable settings, and variables that nothing reads.
func checkConfig(_ context.Context, e *cli.Env) (found []finding) {
	c, err := e.Config()
	if err != nil {
		found = append(found, wrong(err.Error(), hint.Of(err)))
	} else if err := checkedTogether(c); err != nil {
		found = append(found, wrong(err.Error(), "correct one of them"))
	}
	for _, name := range unreadVariables(os.Environ()) {
		found = append(found, remark("nothing reads the variable "+name, "`cursor-ralph config --json` names those of the settings"))
	}
	if len(found) == 0 {
		found = append(found, fine(configWords(c, e.ConfigFile())))
	}
	return found
}

// checkedTogether reports defaults that contradict each other.
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

// unreadVariables returns the variables that look like ours and that nothing reads.
func unreadVariables(environ []string) (names []string) {
	known := cli.Variables()
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "CURSOR_RALPH_") && !slices.ContainsFunc(known, func(v cli.Variable) bool { return v.Name == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkLoopMode reports where loop mode is on, in case the user has forgotten it.
func checkLoopMode(_ context.Context, e *cli.Env) (found []finding) {
	on, problems := e.Store.Modes()
	for _, m := range on {
		found = append(found, remark(render.ModeWords(m), "if it should not: cursor-ralph loop-mode off --workspace "+commands.Quote(m.Workspace, runtime.GOOS)))
	}
	for _, p := range problems {
		found = append(found, wrong("it counts as off, because its file cannot be read: "+p.Error(), "remove the file, and switch it on again"))
	}
	if len(found) == 0 {
		found = append(found, fine("off in every workspace"))
	}
	return found
}
