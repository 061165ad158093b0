// Package cursorralph_test keeps the rules of the house: the imports of each package, what the hook must not link, and what only
// programs may do. A rule lives in a table here, not in prose; whoever changes one changes the table in the same commit.
//
// The files are read, not asked for from a tool, so that go test sees when a cached result no longer holds.
package cursorralph_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

const module = "github.com/cursor-ralph/cursor-ralph"

// row says what a package may import beside the standard library.
type row struct {
	dir    string
	ours   []string // packages of this module
	theirs []string // modules of others
}

// rows has every package there is or will be: one that is not here fails. Tests may import what they like.
var rows = []row{
	// The library. The first three import none of our packages.
	{dir: "loop", ours: list("internal/text")},
	{dir: "hook"},
	{dir: "platform", ours: list("internal/ownfile")},
	{dir: "pending", ours: list("loop", "platform", "state", "internal/ownfile", "internal/proc")},
	{dir: "state", ours: list("loop", "platform", "internal/ownfile")},
	{dir: "keystroke", ours: list("internal/proc", "platform", "internal/hint", "keystroke/internal/desk", "keystroke/internal/rendezvous")},
	// The desktops, by the systems' own tools.
	{dir: "keystroke/internal/desk", ours: list("internal/text", "platform", "internal/proc"), theirs: list("golang.org/x/sys")},
	// The editor extension's other end.
	{dir: "keystroke/internal/rendezvous", ours: list("internal/ownfile", "internal/proc"), theirs: list("golang.org/x/sys")},
	{dir: "commands", ours: list("internal/shellwords", "internal/text", "internal/hint", "internal/host", "internal/ownfile", "hook", "loop"), theirs: list("github.com/tailscale/hujson", "golang.org/x/sys")},

	// The outer loop: what an agent is talked to with is a driver, below it.
	{dir: "internal/outer", ours: list("internal/worktree", "internal/text", "internal/hint", "internal/proc", "loop", "state", "internal/engine", "internal/ownfile", "internal/selfcall")},
	{dir: "internal/outer/acp", ours: list("internal/autoload", "internal/text", "internal/toolcall", "internal/hint", "loop", "internal/outer", "internal/proc/supervise"), theirs: list("github.com/coder/acp-go-sdk")},
	{dir: "internal/outer/program", ours: list("loop", "internal/outer", "internal/proc/supervise")},

	// The agents by name; and another agent's opinion of the work.
	{dir: "internal/agents", ours: list("internal/agents/preset", "internal/shellwords", "internal/hint", "internal/host", "loop", "internal/outer", "internal/outer/acp", "internal/outer/program")},
	{dir: "internal/agents/preset", ours: list("internal/hint")},
	{dir: "internal/review", ours: list("internal/agents", "internal/agents/preset", "internal/checkpoint", "internal/tasks", "internal/hint", "internal/text", "loop", "internal/outer")},

	// Text and errors for people, for every room.
	{dir: "internal/text"},
	{dir: "internal/autoload"},
	// What agents report about tool calls, for the hook and for outer.
	{dir: "internal/toolcall", ours: list("internal/text")},
	{dir: "internal/hint"},
	// Which command verifies the work in a folder.
	{dir: "internal/suggest", ours: list("internal/ownfile", "loop")},
	{dir: "internal/shellwords"},
	// Whether a user's command can run.
	{dir: "internal/command", ours: list("internal/proc", "internal/text")},
	// What a user typed, in a chat or in a terminal.
	{dir: "internal/cmdline", ours: list("internal/text", "loop")},

	// The only loop around loop.Decide.
	{dir: "internal/engine", ours: list("internal/agents/preset", "internal/hint", "loop", "state", "internal/ownfile", "internal/proc", "internal/worktree", "internal/git")},
	// What the end of a turn needs of a workspace.
	{dir: "internal/survey", ours: list("internal/checkpoint", "internal/tasks", "loop", "platform", "internal/git")},
	// The work tree of each iteration, as commits beside the user's.
	{dir: "internal/checkpoint", ours: list("internal/ownfile", "internal/proc", "internal/text", "loop", "internal/git", "internal/autoload"), theirs: list("golang.org/x/sys/unix")},
	// What the hook has cursor-ralph do, since it outlives it or is heavy: both ends of the arguments.
	{dir: "internal/handoff", ours: list("loop", "platform", "internal/ownfile", "internal/proc")},
	{dir: "internal/ownfile", theirs: list("github.com/gofrs/flock", "golang.org/x/sys")},
	// All programs are started here.
	{dir: "internal/proc", ours: list("internal/text"), theirs: list("golang.org/x/sys")},
	{dir: "internal/proc/supervise", ours: list("internal/text", "internal/proc"), theirs: list("golang.org/x/sys")},
	// Runs a user's command.
	{dir: "internal/verify", ours: list("internal/proc/supervise", "internal/text")},
	// The gate round of a promise.
	{dir: "internal/gate", ours: list("internal/ownfile", "internal/tasks", "internal/verify", "internal/worktree", "loop")},
	// The task list of a loop.
	{dir: "internal/tasks", ours: list("internal/hint", "internal/text", "loop")},
	// Tells the user what became of a loop; it alone links shoutrrr and net/http.
	{dir: "internal/notice", ours: list("internal/config", "internal/hint", "internal/proc", "internal/proc/supervise", "internal/text", "internal/verify", "loop"), theirs: list("github.com/nicholas-fedor/shoutrrr")},
	// The user's defaults.
	{dir: "internal/config", ours: list("internal/text", "internal/hint", "internal/ownfile", "loop"), theirs: list("github.com/pelletier/go-toml/v2")},
	// The panel of cursor-ralph watch: shows what it is given, and acts by calling functions.
	{dir: "internal/tui", ours: list("internal/text", "internal/hint", "internal/view", "loop"), theirs: list("charm.land/bubbletea", "charm.land/bubbles", "charm.land/lipgloss", "github.com/charmbracelet/x")},
	// How a loop is shown: words, JSON, rows.
	{dir: "internal/view", ours: list("internal/text", "loop"), theirs: list("github.com/charmbracelet/x")},
	// What there is to do about loops in which nothing happens.
	{dir: "internal/watcher", ours: list("loop")},
	{dir: "internal/selfcall", ours: list("internal/shellwords")},
	// Agents other than Cursor: their events, answers and files.
	{dir: "internal/host", ours: list("hook")},
	{dir: "internal/hooklog", ours: list("internal/text", "loop", "internal/ownfile")},
	// What editors with our extension can do.
	{dir: "internal/editors", ours: list("internal/ownfile", "internal/text")},
	// What the extension carries, where its updates leave it.
	{dir: "internal/carried", ours: list("internal/ownfile", "commands")},
	// What Cursor says of hooks in its own log.
	{dir: "internal/cursorlog", ours: list("internal/ownfile")},
	// Runs git, with a git folder of our own.
	{dir: "internal/git", ours: list("internal/ownfile", "internal/proc")},
	{dir: "internal/worktree", ours: list("loop", "internal/git", "internal/ownfile")},
	// Plays the editor, so it imports none of our packages. For tests and the demo only.
	{dir: "test/simcursor"},
	// A whole loop with the real programs and the simulated editor.
	{dir: "test/demo", ours: list("internal/text", "test/simcursor")},
	// Real windows: an X server, sway, Chromium with a chat page. For tests and the lab only.
	{dir: "test/testdesk", ours: list("test/short"), theirs: list("github.com/jezek/xgb")},
	// Tests alone: typing into real windows.
	{dir: "test/typing"},
	// Programs that are scripts, which say what a test wants. For tests only.
	{dir: "test/faketools", ours: list("test/sources")},
	// Files that UPDATE=1 writes. For tests only.
	{dir: "test/golden", theirs: list("github.com/google/go-cmp")},
	// Files of loops. For tests only.
	{dir: "test/loopfiles", ours: list("platform")},
	// Programs for Windows, run by Wine. For tests only.
	{dir: "test/testwine", ours: list("test/short")},
	// A model that says what a script says, for real agents. For tests only.
	{dir: "test/modelserver"},
	// Tests alone: the editor extension, under Node and in a real workbench.
	{dir: "test/extension"},
	{dir: "test/extension/simulated", ours: list("test/simcursor")},
	// What make test leaves to make test-all.
	{dir: "test/short"},
	{dir: "test/sources"},
	// Tests alone: wrong answers that users found, through the programs.
	{dir: "test/answers"},
	// Testscripts with a hook. For tests only.
	{dir: "test/script", ours: list("test/schema"), theirs: list("github.com/rogpeppe/go-internal")},
	// The JSON of --json against docs/schema. For tests only.
	{dir: "test/schema", theirs: list("github.com/santhosh-tekuri/jsonschema")},
	// Scripts that report the numbers of their processes. For tests only.
	{dir: "test/procs"},
	{dir: "test/terminal"},
	{dir: "test/scene", ours: list("internal/proc")},
	// Tests alone: real agents from their registries, in the outer loop.
	{dir: "test/agents"},
	// Tests alone: the claim and continue protocol, explored state by state.
	{dir: "test/model"},
	// Tests alone: the binaries under the simulated Cursor.
	{dir: "test/e2e"},
	// Tests alone: the programs on Windows.
	{dir: "test/windows"},
	// Tests alone: those who mean harm.
	{dir: "test/hostile", theirs: list("golang.org/x/sys/unix")},
	// Tests alone: what README and docs tell a reader to run.
	{dir: "test/docs"},

	// The programs. The hook runs at every event of every chat: see heavy, below.
	{dir: "cmd/cursor-ralph-hook", ours: list("internal/onevent")},
	// One event, in the hook.
	{dir: "internal/onevent",
		ours:   list("internal/cmdline", "internal/command", "internal/worktree", "hook", "loop", "pending", "state", "platform", "internal/config", "internal/engine", "internal/gate", "internal/handoff", "internal/hint", "internal/loops", "internal/selfcall", "internal/hooklog", "internal/host", "internal/shellwords", "internal/suggest", "internal/survey", "internal/text", "internal/toolcall"),
		theirs: list("golang.org/x/sys")},
	{dir: "cmd/cursor-ralph",
		ours: list("internal/cmdline", "internal/agents/preset", "internal/review", "internal/loops", "internal/engine", "internal/handoff", "internal/hint", "internal/text", "commands", "loop", "pending", "state", "platform", "keystroke", "internal/ownfile", "internal/hooklog", "internal/worktree", "internal/gate",
			"internal/proc", "internal/proc/supervise", "internal/config", "internal/checkpoint", "internal/cli/checkpoints", "internal/survey", "internal/tasks", "internal/tui", "internal/view", "internal/watcher", "internal/cli", "internal/cli/doctor",
			"internal/cli/events", "internal/cli/install", "internal/cli/notify", "internal/notice", "internal/cli/render", "internal/cli/run",
			"internal/cli/typing", "internal/suggest", "internal/carried", "internal/editors", "internal/outer"),
		theirs: list("github.com/spf13/cobra", "github.com/spf13/pflag")},
	// Loops wherever they are.
	{dir: "internal/loops", ours: list("internal/hint", "internal/ownfile", "loop", "pending", "platform", "state")},
	// What cursor-ralph calls: a command and what belongs to it each.
	{dir: "internal/cli", ours: list("internal/cmdline", "internal/command", "internal/host", "internal/engine", "internal/notice", "commands", "internal/suggest", "internal/ownfile", "internal/loops", "internal/handoff", "internal/hint", "internal/text", "internal/config", "internal/hooklog", "internal/verify", "internal/view", "internal/worktree", "keystroke", "loop", "internal/outer", "pending", "platform", "state", "internal/git"),
		theirs: list("github.com/charmbracelet/x/term", "github.com/spf13/pflag")},
	{dir: "internal/cli/checkpoints", ours: list("internal/checkpoint", "internal/hint", "internal/loops", "internal/text", "internal/view", "internal/cli", "internal/cli/render", "loop", "internal/git", "platform"), theirs: list("github.com/spf13/pflag")},
	{dir: "internal/cli/doctor", ours: list("internal/editors", "internal/host", "internal/proc", "internal/hint", "internal/text", "internal/view", "commands", "hook", "internal/cli", "internal/cli/install", "internal/cli/notify", "internal/cli/render",
		"internal/cli/typing", "internal/config", "internal/cursorlog", "internal/hooklog", "internal/ownfile", "keystroke", "loop", "pending", "internal/outer/acp", "platform"),
		theirs: list("github.com/spf13/pflag")},
	{dir: "internal/cli/events", ours: list("internal/loops", "internal/proc", "internal/view", "internal/cli", "loop"), theirs: list("github.com/spf13/pflag")},
	{dir: "internal/cli/install", ours: list("internal/editors", "internal/handoff", "internal/host", "internal/ownfile", "internal/proc", "internal/hint", "internal/text", "internal/view", "commands", "internal/cli", "keystroke", "loop"), theirs: list("github.com/spf13/pflag")},
	{dir: "internal/cli/notify", ours: list("internal/notice", "internal/handoff", "internal/hint", "internal/text", "internal/view", "internal/cli", "internal/hooklog", "loop", "platform"), theirs: list("github.com/gen2brain/beeep", "github.com/spf13/pflag")},
	{dir: "internal/cli/render", ours: list("internal/loops", "internal/hint", "internal/text", "internal/view", "internal/cli", "internal/hooklog", "internal/ownfile", "loop", "pending", "state", "platform"), theirs: list("github.com/spf13/pflag")},
	{dir: "internal/cli/run", ours: list("internal/agents", "internal/agents/preset", "internal/hint", "internal/text", "commands", "internal/cli", "internal/cli/install", "internal/cli/notify", "internal/config", "internal/survey", "internal/review", "internal/tasks", "internal/engine", "internal/hooklog", "internal/view", "internal/worktree", "loop", "internal/outer", "internal/outer/acp", "platform", "internal/git", "internal/loops"),
		theirs: list("github.com/charmbracelet/x", "github.com/rogpeppe/go-internal", "github.com/spf13/pflag")},
	{dir: "internal/cli/typing", ours: list("internal/handoff", "internal/hint", "internal/text", "commands", "internal/cli", "internal/cli/install", "keystroke", "platform"), theirs: list("github.com/spf13/pflag")},
	{dir: "cmd/cursor-ralph-robotgo", theirs: list("github.com/go-vgo/robotgo")},

	// Tools of the project itself.
	{dir: "test/bench"},
	{dir: "test/bench/floor"},
	{dir: "scripts/record"},
	{dir: "scripts/testreport"},
}

