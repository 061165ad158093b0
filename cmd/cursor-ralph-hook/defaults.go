package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// settingsWait is how long cursor-ralph may take to read the user's settings.
const settingsWait = 2 * time.Second

// defaults are the user's own for a loop that is armed here. It is cursor-ralph
// that reads them, in the rare event that arms a loop: the hook links no TOML.
// With none that can be used the built-in ones stand, and notice says so.
func (h *handler) defaults(ctx context.Context) (defaults []loop.Default, notice string) {
	if !h.hasSettings() {
		return nil, ""
	}
	ctx, cancel := context.WithTimeout(ctx, h.leftOf(ctx, settingsWait))
	defer cancel()
	var answer struct {
		Defaults []loop.Default
		Problem  string
	}
	program, err := cursorRalph()
	if err == nil {
		var out []byte
		if out, err = platform.Ask(ctx, program, "config", "--loop"); err == nil {
			err = json.Unmarshal(out, &answer)
		}
	}
	if err == nil && answer.Problem != "" {
		err = errors.New(answer.Problem)
	}
	if err != nil {
		h.fail(err)
		return nil, "The user's settings could not be used, so this loop has the built-in defaults. Tell the user: " + err.Error()
	}
	return answer.Defaults, ""
}

// hasSettings tells whether the user may have settings. Most have none, and then
// nothing is started.
func (h *handler) hasSettings() bool {
	if slices.ContainsFunc(loop.Options(), func(o loop.Option) bool { return h.getenv(o.Variable()) != "" }) {
		return true
	}
	path := platform.ConfigFile(runtime.GOOS, h.getenv)
	if path == "" {
		return false
	}
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
