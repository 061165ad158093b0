package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

func configFlags(f *pflag.FlagSet) {
	jsonFlag(f)
	f.Bool("path", false, "print where the file is, or would be")
	f.Bool("init", false, "write a file with every setting in it as a comment, where none is")
	f.Bool("loop", false, "print the defaults of a loop as JSON (the hook asks)")
	f.Lookup("loop").Hidden = true
}

// showConfig prints every setting with its value and where that comes from.
func showConfig(_ context.Context, e *env, _ []string) error {
	path := e.configFile()
	switch {
	case e.isSet("loop"):
		return e.loopDefaults()
	case path == "" && (e.isSet("path") || e.isSet("init")):
		return problem("there is no folder for settings", "set HOME or XDG_CONFIG_HOME")
	case e.isSet("path"):
		return e.say("%s", path)
	case e.isSet("init"):
		return e.writeSample(path)
	}
	c, err := e.config()
	if err != nil {
		return err
	}
	if e.isSet("json") {
		return e.json(shownValues(c))
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range shownValues(c) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.Setting, cmp.Or(oneLine(v.Value), "-"), v.From)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return e.say("%s", strings.TrimRight(b.String(), "\n"))
}

// shownValue is a line of config.
type shownValue struct {
	Setting  string `json:"setting"`
	Value    string `json:"value"`
	From     string `json:"from"`
	Variable string `json:"variable"`
}

func shownValues(c config.Config) (shown []shownValue) {
	for _, v := range c.Values {
		shown = append(shown, shownValue{v.Key(), v.Text, v.From, v.Variable})
	}
	return shown
}

func (e *env) configFile() string { return platform.ConfigFile(runtime.GOOS, e.getenv) }

// config is what the user has set. What is wrong with it is told by each command
// that goes by it, and keeps none from steering a loop.
func (e *env) config() (config.Config, error) {
	c, err := config.Load(config.Source{Path: e.configFile(), Getenv: e.getenv, Checks: map[string]func(string) error{
		"typing.injectors": func(text string) error {
			_, err := injectorList(text)
			return err
		},
		"typing.focus-keys": func(text string) error {
			_, err := keystroke.ParseChord(text)
			return err
		},
	}})
	var bad *config.Error
	if errors.As(err, &bad) {
		return c, misuse(bad.Error(), bad.Hint())
	}
	return c, err
}

// configured is a variable of the environment, or what the user has set instead.
// Who needs to know of a bad file has asked for it before.
func (e *env) configured(variable string) string {
	if v := e.getenv(variable); v != "" {
		return v
	}
	c, _ := e.config()
	return c.ByVariable(variable)
}

// armedDefaults is what the prompt hook is told when it arms a loop.
type armedDefaults struct {
	Defaults []loop.Default `json:"defaults"`
	Problem  string         `json:"problem,omitempty"`
}

func (e *env) loopDefaults() error {
	c, err := e.config()
	if err != nil {
		return e.json(armedDefaults{Problem: err.Error()})
	}
	return e.json(armedDefaults{Defaults: c.Loop()})
}

// writeSample keeps a file that is there, and a link that leads nowhere.
func (e *env) writeSample(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return permission(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return problem(path+" is there already", "nothing was changed; edit it")
	case err != nil:
		return permission(err)
	}
	_, err = f.WriteString(config.Sample())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return e.say("wrote %s", path)
}

// checkConfig tells of a file that cannot be used, and of variables that nothing
// reads.
func checkConfig(_ context.Context, e *env) (found []finding) {
	c, err := e.config()
	if err != nil {
		var hinted interface{ Hint() string }
		remedy := ""
		if errors.As(err, &hinted) {
			remedy = hinted.Hint()
		}
		found = append(found, wrong(err.Error(), remedy))
	} else if err := checkedTogether(c); err != nil {
		found = append(found, wrong(err.Error(), "correct one of them"))
	}
	for _, name := range strangers(os.Environ()) {
		found = append(found, remark("nothing reads the variable "+name, "`cursor-ralph config --json` names those of the settings"))
	}
	if len(found) == 0 {
		found = append(found, fine(configWords(c, e.configFile())))
	}
	return found
}

// checkedTogether tells of defaults that contradict each other.
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

// strangers are the variables that look like ours and are not.
func strangers(environ []string) (names []string) {
	known := []string{"CURSOR_RALPH_DIR", "CURSOR_RALPH_STATE_DIR", runVariable}
	for _, s := range config.Settings() {
		known = append(known, s.Variable)
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "CURSOR_RALPH_") && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