// heavy are packages that would slow down every event of every chat: the hook links none of them. What it may cost, the ratios of
// test/bench say.
var heavy = list("net/http", "regexp", "text/template", "github.com/spf13/pflag", "github.com/spf13/cobra", "github.com/tailscale/hujson",
	"github.com/coder/acp-go-sdk", "github.com/nicholas-fedor/shoutrrr")

// programs are where packages main and their commands live: only they print, exit, read flags and the environment. A library
// takes such things as arguments.
var programs = list("cmd", "internal/onevent", "internal/cli", "test/bench/floor", "test/demo", "test/sources", "test/extension/simulated", "scripts")

// bans are names of other packages, and imports, that only some folders may use. os.TempDir and its like read the environment
// too.
var bans = []struct {
	names   []string
	dirs    []string // with all below them
	instead string
}{
	{list("os.Exit", "os.Args", "os.Stdin", "os.Stdout", "os.Stderr", "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Setenv",
		"os.Unsetenv", "os.Clearenv", "os.UserHomeDir", "os.UserConfigDir", "os.UserCacheDir", "os.TempDir", "os.Chdir",
		"syscall.Exit", "syscall.Getenv", "syscall.Environ", "syscall.Setenv",
		"fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan", "fmt.Scanf", "fmt.Scanln", "print", "println", "flag", "log", "github.com/spf13/pflag"),
		programs, "take it as an argument: only programs do this"},
	{list("os/exec.Cmd", "os/exec.Command", "os/exec.CommandContext", "os.StartProcess", "syscall.Kill", "golang.org/x/sys/unix.Kill"),
		append(list("internal/proc",
			"internal/verify",         // names a shell for supervise.StartTree
			"keystroke/internal/desk", // talk with programs while they run
		), tools...), "use internal/proc"},
	{list("syscall.Stat_t", "os.CreateTemp", "os.Rename"), append(list("internal/ownfile"), tools...), "use internal/ownfile"},
	{list("unicode.IsPrint", "unicode.IsControl", "unicode.IsGraphic", "unicode.Cf", "strconv.IsPrint", "unicode/utf8.RuneStart"),
		append(list("internal/text", "internal/shellwords"), tools...), "use internal/text"},
}

