// Command typing measures how long it takes from the end of the hook to the
// message in the editor, with a real window on X11 that has the focus: the hook
// and cursor-ralph as they are installed, Chromium as the editor.
//
//	go run ./bench/typing         20 runs
//	go run ./bench/typing -n 100  more
//
// The parts are what the wait consists of. They come from the log, whose
// times are in milliseconds.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("typing", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", 20, "measured runs")
	if err := flags.Parse(args); err != nil || *n < 1 || flags.NArg() > 0 {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *n, stdout); err != nil {
		fmt.Fprintln(stderr, "typing:", err)
		return 1
	}
	return 0
}

// parts are the moments of one run, each measured from the one before.
type parts struct {
	closed  time.Duration // from the hook's answer to its end, its streams closed
	ready   time.Duration // the hook has ended, the injector found the window
	pasted  time.Duration // clipboard taken, focus checked, line fetched by the editor
	pressed time.Duration // Return
	arrived time.Duration // the page has it
	whole   time.Duration
}

func measure(ctx context.Context, n int, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "cursor-ralph-typing-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := bench{dir: dir}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.open(ctx); err != nil {
		return err
	}
	var all []parts
	for i := range n + 1 {
		p, err := b.once(ctx, i)
		if err != nil {
			return err
		}
		if i > 0 { // the first one warms up
			all = append(all, p)
		}
	}
	return write(out, all)
}

type bench struct {
	dir    string
	x      *testdesk.X
	page   *testdesk.Page
	editor *testdesk.Editor
}

func (b *bench) close() (err error) {
	if b.editor != nil {
		err = b.editor.Close()
	}
	if b.page != nil {
		err = errors.Join(err, b.page.Close())
	}
	if b.x != nil {
		err = errors.Join(err, b.x.Close())
	}
	return err
}

func (b *bench) open(ctx context.Context) (err error) {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.dir+string(filepath.Separator),
		"github.com/cursor-ralph/cursor-ralph/cmd/cursor-ralph", "github.com/cursor-ralph/cursor-ralph/cmd/cursor-ralph-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	if b.x, err = testdesk.StartX(ctx, b.dir); err != nil {
		return err
	}
	if err := b.x.StartWM(ctx); err != nil {
		return err
	}
	if b.page, err = testdesk.NewPage(); err != nil {
		return err
	}
	b.editor, err = b.x.StartEditor(ctx, b.page, testdesk.Options{})
	return err
}

// once is one stop at a session limit.
func (b *bench) once(ctx context.Context, i int) (p parts, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	dir := filepath.Join(b.dir, fmt.Sprint("run-", i))
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return p, err
	}
	live := filepath.Join(dir, "cursor-ralph-loop-"+id+".json")
	if err := os.WriteFile(live, []byte(`{"prompt": "make all tests pass", "max_iterations": 100}`), 0o600); err != nil {
		return p, err
	}
	env := append(b.x.Env(), "CURSOR_RALPH_DIR="+dir, "CURSOR_RALPH_STATE_DIR="+filepath.Join(dir, "state"),
		"CURSOR_RALPH_EDITOR_EXE="+b.editor.Exe, "CURSOR_RALPH_NO_NOTIFY=1")
	answer, answered, ended, err := b.hook(ctx, env, map[string]any{"hook_event_name": "stop", "conversation_id": id, "generation_id": "g", "status": "completed", "loop_count": 4})
	if err != nil {
		return p, err
	}
	if answer != "{}\n" {
		return p, fmt.Errorf("the hook answered %q; want {}, because it types", answer)
	}
	text, err := b.page.Message(ctx)
	arrived := time.Now()
	if err != nil || text != "/ralph-loop --continue "+id {
		return p, fmt.Errorf("the page sent %q: %w", text, err)
	}
	// The editor's prompt hook proves that it arrived, so that the injector ends.
	if _, _, _, err := b.hook(ctx, env, map[string]any{"hook_event_name": "beforeSubmitPrompt", "conversation_id": id, "generation_id": "h", "prompt": text}); err != nil {
		return p, err
	}
	log := filepath.Join(dir, "cursor-ralph-stop-hook.log")
	m, err := waitForEnd(ctx, log)
	if err != nil {
		return p, err
	}
	typing, pasted, pressed := m[0], m[1], m[2]
	return parts{ended.Sub(answered), typing.Sub(ended), pasted.Sub(typing), pressed.Sub(pasted), arrived.Sub(pressed), arrived.Sub(ended)}, nil
}

// hook runs the hook and returns its answer, the time of it, and that of its end,
// when nobody has its streams any more.
func (b *bench) hook(ctx context.Context, env []string, event map[string]any) (answer string, answered, ended time.Time, err error) {
	event["cursor_version"], event["workspace_roots"] = "2.4.0", []string{b.dir}
	data, err := json.Marshal(event)
	if err != nil {
		return "", answered, ended, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(b.dir, "cursor-ralph-hook"))
	cmd.Env, cmd.Stdin = env, strings.NewReader(string(data))
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", answered, ended, err
	}
	reader := bufio.NewReader(stdout)
	answer, err = reader.ReadString('\n')
	answered = time.Now()
	if err == nil {
		_, err = io.Copy(io.Discard, reader)
	}
	return answer, answered, time.Now(), errors.Join(err, cmd.Wait())
}

// moments are when the injector did its steps: typing, pasted, pressed Return.
type moments [3]time.Time

// waitForEnd waits until the injector has reported, and returns its moments.
func waitForEnd(ctx context.Context, log string) (moments, error) {
	for {
		data, err := os.ReadFile(log)
		if err != nil {
			return moments{}, err
		}
		if strings.Contains(string(data), "action=injected") {
			return read(string(data))
		}
		select {
		case <-ctx.Done():
			return moments{}, fmt.Errorf("the injector does not end; the log: %s", data)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// read looks for the moments in a log. One that is not there, because another
// way typed, has no time that could be measured from.
func read(log string) (m moments, err error) {
	found := map[string]time.Time{}
	for line := range strings.Lines(log) {
		stamp, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, why, ok := strings.Cut(rest, "action=step why=")
		at, err := time.Parse("2006-01-02T15:04:05.000Z", stamp)
		if ok && err == nil {
			found[strings.Trim(why, `"`)] = at
		}
	}
	for i, step := range []string{"xtest: typing", "pasted", "pressed Return"} {
		at, ok := found[step]
		if !ok {
			return m, fmt.Errorf("the injector did not report %q; the log: %s", step, log)
		}
		m[i] = at
	}
	return m, nil
}

func write(out io.Writer, all []parts) error {
	for _, line := range []struct {
		what string
		of   func(parts) time.Duration
	}{
		{"from the hook's answer to its end, all streams closed", func(p parts) time.Duration { return p.closed }},
		{"from the hook's end to the message in the page", func(p parts) time.Duration { return p.whole }},
		{"  until the injector has found the window", func(p parts) time.Duration { return p.ready }},
		{"  until the editor has fetched the line, and 30 ms of quiet", func(p parts) time.Duration { return p.pasted }},
		{"  until Return is pressed", func(p parts) time.Duration { return p.pressed }},
		{"  until the page has told that it arrived", func(p parts) time.Duration { return p.arrived }},
	} {
		var times []time.Duration
		for _, p := range all {
			times = append(times, line.of(p))
		}
		slices.Sort(times)
		_, err := fmt.Fprintf(out, "%-62s median %4d ms, longest %4d ms\n", line.what, times[len(times)/2].Milliseconds(), times[len(times)-1].Milliseconds())
		if err != nil {
			return err
		}
	}
	return nil
}
