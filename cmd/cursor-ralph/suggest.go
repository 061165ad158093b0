package main

import (
	"context"
	"os"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/suggest"
)

// suggestions is what suggest-verify --json prints.
type suggestions struct {
	Schema int      `json:"schema"`
	Verify []string `json:"verify"`
}

// suggestVerify prints the commands that may fit --verify here, for the extension.
func suggestVerify(_ context.Context, e *env, _ []string) error {
	workspace, err := e.Workspace()
	if err != nil {
		return err
	}
	found := suggestions{1, append([]string{}, suggest.Verify(os.DirFS(workspace))...)}
	if e.IsSet("json") {
		return e.JSON(found)
	}
	if len(found.Verify) == 0 {
		return nil
	}
	return e.Say("%s", strings.Join(found.Verify, "\n"))
}