// tools are tests, the project's own tools, and what stands for Cursor, which shares no code with the rest.
var tools = list("test", "scripts", "internal/simcursor")

// exceptions to the bans and to what may be assigned to, each with its reason.
var exceptions = []struct{ dir, name, why string }{
	{"internal/notice", "net/http.DefaultTransport", "is what most of shoutrrr's services send with, and it follows redirects"},
	{"internal/cli/notify", "github.com/gen2brain/beeep.AppName", "is how that library knows whose notifications it shows"},
	{"internal/outer", "os/exec.Cmd", "asks what environment a command would get"},
	{"platform", "os.TempDir", "is where Windows's temporary folder is asked for"},
	{"test/golden", "os.Getenv", "UPDATE=1 writes them"},
	{"test/scene", "os.Environ", "is what the scripts of a test get"},
	{"internal/autoload", "unicode.Cf", "compares file names as HFS+ does"},
	{"internal/cmdline", "unicode.Cf", "passes over characters without a width where a task may hide an option"},
	{"test/simcursor", "os.Environ", "stands for the editor, which hands its environment to hooks"},
}

// cgo is allowed here and nowhere else: a crash in C cannot be caught.
var cgo = list("cmd/cursor-ralph-robotgo")

// vague names are refused: a file or package is named after the thing in it.
var vague = list("util", "utils", "common", "helper", "helpers", "types", "misc", "base", "shared")

