// Package cursorralph_test keeps the rules of the house: who may import whom,
// what the hook may link, and what only programs may do. A rule lives in a
// table here, not in prose; whoever changes one changes the table in the same
// commit.
//
// The files are read, not asked for from a tool, so that go test sees when a
// cached result no longer holds.
package cursorralph_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/cursor-ralph/cursor-ralph"

// row says what a package may import beside the standard library.
type row struct {
	dir    string
	ours   []string // packages of this module
	theirs []string // modules of others
}

// rows has every package there is or will be: one that is not here fails.
// Tests may import what they like.
var rows = []row{
	// The library. The first three know nothing of ours.
	{dir: "loop"},
	{dir: "hook"},
	{dir: "platform", theirs: list("golang.org/x/sys")},
	{dir: "pending", ours: list("loop", "platform", "internal/ownfile")},
	{dir: "state", ours: list("loop", "platform", "internal/ownfile")},
	{dir: "keystroke", ours: list("platform"), theirs: list("github.com/jezek/xgb", "golang.org/x/sys")},
	{dir: "commands", theirs: list("github.com/tailscale/hujson", "golang.org/x/sys")},

	// The outer loop: what an agent is talked to with is a driver, below it.
	{dir: "outer", ours: list("loop", "state", "internal/ownfile", "internal/owncall", "internal/worktree")},
	{dir: "outer/acp", ours: list("loop", "outer", "internal/tend"), theirs: list("github.com/coder/acp-go-sdk")},
	{dir: "outer/printmode", ours: list("loop", "outer", "internal/tend", "internal/gate"), theirs: list("github.com/kballard/go-shellquote")},

	{dir: "internal/ownfile", theirs: list("github.com/gofrs/flock", "golang.org/x/sys")},
	// Runs a user's command, and what it leaves behind; the hook has cursor-ralph do that.
	{dir: "internal/gate", theirs: list("golang.org/x/sys")},
	// A program that does not outlive us, nor do its children.
	{dir: "internal/tend", ours: list("internal/gate"), theirs: list("golang.org/x/sys")},
	// The user's defaults.
	{dir: "internal/config", ours: list("loop"), theirs: list("github.com/pelletier/go-toml/v2")},
	// The panel of cursor-ralph watch: shows what it is given, and does what it is told by functions.
	{dir: "internal/panel", ours: list("loop"), theirs: list("charm.land/bubbletea", "charm.land/bubbles", "charm.land/lipgloss", "github.com/charmbracelet/x", "github.com/fsnotify/fsnotify")},
	{dir: "internal/owncall"},
	{dir: "internal/hooklog", ours: list("internal/ownfile")},
	{dir: "internal/worktree", ours: list("loop"), theirs: list("golang.org/x/sys")},
	// Plays the editor, so it knows nothing of ours. For tests and the demo only.
	{dir: "internal/simcursor"},
	// Real windows: an X server, sway, Chromium with a chat page. For tests and the lab only.
	{dir: "internal/testdesk", theirs: list("github.com/jezek/xgb")},
	// A model that says what a script says, for real agents. For tests only.
	{dir: "internal/modelserver"},
	{dir: "internal/sources"},
	// Tests alone: real agents from their registries, in the outer loop.
	{dir: "internal/agents"},
	// Tests alone: the claim and continue protocol, explored state by state.
	{dir: "internal/model"},
	// Tests alone: the binaries under the simulated Cursor.
	{dir: "internal/e2e"},
	// Tests alone: those who mean harm.
	{dir: "internal/hostile"},
	// Tests alone: what README and docs tell a reader to run.
	{dir: "internal/docs"},

	// The programs. The hook runs at every event of every chat: see linked, below.
	{dir: "cmd/cursor-ralph-hook",
		ours:   list("hook", "loop", "pending", "state", "platform", "internal/ownfile", "internal/owncall", "internal/hooklog", "internal/worktree"),
		theirs: list("golang.org/x/sys")},
	{dir: "cmd/cursor-ralph",
		ours: list("hook", "loop", "pending", "state", "platform", "keystroke", "commands", "outer", "outer/acp", "outer/printmode",
			"internal/ownfile", "internal/hooklog", "internal/worktree", "internal/gate", "internal/simcursor",
			"internal/tend", "internal/config", "internal/panel"),
		theirs: list("github.com/spf13/pflag", "github.com/kballard/go-shellquote", "charm.land/bubbletea", "github.com/charmbracelet/x/term", "github.com/gen2brain/beeep", "golang.org/x/sys", "go.yaml.in/yaml")},
	{dir: "cmd/cursor-ralph-robotgo", theirs: list("github.com/go-vgo/robotgo")},

	// Tools of the project itself.
	{dir: "bench", theirs: list("golang.org/x/sys")},
	{dir: "bench/floor"},
	{dir: "bench/peak"},
	{dir: "bench/typing", ours: list("internal/testdesk")},
	{dir: "bench/watch"},
	{dir: "chaos/faults", ours: list("loop", "state", "platform")},
	{dir: "chaos/load", ours: list("internal/simcursor"), theirs: list("github.com/gofrs/flock")},
	{dir: "scripts/record"},
	{dir: "scripts/sbom", theirs: list("github.com/CycloneDX/cyclonedx-go")},
	{dir: "scripts/testreport"},
}

