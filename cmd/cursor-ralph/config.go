package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/editors"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

func configFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("path", false, "print where the file is, or would be")
	f.Bool("test-notice", false, "send a test notice to each channel and print how it went")
	f.Bool("init", false, "write a file with every setting in it as a comment, where none is")
}

// showConfig prints every setting with its value and where that comes from.
func showConfig(ctx context.Context, e *env, _ []string) error {
	path := e.ConfigFile()
	switch {
	case e.IsSet("test-notice"):
		return notify.Test(ctx, e.Env)
	case path == "" && (e.IsSet("path") || e.IsSet("init")):
		return hint.New("there is no folder for settings", "set HOME or XDG_CONFIG_HOME")
	case e.IsSet("path"):
		return e.Say("%s", path)
	case e.IsSet("init"):
		return e.writeSample(path)
	}
	c, err := e.Config()
	if err != nil {
		return err
	}
	if e.IsSet("json") {
		return e.JSON(shownConfig{1, path, shownValues(c), e.editorSettings()})
	}
	var rows [][]string
	for _, v := range c.Values {
		rows = append(rows, []string{v.Key(), cmp.Or(cli.Shortened(v.Shown(), 60), "-"), v.From})
	}
	for _, v := range e.editorSettings() {
		rows = append(rows, []string{v.Name, cmp.Or(cli.Shortened(v.Value, 60), "-"), v.From})
	}
	return e.Say("%s", strings.TrimRight(e.Screen().Columns(rows, view.Give{Column: 1, Least: 12}), "\n"))
}

// editorSettings returns the settings of the extension, as each editor reported them last; none without such an editor.
func (e *env) editorSettings() (shown []editorValue) {
	all, _ := editors.Read(e.Places.Archive) // doctor reports a file that is not ours
	for _, editor := range editors.Newest(all) {
		for _, s := range config.EditorSettings() {
			v := editorValue{Name: s.Name, Value: s.Default, From: config.BuiltIn, Editor: editor.Name}
			if set, ok := editor.Settings[strings.TrimPrefix(s.Name, "cursorRalph.")]; ok {
				v.Value, v.From = fmt.Sprint(set), fmt.Sprintf("settings of %s, as of %s", editor.Name, editor.At.Format(time.DateOnly))
			}
			shown = append(shown, v)
		}
	}
	return shown
}

// editorValue is a setting of the editor extension.
type editorValue struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	From   string `json:"from"`
	Editor string `json:"editor"`
}

// shownConfig is what config --json prints.
type shownConfig struct {
	Schema   int           `json:"schema"`
	File     string        `json:"file,omitempty"`
	Settings []shownValue  `json:"settings"`
	Editor   []editorValue `json:"editor_settings,omitempty"`
}

type shownValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func shownValues(c config.Config) (shown []shownValue) {
	for _, v := range c.Values {
		shown = append(shown, shownValue{v.Key(), v.Shown(), v.From})
	}
	return shown
}

// writeSample never overwrites a file, nor follows a dangling link.
func (e *env) writeSample(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return hint.New(path+" is there already", "nothing was changed; edit it")
	case err != nil:
		return err
	}
	_, err = f.WriteString(config.Sample())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return e.Say("wrote %s", path)
}