// makers return what cannot be changed afterwards, so a package-level variable may be made by them.
var makers = list("errors.New", "fmt.Errorf", "regexp.MustCompile", "strings.NewReplacer", "hint.New")

func list(s ...string) []string { return s }

// pkg is the non-test source of one folder, for all systems together.
type pkg struct {
	dir   string
	name  string
	files map[string]*ast.File // by path
	fset  *token.FileSet
}

// load reads every package of a module.
func load(root fs.FS) (map[string]*pkg, error) {
	pkgs := map[string]*pkg{}
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && ignored(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		dir := path.Dir(file)
		if pkgs[dir] == nil {
			pkgs[dir] = &pkg{dir: dir, files: map[string]*ast.File{}, fset: token.NewFileSet()}
		}
		return pkgs[dir].add(root, file)
	})
	return pkgs, err
}

// ignored follows the go command, and leaves out what make builds.
func ignored(dir string) bool {
	return strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_") ||
		slices.Contains(list("testdata", "vendor", "bin", "dist", "node_modules"), dir)
}

func (p *pkg) add(root fs.FS, file string) error {
	src, err := fs.ReadFile(root, file)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(p.fset, file, src, parser.ParseComments)
	if err != nil {
		return err
	}
	p.name, p.files[file] = f.Name.Name, f
	return nil
}

