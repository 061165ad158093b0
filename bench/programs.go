package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// programs are the binaries that take part.
type programs struct{ floor, hook, peak, cli string }

const module = "github.com/cursor-ralph/cursor-ralph/"

// build makes static binaries, with the flags of the Makefile.
func build(ctx context.Context, s settings, folder string) (programs, error) {
	in := func(name string) string { return filepath.Join(folder, name+exe()) }
	p := programs{floor: in("floor"), hook: in("cursor-ralph-hook"), peak: in("peak"), cli: in("cursor-ralph")}
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", folder + string(filepath.Separator)}
	args = append(args, module+"bench/floor", module+"bench/peak")
	if !s.self {
		args = append(args, module+"cmd/cursor-ralph", module+"cmd/cursor-ralph-hook")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return p, fmt.Errorf("go build: %w\n%s", err, out)
	}
	switch {
	case s.self:
		p.hook = p.floor
	case s.hook != "":
		return p, replace(p.hook, s.hook)
	}
	return p, nil
}

// replace puts a copy of another binary in the place of the hook, where
// cursor-ralph install looks for it.
func replace(hook, by string) error {
	program, err := os.ReadFile(by)
	if err != nil {
		return err
	}
	return os.WriteFile(hook, program, 0o700) // #nosec G306 G703 -- a program, in our scratch folder
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
