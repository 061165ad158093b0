package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/agents/preset"
	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// CheckReview returns an error for a loop with a review that could never be done here.
func CheckReview(l loop.State, env []string) error {
	if l.Review == "" {
		return nil
	}
	agent, _, _ := strings.Cut(l.Review, ":")
	if err := preset.Installed(agent); err != nil {
		return hint.Add(fmt.Errorf("--review %s: %w", l.Review, err), cmp.Or(hint.Of(err), "nothing was started"))
	}
	r, err := git.Find(l.Workspace, env)
	if err == nil {
		err = r.Writable()
	}
	if err != nil {
		return hint.New(fmt.Sprintf("--review needs git, to show what was changed: %s: %s", l.Workspace, err), "`git init` there, or leave --review out")
	}
	return nil
}