// at returns the place of a node.
func (p *pkg) at(n ast.Node) string {
	pos := p.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
}

// within reports whether the package is in one of the folders.
func (p *pkg) within(dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return p.dir == dir || strings.HasPrefix(p.dir, dir+"/") })
}

// rules look at one package and return what is wrong with it.
var rules = map[string]func(*pkg) []string{
	"imports":   imports,
	"banned":    banned,
	"inits":     inits,
	"variables": variables,
	"names":     names,
	"finders":   finders,
	"files":     files,
	"texts":     texts,
}

func TestHouse(t *testing.T) {
	short.Skip(t)
	pkgs, err := load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for name, check := range rules {
		for _, p := range pkgs {
			for _, problem := range check(p) {
				t.Errorf("%s: %s", name, problem)
			}
		}
	}
}

// imports keeps the rows.
func imports(p *pkg) (problems []string) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.dir == p.dir })
	if i < 0 {
		return list(p.dir + ": not in the rows of arch_test.go: say there what it may import")
	}
	for _, f := range p.files {
		for _, spec := range f.Imports {
			if why := rows[i].refuses(importPath(spec)); why != "" {
				problems = append(problems, fmt.Sprintf("%s: %s imports %s: %s", p.at(spec), p.dir, importPath(spec), why))
			}
		}
	}
	return problems
}

func (r row) refuses(imported string) string {
	dir, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(imported, "/")
	in := func(module string) bool { return imported == module || strings.HasPrefix(imported, module+"/") }
	switch {
	case imported == "C" && !slices.Contains(cgo, r.dir):
		return "cgo"
	case ours && !slices.Contains(r.ours, dir):
		return "not in its row"
	case !ours && strings.Contains(first, ".") && !slices.ContainsFunc(r.theirs, in):
		return "not among the modules in its row"
	}
	return ""
}

// finders finds those who list loops themselves: live, pending and archived ones are assembled in one place.
func finders(p *pkg) (problems []string) {
	if slices.Contains(list("internal/loops", "state", "pending"), p.dir) {
		return nil
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && (slices.Contains(list("Heads", "Filed"), sel.Sel.Name) || sel.Sel.Name == "List" && listsLoops(sel.X)) {
				problems = append(problems, p.at(sel)+": a second finder: use internal/loops")
			}
			return true
		})
	}
	return problems
}

func listsLoops(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	return ok && slices.Contains(list("Store", "Box", "store", "box"), sel.Sel.Name)
}

// files finds those who open loops' files themselves: only ownfile refuses links, and what is another user's.
func files(p *pkg) (problems []string) {
	if !p.within(list("state", "pending", "internal/loops", "internal/hooklog", "internal/editors")) {
		return nil
	}
	for _, f := range p.files {
		for n, name := range uses(f) {
			if slices.Contains(list("os.Open", "os.OpenFile", "os.OpenRoot", "os.ReadFile", "os.WriteFile", "os.Create", "os.Remove", "os.RemoveAll"), name) {
				problems = append(problems, p.at(n)+": "+name+": use internal/ownfile")
			}
		}
	}
	return problems
}

