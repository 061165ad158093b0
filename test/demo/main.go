// Command demo plays a whole loop with the real programs, a real hooks.json and a real
// shell, under a simulated Cursor with a scripted agent, in a scratch folder.
//
// Usage: demo [-keep] FOLDER, the one that cursor-ralph and cursor-ralph-hook are in. It
// fails if the loop does not end as it should.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("demo", flag.ContinueOnError)
	f.SetOutput(stderr)
	keep := f.Bool("keep", false, "keep the scratch folder and print its path")
	if f.Parse(args) != nil || f.NArg() != 1 {
		fmt.Fprintln(stderr, "usage: demo [-keep] FOLDER")
		return 2
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // if the reader exits first, the scratch folder is still removed
	if err := demo(f.Arg(0), *keep, stdout); err != nil {
		fmt.Fprintln(stderr, "demo:", err)
		return 1
	}
	return 0
}

func demo(programs string, keep bool, out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s, err := newShow(programs, out)
	if err != nil {
		return err
	}
	err = s.play(ctx)
	if keep {
		fmt.Fprintf(out, "\nThe scratch folder is %s. To look at its loop, set CURSOR_RALPH_DIR=%[1]s/tmp CURSOR_RALPH_STATE_DIR=%[1]s/home/state; then: cursor-ralph status\n", s.folder)
		return err
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

type show struct {
	out      io.Writer
	folder   string
	programs string
	environ  []string
	color    bool
	typed    string // what the user typed after /ralph-loop
	line     string // what the user has to type to go on
}

func newShow(programs string, out io.Writer) (*show, error) {
	programs, err := filepath.Abs(programs)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "cursor-ralph-demo-")
	if err != nil {
		return nil, err
	}
	s := &show{out: out, folder: folder, programs: programs, color: isColorful(out)}
	for _, name := range []string{"home/.config/cursor-ralph", "tmp", "parser"} {
		if err := os.MkdirAll(s.in(name), 0o700); err != nil {
			return nil, err
		}
	}
	s.environ = s.variables()
	return s, os.WriteFile(s.in("home/.config/cursor-ralph/config.toml"), []byte("[hook]\nsession-limit = 2\n"), 0o600)
}

func isColorful(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// variables returns a minimal environment, so that the demo neither reads nor changes
// the user's files.
func (s *show) variables() []string {
	list := []string{
		"CURSOR_RALPH_DIR=" + s.in("tmp"), "CURSOR_RALPH_STATE_DIR=" + filepath.Join(s.in("home"), "state"),
		"PATH=" + s.programs + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	if runtime.GOOS != "windows" {
		return append(list, "HOME="+s.in("home"), "SHELL=/bin/sh", "TMPDIR="+s.in("tmp"))
	}
	for _, name := range []string{"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "ProgramFiles"} { // PowerShell needs them
		list = append(list, name+"="+os.Getenv(name))
	}
	return append(list, "USERPROFILE="+s.in("home"), "APPDATA="+s.in("home/.config"), "TEMP="+s.in("tmp"), "TMP="+s.in("tmp"))
}

func (s *show) in(name string) string { return filepath.Join(s.folder, name) }

func (s *show) play(ctx context.Context) error {
	s.title("The agent fixes a parser. The agent is scripted, everything else is real.")
	if err := errors.Join(s.writeProject(), s.command(ctx, "install")); err != nil {
		return err
	}
	cursor, err := simcursor.New(simcursor.Config{
		Home: s.in("home"), Workspace: s.in("parser"), Env: s.environ, Shell: "/bin/sh", Observe: s.observe,
	})
	if err != nil {
		return err
	}
	chat := cursor.Chat(s.agent)
	s.title("The user starts a loop:")
	if err := s.send(ctx, chat, fmt.Sprintf(`"Make %s pass. Don't change it." --verify %[1]s`, tests())); err != nil {
		return err
	}
	s.title("Cursor's limit, here two answers in a row. cursor-ralph types the line into Cursor's window; without one the user does:")
	if err := s.send(ctx, chat, s.line); err != nil {
		return err
	}
	s.title("What happened, from the archive:")
	var history bytes.Buffer
	err = s.run(ctx, io.MultiWriter(s.out, &history), "history")
	if err == nil && !strings.Contains(history.String(), "PROMISE_ACCEPTED") {
		err = errors.New("the loop did not end by its promise")
	}
	if v := cursor.Violations(); len(v) > 0 {
		err = errors.Join(err, fmt.Errorf("the hook violated the protocol: %s", strings.Join(v, "; ")))
	}
	return err
}

func (s *show) send(ctx context.Context, chat *simcursor.Chat, text string) error {
	s.typed = text
	return chat.Send(ctx, "/ralph-loop "+text)
}

// agent plays one turn, and passes what the user typed to cursor-ralph, as the
// slash command instructs it. It teaches the parser one unit a turn, and promises
// too early once.
func (s *show) agent(t *simcursor.Turn) {
	if !t.Followup {
		t.Shell(handOver(s.typed))
	}
	if err := t.Edit("parse", parser(t.Number)); err != nil {
		t.Say("I could not write the parser")
		return
	}
	if t.Number == len(words) {
		t.Shell(tests())
	}
	t.Say(strings.ReplaceAll(words[min(t.Number, len(words))-1], "LINE", "/ralph-loop "+s.line))
}

var words = []string{
	"The parser reads minutes now. I'm done for now.",
	"It reads hours too. All tests should pass. <promise>COMPLETE</promise>",
	"It reads days too; weeks are left. To go on, send: LINE",
	"It reads weeks too. I ran the tests: they pass. <promise>COMPLETE</promise>",
}

func handOver(typed string) string {
	if runtime.GOOS == "windows" {
		return "@'\n" + typed + "\n'@ | cursor-ralph slash ralph-loop"
	}
	return "cursor-ralph slash ralph-loop <<'CURSOR_RALPH_TASK'\n" + typed + "\nCURSOR_RALPH_TASK"
}

func (s *show) observe(x simcursor.Entry) {
	switch x.Kind {
	case simcursor.UserMessage:
		s.say("36", "user", x.Text)
	case simcursor.FollowupMessage:
		s.answer(x.Text)
	case simcursor.AddedContext:
		if s.line != "" { // what the continue line brings
			s.answer(x.Text)
		}
	case simcursor.AssistantText:
		s.say("32", "agent", x.Text)
	case simcursor.ToolCall:
		command, _, _ := strings.Cut(x.Text, "\n")
		s.say("90", "tool", x.Name+": "+strings.TrimPrefix(command, s.in("parser")+string(filepath.Separator)))
	case simcursor.TurnEnd:
		s.say("90", "turn", x.Text)
	case simcursor.ShownToUser:
		s.say("33", "cursor", x.Text)
	}
}

// answer shows what a hook answers: the reason, and the line that the user has to type.
func (s *show) answer(says string) {
	why, _, _ := strings.Cut(strings.ReplaceAll(says, "\n```", ""), "\n\n")
	const limit, command = "This is the last turn", "/ralph-loop "
	if _, last, isLast := strings.Cut(says, limit); isLast {
		sentence, _, _ := strings.Cut(last, ".")
		s.line = strings.TrimSpace(last[strings.LastIndex(last, command)+len(command):])
		why += "\n" + limit + sentence + ". …\n" + command + s.line
	}
	for i, text := range strings.Split(why, "\n") {
		s.say("35", []string{"cursor", ""}[min(i, 1)], text)
	}
}

func (s *show) say(color, who, text string) { s.print(color, fmt.Sprintf("  %-7s %s", who, text)) }

func (s *show) title(text string) { s.print("1", "\n"+text) }

func (s *show) print(color, says string) {
	says = text.Escape(says)
	if s.color {
		says = "\x1b[" + color + "m" + says + "\x1b[0m"
	}
	fmt.Fprintln(s.out, says)
}

func (s *show) command(ctx context.Context, args ...string) error { return s.run(ctx, s.out, args...) }

func (s *show) run(ctx context.Context, out io.Writer, args ...string) error {
	s.print("1", "  $ cursor-ralph "+strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, filepath.Join(s.programs, "cursor-ralph"), args...) // #nosec G204 -- the program to show
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.environ, s.in("parser"), out, out
	return cmd.Run()
}
