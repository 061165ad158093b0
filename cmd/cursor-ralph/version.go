package main

import (
	"context"
	"io"
	"runtime"

	"github.com/cursor-ralph/cursor-ralph/internal/onevent"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// release is set by the build of a release.
var release string

func version(_ context.Context, e *env, _ []string) error {
	if e.IsSet("json") {
		return e.JSON(struct {
			Schema  int    `json:"schema"`
			Version string `json:"version"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
		}{view.Schema, onevent.Version(release), runtime.Version(), runtime.GOOS, runtime.GOARCH})
	}
	_, err := io.WriteString(e.Stdout, "cursor-ralph "+onevent.Version(release)+"\n")
	return err
}