// linked is all that the hook links, itself or through others, beside our own
// packages and what bench/floor links: the least that a Go program can do as a
// hook. Each package makes every event of every chat a little slower, so a new
// one needs a reason here. Where it is there on some systems only, they are told.
var linked = []struct{ pkg, systems, why string }{
	{"context", "", "deadlines"},
	{"encoding/binary", "linux windows", "through golang.org/x/sys"},
	{"encoding/hex", "", "internal/worktree, fingerprints"},
	{"flag", "", "what hooks.json tells the hook"},
	{"github.com/gofrs/flock", "", "locks"},
	{"golang.org/x/sys/unix", "linux darwin", "standard input with a deadline; through flock"},
	{"golang.org/x/sys/windows", "windows", "owners of files; through flock"},
	{"hash", "", "through hash/fnv"},
	{"hash/fnv", "", "state, the lock of a loop; platform, the name of a workspace's file"},
	{"maps", "", "internal/worktree and loop, things in order"},
	{"net", "windows", "through golang.org/x/sys/windows"},
	{"net/netip", "windows", "through net"},
	{"path/filepath", "", "paths"},
	{"sort", "linux darwin", "through golang.org/x/sys/unix"},
	{"unique", "windows", "through net/netip"},
	{"weak", "windows", "through unique"},
}

// programs are where packages main live: only they print, exit, read flags and
// the environment. A library takes such things as arguments.
var programs = list("cmd", "bench", "chaos", "scripts")

// ofPrograms is what a library must not name. os.TempDir and its like read the
// environment too; package platform is told it, and tells the places.
var ofPrograms = map[string][]string{
	"os": list("Exit", "Args", "Stdin", "Stdout", "Stderr",
		"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv",
		"UserHomeDir", "UserConfigDir", "UserCacheDir", "TempDir", "Chdir"),
	"syscall": list("Exit", "Getenv", "Environ", "Setenv"),
	"fmt":     list("Print", "Printf", "Println", "Scan", "Scanf", "Scanln"),
}

// importedByPrograms are whole packages of that kind.
var importedByPrograms = list("flag", "log", "github.com/spf13/pflag")

// exceptions to ofPrograms and to what may be assigned to, each with its reason.
var exceptions = []struct{ dir, name, why string }{
	{"cmd/cursor-ralph", "github.com/gen2brain/beeep.AppName", "is how that library is told whose notifications it shows"},
	{"platform", "os.TempDir", "is where Windows's temporary folder is asked for"},
	{"internal/simcursor", "os.Environ", "stands for the editor, which hands its environment to hooks"},
}

// cgo is allowed here and nowhere else: a crash in C cannot be caught.
var cgo = list("cmd/cursor-ralph-robotgo")

// vague names say nothing; a file or package is named after the thing in it.
var vague = list("util", "utils", "common", "helper", "helpers", "types", "misc", "base", "shared")

