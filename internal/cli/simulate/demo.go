package simulate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// DemoFlags adds the flags of demo.
func DemoFlags(f *pflag.FlagSet) {
	f.Bool("keep", false, "keep the scratch folder and print its path")
}

// Demo plays a whole loop with the real programs, a real hooks.json and a real shell,
// under a simulated Cursor with a scripted agent, in a scratch folder.
func Demo(ctx context.Context, e *cli.Env, _ []string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cli.OutliveReader()
	s, err := newShow(e)
	if err != nil {
		return err
	}
	err = s.play(ctx)
	if e.IsSet("keep") {
		return e.Say("\nThe scratch folder is %s. To look at its loop, set CURSOR_RALPH_DIR=%[1]s/tmp CURSOR_RALPH_STATE_DIR=%[1]s/home/state; then: cursor-ralph status", s.folder)
	}
	if removeErr := os.RemoveAll(s.folder); err == nil {
		err = removeErr
	}
	return err
}

type show struct {
	e       *cli.Env
	folder  string
	self    string
	environ []string
	color   bool
	typed   string // what the user typed after /ralph-loop
}

func newShow(e *cli.Env) (*show, error) {
	folder, err := os.MkdirTemp("", "cursor-ralph-demo-")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &show{e: e, folder: folder, self: self, color: e.Colorful()}
	for _, name := range []string{"home", "tmp", "parser"} {
		if err := os.Mkdir(s.in(name), 0o700); err != nil {
			return nil, err
		}
	}
	s.environ = s.variables()
	return s, nil
}

// variables returns a minimal environment, so that the demo neither reads nor changes
// the user's files.
func (s *show) variables() []string {
	list := []string{
		"CURSOR_RALPH_DIR=" + s.in("tmp"), "CURSOR_RALPH_STATE_DIR=" + filepath.Join(s.in("home"), "state"),
		"PATH=" + filepath.Dir(s.self) + string(os.PathListSeparator) + s.e.Getenv("PATH"),
	}
	if runtime.GOOS != "windows" {
		return append(list, "HOME="+s.in("home"), "SHELL=/bin/sh", "TMPDIR="+s.in("tmp"))
	}
	for _, name := range []string{"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "ProgramFiles"} { // PowerShell needs them
		list = append(list, name+"="+s.e.Getenv(name))
	}
	return append(list, "USERPROFILE="+s.in("home"), "TEMP="+s.in("tmp"), "TMP="+s.in("tmp"))
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
	s.title("What happened, from the archive:")
	if err := s.command(ctx, "history"); err != nil {
		return err
	}
	if v := cursor.Violations(); len(v) > 0 {
		return hint.New("the hook violated the protocol: "+strings.Join(v, "; "), "")
	}
	return nil
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
	t.Say(words[min(t.Number, len(words))-1])
}

var words = []string{
	"The parser reads minutes now. I'm done for now.",
	"It reads hours too. All tests should pass. <promise>COMPLETE</promise>",
	"It reads days too. I ran the tests: they pass. <promise>COMPLETE</promise>",
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
		s.line("36", "user", x.Text)
	case simcursor.FollowupMessage:
		why, _, _ := strings.Cut(strings.ReplaceAll(x.Text, "\n```", ""), "\n\n")
		for i, text := range strings.Split(why, "\n") {
			s.line("35", []string{"cursor", ""}[min(i, 1)], text)
		}
	case simcursor.AssistantText:
		s.line("32", "agent", x.Text)
	case simcursor.ToolCall:
		command, _, _ := strings.Cut(x.Text, "\n")
		s.line("90", "tool", x.Name+": "+strings.TrimPrefix(command, s.in("parser")+string(filepath.Separator)))
	case simcursor.TurnEnd:
		s.line("90", "turn", x.Text)
	case simcursor.ShownToUser:
		s.line("33", "cursor", x.Text)
	}
}

func (s *show) line(color, who, text string) { s.print(color, fmt.Sprintf("  %-7s %s", who, text)) }

func (s *show) title(text string) { s.print("1", "\n"+text) }

// print writes a line to stdout, like all output of a command.
func (s *show) print(color, says string) {
	says = text.Escape(says) // not cli.Printable, which would hide the promises
	if s.color {
		says = "\x1b[" + color + "m" + says + "\x1b[0m"
	}
	fmt.Fprintln(s.e.Stdout, says)
}

func (s *show) command(ctx context.Context, args ...string) error {
	s.print("1", "  $ cursor-ralph "+strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, s.self, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.environ, s.in("parser"), s.e.Stdout, s.e.Stderr
	return cmd.Run()
}
