package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// recording is what the picture shows.
type recording struct {
	lines  []line
	panels []panel
	first  int // lines that the first frame shows
}

// line is one row of the chat.
type line struct {
	text string
	kind string  // its class
	wait float64 // seconds until the next one
}

// panel is the screen of `cursor-ralph watch` once so many lines are shown.
type panel struct {
	after int
	rows  []string
}

// recorder follows one demo.
type recorder struct {
	recording
	program, folder string
	demo            *exec.Cmd
}

func recordDemo(program string) (recording, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return recording{}, err
	}
	r := &recorder{program: program, demo: exec.Command(filepath.Join(filepath.Dir(program), "demo"), "-keep", filepath.Dir(program))} // #nosec G702 -- the programs that were built here
	out, err := r.demo.StdoutPipe()
	if err != nil {
		return recording{}, err
	}
	if err := r.demo.Start(); err != nil {
		return recording{}, err
	}
	defer func() { _ = os.RemoveAll(r.folder) }()
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		if err := r.line(scanner.Text()); err != nil {
			return recording{}, errors.Join(err, r.demo.Process.Kill(), r.demo.Wait())
		}
	}
	if err := errors.Join(r.demo.Wait(), r.look()); err != nil {
		return recording{}, err
	}
	if r.first == 0 {
		return recording{}, errors.New("no promise was refused")
	}
	return r.recording, nil
}

var scratch = regexp.MustCompile(`/\S*/cursor-ralph-demo-\d+`)

// line adds a line of the demo. When Cursor has got the hook's answer, the demo is stopped while the panel is looked at.
func (r *recorder) line(text string) error {
	if name := scratch.FindString(text); name != "" || text == "" && len(r.lines) == 0 {
		r.folder = name
		return nil
	}
	kind, wait := look(text)
	// A refusal's other lines are the end of its reason.
	if indented := strings.HasPrefix(text, indent); indented && len(r.lines) > 0 {
		kind, wait = r.lines[len(r.lines)-1].kind, 0.4
	}
	for _, part := range wrap(text) {
		r.lines = append(r.lines, line{part, kind, 0.12})
	}
	r.lines[len(r.lines)-1].wait = wait
	if kind == "cursor" && strings.HasPrefix(strings.TrimSpace(text), "not ok") {
		r.first = len(r.lines)
	}
	ended := kind == "title" && r.first > 0
	if kind != "cursor" && !ended && !strings.Contains(text, "cursor-ralph slash ") {
		return nil
	}
	if err := r.signal("STOP"); err != nil {
		return err
	}
	return errors.Join(r.look(), r.signal("CONT"))
}

func (r *recorder) signal(name string) error {
	return exec.Command("kill", "-"+name, strconv.Itoa(r.demo.Process.Pid)).Run()
}

// look adds the screen of the panel once it stays the same.
func (r *recorder) look() error {
	server := fmt.Sprintf("cursor-ralph-record-%d-%d", os.Getpid(), len(r.panels)) // a server that ends does not start sessions
	tmux := func(args ...string) (string, error) {
		out, err := exec.Command("tmux", append([]string{"-L", server, "-f", os.DevNull}, args...)...).CombinedOutput()
		return string(bytes.TrimRight(out, "\n")), err
	}
	out, err := tmux("new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(panelRows), "env", "NO_COLOR=1", "LC_ALL=C.UTF-8", "CURSOR_RALPH_NO_NOTIFY=1",
		"CURSOR_RALPH_DIR="+r.folder+"/tmp", "CURSOR_RALPH_STATE_DIR="+r.folder+"/home/state", "HOME="+r.folder, r.program, "watch")
	if err != nil {
		return fmt.Errorf("tmux: %w: %s", err, out)
	}
	defer func() { _, _ = tmux("kill-server") }()
	for before, tries := "", 0; tries < 50; tries++ {
		time.Sleep(200 * time.Millisecond)
		screen, err := tmux("capture-pane", "-p")
		if err != nil {
			return fmt.Errorf("tmux: %w: %s", err, screen)
		}
		if screen == before && strings.Contains(screen, "run-tests") {
			r.addPanel(strings.Split(strings.ReplaceAll(screen, r.folder, "~"), "\n"))
			return nil
		}
		before = screen
	}
	return errors.New("the panel shows no loop")
}

// addPanel replaces the panel of the same moment.
func (r *recorder) addPanel(rows []string) {
	if n := len(r.panels); n > 0 && r.panels[n-1].after == len(r.lines) {
		r.panels = r.panels[:n-1]
	}
	r.panels = append(r.panels, panel{len(r.lines), rows})
}

// look returns a line's class and how long a reader needs for it.
func look(text string) (kind string, wait float64) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case strings.HasPrefix(text, "  ") && (first == "tool" || first == "turn"):
		return "quiet", 0.35
	case strings.HasPrefix(text, "  ") && (first == "user" || first == "agent" || first == "cursor"):
		return first, 1.6
	case first == "$":
		return "title", 0.8
	case text != "" && text[0] >= 'A' && text[0] <= 'Z' && strings.ContainsAny(text[len(text)-1:], ".:"):
		return "title", 1.6
	}
	return "plain", 0.2
}

// wrap breaks a long line between words.
func wrap(text string) []string {
	var parts []string
	for len([]rune(text)) > columns {
		cut := strings.LastIndex(string([]rune(text)[:columns]), " ")
		if cut <= len(indent) {
			break
		}
		parts = append(parts, text[:cut])
		text = indent + strings.TrimLeft(text[cut:], " ")
	}
	return append(parts, text)
}
