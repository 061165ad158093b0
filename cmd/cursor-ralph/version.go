package main

import (
	"context"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// release is set by the build of a release.
var release string

func version(_ context.Context, e *env, _ []string) error {
	info, _ := debug.ReadBuildInfo()
	ours := versionOf(release, info)
	if e.IsSet("json") {
		return e.JSON(struct {
			Schema  int    `json:"schema"`
			Version string `json:"version"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
		}{view.Schema, ours, runtime.Version(), runtime.GOOS, runtime.GOARCH})
	}
	_, err := io.WriteString(e.Stdout, "cursor-ralph "+ours+"\n")
	return err
}

// versionOf returns the release, otherwise what Go knows: the version of the module after go install, one that contains the commit
// in a clone. info may be nil.
func versionOf(release string, info *debug.BuildInfo) string {
	switch {
	case release != "":
		return release
	case info == nil:
		return "of unknown origin"
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "at commit " + s.Value
		}
	}
	return "(devel)"
}