// makers return what nobody can change afterwards, so a package-level variable
// may be made by them.
var makers = list("errors.New", "fmt.Errorf", "regexp.MustCompile", "strings.NewReplacer")

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
		slices.Contains(list("testdata", "vendor", "bin", "dist"), dir)
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

// at tells the place of a node.
func (p *pkg) at(n ast.Node) string {
	pos := p.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
}

func (p *pkg) isProgram() bool {
	return slices.ContainsFunc(programs, func(dir string) bool {
		return p.dir == dir || strings.HasPrefix(p.dir, dir+"/")
	})
}

// rule looks at one package and says what is wrong with it.
type rule struct {
	name  string
	check func(*pkg) []string
}

var rules = []rule{
	{"a package imports what its row allows", imports},
	{"only programs print, exit, read flags and the environment", process},
	{"only main exits", exits},
	{"nothing runs before main", inits},
	{"no package keeps state", variables},
	{"an exported name has a comment that begins with it", comments},
	{"a package has a comment", packageComment},
	{"a name says what is in it", names},
}

func TestHouse(t *testing.T) {
	pkgs, err := load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, dir := range slices.Sorted(maps.Keys(pkgs)) {
				for _, problem := range r.check(pkgs[dir]) {
					t.Error(problem)
				}
			}
		})
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

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// process finds what only programs may use.
func process(p *pkg) (problems []string) {
	if p.isProgram() {
		return nil
	}
	for _, f := range p.files {
		for _, spec := range f.Imports {
			if slices.Contains(importedByPrograms, importPath(spec)) {
				problems = append(problems, fmt.Sprintf("%s: a library imports %s", p.at(spec), importPath(spec)))
			}
		}
		for n, name := range uses(f) {
			if ofProgram(name) && !excepted(p.dir, name) {
				problems = append(problems, fmt.Sprintf("%s: a library uses %s", p.at(n), name))
			}
		}
	}
	return problems
}

func ofProgram(name string) bool {
	if name == "print" || name == "println" {
		return true
	}
	i := strings.LastIndex(name, ".")
	return i > 0 && slices.Contains(ofPrograms[name[:i]], name[i+1:])
}

func excepted(dir, name string) bool {
	for _, e := range exceptions {
		if e.dir == dir && e.name == name {
			return true
		}
	}
	return false
}

// uses yields every name of another package, as "import/path.Name" and whatever
// the import is called in this file, and the two built-ins that print.
func uses(f *ast.File) map[ast.Node]string {
	found := map[ast.Node]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
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

// importOf gives the path of the import that an expression names, if it does.
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

// exits finds os.Exit in a function other than main: deferred calls of its
// callers would not run, and no test could call it.
func exits(p *pkg) (problems []string) {
	for _, f := range p.files {
		in := map[ast.Node]bool{}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "main" && fn.Recv == nil {
				ast.Inspect(fn, func(n ast.Node) bool { in[n] = true; return true })
			}
		}
		for n, name := range uses(f) {
			if (name == "os.Exit" || strings.HasPrefix(name, "log.Fatal")) && !in[n] {
				problems = append(problems, p.at(n)+": "+name+" outside main")
			}
		}
	}
	return problems
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

// variables allows at package level only what is never changed and costs next
// to nothing to make:
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
		if len(spec.Values) == 0 && p.isProgram() && text(spec.Type) == "string" {
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

// fixed tells whether a variable with this first value can be taken for a constant.
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

// fixedParts tells whether a composite literal is made without running code.
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

// global gives the name of the package-level variable that an expression is, or
// is a part of. A variable declared in another file of the package has no
// object here; a local one of the same name has another.
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

// comments wants a sentence for every exported name of a library. In a group a
// comment above the whole, or beside the name, will do.
func comments(p *pkg) (problems []string) {
	if p.name == "main" {
		return nil
	}
	for _, f := range p.files {
		for _, d := range f.Decls {
			for name, doc := range exported(d) {
				if !begins(doc.Text(), name.Name) {
					problems = append(problems, fmt.Sprintf("%s: %s: its comment does not begin with the name", p.at(name), name.Name))
				}
			}
		}
	}
	return problems
}

// exported gives what needs a comment of a declaration, with the comment it has.
func exported(d ast.Decl) map[*ast.Ident]*ast.CommentGroup {
	found := map[*ast.Ident]*ast.CommentGroup{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			found[d.Name] = d.Doc
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					found[s.Name] = first(s.Doc, d.Doc)
				}
			case *ast.ValueSpec:
				grouped := d.Lparen.IsValid() && s.Doc == nil && (d.Doc != nil || s.Comment != nil)
				if s.Names[0].IsExported() && !grouped {
					found[s.Names[0]] = first(s.Doc, d.Doc)
				}
			}
		}
	}
	return found
}