// textNames are how a second shortener, sanitizer or tokenizer would begin.
var textNames = list("shorten", "truncat", "ellips", "sanitiz", "escape", "printable", "oneline", "tokeni", "splitwords", "shellwords")

// texts finds functions with such a name, unless they call internal/text or internal/shellwords.
func texts(p *pkg) (problems []string) {
	if p.within(append(list("internal/text", "internal/shellwords"), tools...)) {
		return nil
	}
	for _, f := range p.files {
		used := uses(f)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			begins := func(prefix string) bool { return strings.HasPrefix(strings.ToLower(fn.Name.Name), prefix) }
			if ok && slices.ContainsFunc(textNames, begins) && !wraps(fn, used) {
				problems = append(problems, p.at(fn)+": "+fn.Name.Name+": use internal/text or internal/shellwords")
			}
		}
	}
	return problems
}

// wraps reports whether a function calls internal/text or internal/shellwords.
func wraps(fn *ast.FuncDecl, used map[ast.Node]string) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		found = found || strings.HasPrefix(used[n], module+"/internal/text.") || strings.HasPrefix(used[n], module+"/internal/shellwords.")
		return !found
	})
	return found
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

func banned(p *pkg) (problems []string) {
	for _, f := range p.files {
		for n, name := range uses(f) {
			for _, b := range bans {
				if slices.Contains(b.names, name) && !p.within(b.dirs) && !excepted(p.dir, name) {
					problems = append(problems, fmt.Sprintf("%s: %s: %s", p.at(n), name, b.instead))
				}
			}
		}
	}
	return problems
}

func excepted(dir, name string) bool {
	for _, e := range exceptions {
		if e.dir == dir && e.name == name {
			return true
		}
	}
	return false
}

// uses returns every import, every name of another package, as "import/path.Name" whatever the import is called in this file, and
// the two built-ins that print.
func uses(f *ast.File) map[ast.Node]string {
	found := map[ast.Node]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			found[n] = importPath(n)
		case *ast.SelectorExpr:
			if imported := importOf(f, n.X); imported != "" {
				found[n] = imported + "." + n.Sel.Name
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Obj == nil && (id.Name == "print" || id.Name == "println") {
				found[n] = id.Name
			}
		}
		return true
	})
	return found
}

// importOf returns the path of the import that an expression names, if it does.
func importOf(f *ast.File, x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok || id.Obj != nil { // an object is something declared in this file
		return ""
	}
	for _, spec := range f.Imports {
		name := path.Base(importPath(spec))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == id.Name {
			return importPath(spec)
		}
	}
	return ""
}

func inits(p *pkg) (problems []string) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "init" && fn.Recv == nil {
				problems = append(problems, p.at(fn)+": func init")
			}
		}
	}
	return problems
}

// variables allows at package level only what is never changed and costs next to nothing to make:
//   - errors, and the other things made by makers;
//   - tables: composite literals without calls in them, function values and
//     conversions of literals apart;
//   - embedded files, and blank ones that assert an interface;
//   - in a program a string without a value: the linker's -X sets it.
//
// None may be assigned to or have its address taken, here or from elsewhere.
func variables(p *pkg) (problems []string) {
	specs := map[string]*ast.ValueSpec{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				problems = append(problems, p.variable(decl, spec)...)
				for _, name := range spec.Names {
					specs[name.Name] = spec
				}
			}
		}
	}
	for _, f := range p.files {
		problems = append(problems, p.changes(f, specs)...)
	}
	return problems
}

func (p *pkg) variable(decl *ast.GenDecl, spec *ast.ValueSpec) (problems []string) {
	for i, name := range spec.Names {
		if name.Name == "_" || embeds(decl.Doc) || embeds(spec.Doc) {
			continue
		}
		if len(spec.Values) == 0 && p.within(programs) && text(spec.Type) == "string" {
			continue
		}
		if i >= len(spec.Values) || !fixed(name.Name, spec.Values[i]) {
			problems = append(problems, fmt.Sprintf("%s: var %s may change, or is made at every start", p.at(spec), name.Name))
		}
	}
	return problems
}

func embeds(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

// fixed reports whether a variable with this first value can be taken for a constant.
func fixed(name string, value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		return !strings.HasPrefix(text(v.Type), "sync.") && !strings.HasPrefix(text(v.Type), "atomic.") && fixedParts(v)
	case *ast.CallExpr:
		return slices.Contains(makers, text(v.Fun)) || conversion(v)
	case *ast.SelectorExpr: // another package's error under our name
		return strings.HasPrefix(name, "Err")
	}
	return false
}

