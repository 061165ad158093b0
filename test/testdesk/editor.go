package testdesk

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options of a window of the editor.
type Options struct {
	Class string   // the window's class; Cursor if empty
	Title string   // the window's title; Cursor if empty
	Flags []string // more flags of Chromium
}

// Editor is Chromium showing a page, as the editor's window.
type Editor struct {
	Pid    int
	Exe    string // the base name of its executable
	Window uint32 // its window on an X11 display
	p      *process
}

// browser finds Chromium under its usual names.
func browser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("chromium is not installed")
}

// StartEditor opens the page in Chromium and waits until it is loaded. Its
// profile is a new folder in dir.
func StartEditor(ctx context.Context, dir string, env []string, page *Page, o Options) (*Editor, error) {
	path, err := browser()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp(dir, "chromium")
	if err != nil {
		return nil, err
	}
	p, err := start(env, filepath.Join(dir, "chromium.log"), path, append(o.flags(page.URL(), profile), o.Flags...)...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := page.Loaded(ctx); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.pid()))
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return &Editor{Pid: p.pid(), Exe: filepath.Base(exe), p: p}, nil
}

// StartEditor starts the editor in front of this display's windows, with an empty page that takes keys.
func (x *X) StartEditor(ctx context.Context, page *Page, o Options) (*Editor, error) {
	e, err := StartEditor(ctx, x.dir, x.Env(), page, o)
	if err != nil {
		return nil, err
	}
	if err := x.takesKeys(ctx, e, page); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// takesKeys presses keys until the page has seen one: on a busy machine Chromium drops keys for some time after the
// page has the focus. The last one, Ctrl, shows that no other is on its way.
func (x *X) takesKeys(ctx context.Context, e *Editor, page *Page) error {
	windows, err := x.Windows(e.Pid)
	if err != nil || len(windows) != 1 {
		return errors.Join(err, fmt.Errorf("the editor has %d windows", len(windows)))
	}
	e.Window = windows[0]
	if err := errors.Join(x.Activate(ctx, e.Window), page.Active(ctx)); err != nil {
		return err
	}
	err = until(ctx, "key in the page", func() (bool, error) {
		err := errors.Join(x.Hold(Shift), x.LetGo(Shift))
		_, err2 := page.State(ctx)
		return len(page.Keys()) > 0, errors.Join(err, err2)
	})
	if err := errors.Join(err, x.Hold(Ctrl), x.LetGo(Ctrl)); err != nil {
		return err
	}
	err = page.wait(ctx, "last key", func() bool { return page.keys[len(page.keys)-1].Key == "Control" })
	return errors.Join(err, page.Reset(ctx))
}

func (o Options) flags(address, profile string) []string {
	class := o.Class
	if class == "" {
		class = "Cursor"
	}
	if o.Title != "" {
		address += "?" + url.Values{"title": {o.Title}}.Encode()
	}
	return []string{
		"--app=" + address, "--class=" + class, "--user-data-dir=" + profile,
		"--allow-pre-commit-input", // keys before the first frame are not dropped
		"--no-sandbox",             // it cannot have one as root, and shows only our page
		"--test-type",              // no bar that complains of that
		"--disable-gpu", "--no-first-run", "--no-default-browser-check", "--password-store=basic",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--disable-dev-shm-usage", "--disable-breakpad", "--disable-extensions",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-features=" + strings.Join([]string{"Translate", "MediaRouter", "OptimizationHints", "DialMediaRouteProvider"}, ","),
	}
}

// Close ends Chromium.
func (e *Editor) Close() error { return e.p.stop() }