func first(a, b *ast.CommentGroup) *ast.CommentGroup {
	if a != nil {
		return a
	}
	return b
}

func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

func begins(doc, name string) bool {
	for _, article := range list("", "A ", "An ", "The ") {
		rest, ok := strings.CutPrefix(doc, article+name)
		if ok && strings.TrimLeft(rest, " \n,:.'’") != rest {
			return true
		}
	}
	return false
}

func packageComment(p *pkg) []string {
	var docs []string
	for _, f := range p.files {
		if f.Doc != nil {
			docs = append(docs, f.Doc.Text())
		}
	}
	switch {
	case len(docs) != 1:
		return list(fmt.Sprintf("%s: %d package comments, want one", p.dir, len(docs)))
	case p.name != "main" && !strings.HasPrefix(docs[0], "Package "+p.name+" "):
		return list(fmt.Sprintf("%s: its package comment does not begin with Package %s", p.dir, p.name))
	}
	return nil
}

func names(p *pkg) (problems []string) {
	if slices.Contains(vague, path.Base(p.dir)) || slices.Contains(vague, p.name) {
		problems = append(problems, p.dir+": the package's name says nothing")
	}
	for file := range p.files {
		stem, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".go"), "_")
		if slices.Contains(vague, stem) {
			problems = append(problems, file+": the file's name says nothing")
		}
	}
	return problems
}