// fixedParts reports whether a composite literal is made without running code.
func fixedParts(lit *ast.CompositeLit) bool {
	ok := true
	ast.Inspect(lit, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // not run now
		case *ast.CallExpr:
			ok = ok && (conversion(n) || slices.Contains(makers, text(n.Fun)))
		}
		return ok
	})
	return ok
}

// conversion is of a literal to a slice, such as []byte("x").
func conversion(call *ast.CallExpr) bool {
	_, toSlice := call.Fun.(*ast.ArrayType)
	return toSlice && len(call.Args) == 1
}

// text is a name as written: f or pkg.F.
func text(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return text(x.X) + "." + x.Sel.Name
	}
	return ""
}

// changes finds assignments to package-level variables, and their addresses.
func (p *pkg) changes(f *ast.File, specs map[string]*ast.ValueSpec) (problems []string) {
	check := func(x ast.Expr, what string) {
		if name := global(f, x, specs); name != "" && !excepted(p.dir, name) {
			problems = append(problems, fmt.Sprintf("%s: %s %s", p.at(x), what, name))
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				check(x, "assigns to")
			}
		case *ast.IncDecStmt:
			check(n.X, "assigns to")
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				check(n.X, "takes the address of")
			}
		}
		return true
	})
	return problems
}

// global returns the name of the package-level variable that an expression is, or is a part of. A variable declared in another
// file of the package has no object here; a local one of the same name has another.
func global(f *ast.File, x ast.Expr, specs map[string]*ast.ValueSpec) string {
	switch x := x.(type) {
	case *ast.Ident:
		spec, ok := specs[x.Name]
		if ok && (x.Obj == nil || x.Obj.Decl == spec) {
			return x.Name
		}
	case *ast.SelectorExpr:
		if imported := importOf(f, x.X); imported != "" {
			return imported + "." + x.Sel.Name
		}
		return global(f, x.X, specs)
	case *ast.IndexExpr:
		return global(f, x.X, specs)
	case *ast.StarExpr:
		return global(f, x.X, specs)
	case *ast.ParenExpr:
		return global(f, x.X, specs)
	}
	return ""
}

func names(p *pkg) (problems []string) {
	if slices.Contains(vague, path.Base(p.dir)) || slices.Contains(vague, p.name) {
		problems = append(problems, p.dir+": the package's name is vague")
	}
	for file := range p.files {
		stem, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".go"), "_")
		if slices.Contains(vague, stem) {
			problems = append(problems, file+": the file's name is vague")
		}
	}
	return problems
}

func TestHookLinksNothingHeavy(t *testing.T) {
	short.Skip(t)
	// Read, so that a change of what we depend on is noticed.
	for _, file := range list("go.mod", "go.sum") {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, system := range list("linux", "darwin", "windows") {
		for _, pkg := range deps(t, system, "./cmd/cursor-ralph-hook") {
			if slices.Contains(heavy, pkg) {
				t.Errorf("on %s the hook links %s; find the importer with GOOS=%s go list -deps -f '{{.ImportPath}} {{.Imports}}' ./cmd/cursor-ralph-hook", system, pkg, system)
			}
		}
	}
}

// deps are all packages that a program links, itself among them.
func deps(t *testing.T, system, program string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", program)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v", system, err)
	}
	return strings.Fields(string(out))
}