// The hook must stay small: the go command tells all that it links, on every
// system that it runs on. A package that it no longer links is taken off the list.
func TestHookLinksLittle(t *testing.T) {
	// Read, so that a change of what we depend on is noticed.
	for _, file := range list("go.mod", "go.sum", "bench/floor/main.go") {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, system := range list("linux", "darwin", "windows") {
		const hook = "./cmd/cursor-ralph-hook"
		floor, want := deps(t, system, "./bench/floor"), ours("cmd/cursor-ralph-hook")
		for _, l := range linked {
			if l.systems == "" || slices.Contains(strings.Fields(l.systems), system) {
				want = append(want, l.pkg)
			}
		}
		got := slices.DeleteFunc(deps(t, system, hook), func(pkg string) bool { return slices.Contains(floor, pkg) || ofGo(pkg) })
		for _, pkg := range got {
			if !slices.Contains(want, pkg) {
				t.Errorf("on %s the hook links %s, which is not in the table linked; who imports it: GOOS=%s go list -deps -f '{{.ImportPath}} {{.Imports}}' %s",
					system, pkg, system, hook)
			}
		}
		for _, pkg := range want {
			if !slices.Contains(got, pkg) {
				t.Errorf("on %s the hook does not link %s: take it out of the table, or name its systems", system, pkg)
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

// ours are a package of this module and those that its row lets it import.
func ours(dir string) (pkgs []string) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.dir == dir })
	for _, name := range append(list(dir), rows[i].ours...) {
		pkgs = append(pkgs, module+"/"+name)
	}
	return pkgs
}

// ofGo tells whether a package is the standard library's own: another version of
// Go has others.
func ofGo(pkg string) bool {
	return strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "vendor/") || strings.Contains(pkg, "/internal/") && !strings.Contains(pkg, ".")
}

// Each rule is shown to bite: a rule that finds nothing may be looking at nothing.
func TestHouseRulesBite(t *testing.T) {
	const doc = "// Package loop is a test.\npackage loop\n"
	for _, tt := range []struct{ rule, file, src string }{
		{"imports", "loop/x.go", doc + `import _ "` + module + `/hook"`},
		{"imports", "loop/x_windows.go", doc + `import _ "` + module + `/hook"`},
		{"imports", "loop/x.go", doc + `import _ "github.com/gofrs/flock"`},
		{"imports", "state/x.go", "package state\n" + `import _ "` + module + `/commands"`},
		{"imports", "cmd/cursor-ralph-hook/x.go", "package main\n" + `import _ "` + module + `/keystroke"`},
		{"imports", "commands/x.go", "package commands\n" + `import _ "` + module + `/internal/simcursor"`},
		{"imports", "platform/x.go", "package platform\nimport \"C\""},
		{"imports", "unheardof/x.go", "package unheardof\n"},
		{"process", "loop/x.go", doc + "import \"os\"\nvar _ = os.Getenv"},
		{"process", "loop/x.go", doc + "import o \"os\"\nfunc f() { o.Exit(1) }"},
		{"process", "loop/x.go", doc + "import \"fmt\"\nfunc f() { fmt.Println() }"},
		{"process", "loop/x.go", doc + "func f() { println() }"},
		{"process", "loop/x.go", doc + "import _ \"flag\""},
		{"process", "benchmark/x.go", "package benchmark\nimport _ \"flag\""},
		{"exits", "cmd/cursor-ralph/x.go", "package main\nimport \"os\"\nfunc f() { os.Exit(1) }"},
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
		{"comments", "loop/x.go", doc + "func F() {}"},
		{"comments", "loop/x.go", doc + "// Gives f.\nfunc F() {}"},
		{"comments", "loop/x.go", doc + "// Fast is f.\nfunc F() {}"},
		{"comments", "loop/x.go", doc + "// T is t.\ntype T struct{}\nfunc (t *T) M() {}"},
		{"comments", "loop/x.go", doc + "const (\n\tA = 1\n)"},
		{"packageComment", "loop/x.go", "package loop\n"},
		{"packageComment", "loop/x.go", "// Loops.\npackage loop\n"},
		{"names", "loop/util.go", doc},
		{"names", "loop/types_windows.go", doc},
		{"names", "internal/helpers/x.go", "package helpers\n"},
	} {
		if got := problems(t, tt.file, tt.src)[tt.rule]; len(got) == 0 {
			t.Errorf("%s: %s: nothing found in:\n%s", tt.rule, tt.file, tt.src)
		}
	}
}

// And what is in order is left in peace.
func TestHouseRulesLeaveGoodCodeAlone(t *testing.T) {
	const src = `// Package loop is a test.
package loop

import (
	"embed"
	"errors"
	"fmt"
	"io"
)

// ErrOld is old.
var ErrOld = errors.New("old")

//go:embed x
var files embed.FS

var _ io.Reader = (*T)(nil)

// The kinds.
const (
	A = "a"
	B = "b"
)

var table = []struct{ name string; run func(io.Writer) }{{"a", a}, {"b", func(w io.Writer) { fmt.Fprint(w) }}}

// A T is t.
type T struct{ x int }

// Read reads.
func (t *T) Read([]byte) (int, error) {
	table := t.x
	table++
	t.x = table
	return 0, ErrOld
}

func a(io.Writer) {}
`
	for rule, found := range problems(t, "loop/x.go", src) {
		t.Errorf("%s: %s", rule, found)
	}
}

func problems(t *testing.T, file, src string) map[string][]string {
	t.Helper()
	pkgs, err := load(fstest.MapFS{file: {Data: []byte(src)}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for name, check := range map[string]func(*pkg) []string{
		"imports": imports, "process": process, "exits": exits, "inits": inits,
		"variables": variables, "comments": comments, "packageComment": packageComment, "names": names,
	} {
		if p := check(pkgs[path.Dir(file)]); len(p) > 0 {
			found[name] = p
		}
	}
	return found
}