// Each rule is shown to bite: a rule that finds nothing may be looking at nothing.
func TestHouseRulesBite(t *testing.T) {
	const doc = "// Package loop is a test.\npackage loop\n"
	for _, tt := range []struct{ rule, file, src string }{
		{"imports", "loop/x.go", doc + `import _ "` + module + `/hook"`},
		{"imports", "loop/x_windows.go", doc + `import _ "` + module + `/hook"`},
		{"imports", "loop/x.go", doc + `import _ "github.com/gofrs/flock"`},
		{"imports", "state/x.go", "package state\n" + `import _ "` + module + `/commands"`},
		{"imports", "internal/onevent/x.go", "package onevent\n" + `import _ "` + module + `/keystroke"`},
		{"imports", "commands/x.go", "package commands\n" + `import _ "` + module + `/internal/simcursor"`},
		{"imports", "platform/x.go", "package platform\nimport \"C\""},
		{"imports", "unheardof/x.go", "package unheardof\n"},
		{"banned", "loop/x.go", doc + "import \"os\"\nvar _ = os.Getenv"},
		{"banned", "loop/x.go", doc + "import o \"os\"\nfunc f() { o.Exit(1) }"},
		{"banned", "loop/x.go", doc + "import \"fmt\"\nfunc f() { fmt.Println() }"},
		{"banned", "loop/x.go", doc + "func f() { println() }"},
		{"banned", "loop/x.go", doc + "import _ \"flag\""},
		{"banned", "benchmark/x.go", "package benchmark\nimport _ \"flag\""},
		{"banned", "cmd/cursor-ralph/x.go", "package main\nimport \"os/exec\"\nvar _ = exec.Command"},
		{"banned", "internal/outer/acp/x.go", "package acp\nimport \"os/exec\"\nvar _ = exec.Command"},
		{"banned", "pending/x.go", "package pending\nimport \"syscall\"\nvar _ syscall.Stat_t"},
		{"banned", "state/x.go", "package state\nimport \"os\"\nvar _ = os.Rename"},
		{"inits", "loop/x.go", doc + "func init() {}"},
		{"variables", "loop/x.go", doc + "var x int"},
		{"variables", "loop/x.go", doc + "var x string"},
		{"variables", "cmd/cursor-ralph/x.go", "package main\nvar x string\nfunc f() { x = \"\" }"},
		{"variables", "loop/x.go", doc + "var now = time.Now"},
		{"variables", "loop/x.go", doc + "var x = map[string]int{\"a\": f()}"},
		{"variables", "loop/x.go", doc + "import \"sync\"\nvar mu = sync.Mutex{}"},
		{"variables", "loop/x.go", doc + "var x = []int{1}\nfunc f() { x[0] = 2 }"},
		{"variables", "loop/x.go", doc + "var x = []int{1}\nfunc f() *[]int { return &x }"},
		{"variables", "loop/x.go", doc + "import \"os\"\nfunc f() { os.Args = nil }"},
		{"finders", "cmd/cursor-ralph/x.go", "package main\nfunc f(e *env) { e.Loops.Box.List() }"},
		{"banned", "loop/x.go", doc + "import \"unicode\"\nvar _ = unicode.IsControl"},
		{"texts", "cmd/cursor-ralph/x.go", "package main\nfunc shortened(s string) string { return s[:9] }"},
		{"finders", "internal/cli/x.go", "package cli\nfunc f(e *Env) { e.Store.Filed(t) }"},
		{"files", "pending/x.go", "package pending\nimport \"os\"\nvar _ = os.ReadFile"},
		{"names", "loop/util.go", doc},
		{"names", "loop/types_windows.go", doc},
		{"names", "internal/helpers/x.go", "package helpers\n"},
	} {
		if got := problems(t, tt.file, tt.src)[tt.rule]; len(got) == 0 {
			t.Errorf("%s: %s: nothing found in:\n%s", tt.rule, tt.file, tt.src)
		}
	}
}

func problems(t *testing.T, file, src string) map[string][]string {
	t.Helper()
	pkgs, err := load(fstest.MapFS{file: {Data: []byte(src)}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for name, check := range rules {
		if p := check(pkgs[path.Dir(file)]); len(p) > 0 {
			found[name] = p
		}
	}
	return found
}

// ARCHITECTURE.md names files and folders; they move. Its tree has every room.
func TestArchitectureNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := inTree(string(text))
	for _, m := range regexp.MustCompile("`((?:cmd|internal|test|loop|state|pending|keystroke|extension)/[a-zA-Z0-9_./-]*)`").FindAllSubmatch(text, -1) {
		named = append(named, string(m[1]))
	}
	for _, name := range named {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("ARCHITECTURE.md: %v", err)
		}
	}
	for _, pattern := range list("*", "internal/*", "internal/cli/*", "cmd/*", "test/*") {
		rooms, err := filepath.Glob(pattern + "/*.go")
		if err != nil || len(rooms) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range rooms {
			if room := filepath.ToSlash(filepath.Dir(file)); !slices.Contains(named, room) {
				t.Errorf("ARCHITECTURE.md does not have %s", room)
				named = append(named, room)
			}
		}
	}
}

// inTree returns the folders of the tree: names before two spaces, by their indents.
func inTree(page string) (folders []string) {
	_, tree, _ := strings.Cut(page, "```\nloop/")
	tree, _, _ = strings.Cut("loop/"+tree, "```")
	above := [4]string{} // the folder above each depth
	for line := range strings.Lines(tree) {
		deep := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		names, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if deep+1 >= len(above) || !strings.HasSuffix(names, "/") {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			above[deep+1] = path.Join(above[deep], name)
			folders = append(folders, above[deep+1])
		}
	}
	return folders
}
