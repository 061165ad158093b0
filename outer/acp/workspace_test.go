package acp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

func TestFilesThatAreRead(t *testing.T) {
	dir := scene(t)
	write(t, filepath.Join(dir, "large"), strings.Repeat("x", maxRead)+"\nlast\n")
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyEdits}, false, func(outer.Seen) {})
	for _, tt := range []struct {
		path        string
		line, limit int
		want, err   string
	}{
		{"a.go", -1, -1, "one\ntwo\nthree\n", ""},
		{"DIR/a.go", 2, -1, "two\nthree\n", ""},
		{"DIR/a.go", 2, 1, "two\n", ""},
		{"DIR/a.go", 0, 2, "one\ntwo\n", ""},
		{"DIR/a.go", 9, 1, "", ""},
		{"DIR/in", -1, -1, "one\ntwo\nthree\n", ""},
		{"file://DIR/a.go", 3, -1, "three\n", ""},
		{"DIR/large", 2, -1, "last\n", ""},
		{"DIR/large", 1, 1, "", "more than 4 MiB"},
		{"DIR/none", -1, -1, "", "none"},
		{"DIR/.git", -1, -1, "", ".git"},
		{"DIR/out/secret", -1, -1, "", "does not permit"},
		{"DIR/../outside/secret", -1, -1, "", "does not permit"},
		{"../outside/secret", -1, -1, "", "does not permit"},
		{"file://localhostDIR/a.go", 3, -1, "three\n", ""},
		{"file:DIR/a.go", -1, -1, "", "does not permit"},
		{"file://other/DIR/a.go", -1, -1, "", "does not permit"},
		{"/etc/passwd", -1, -1, "", "does not permit"},
		{"DIRECTORY/a.go", -1, -1, "", "does not permit"},
		{"", -1, -1, "", "does not permit"},
	} {
		p := sdk.ReadTextFileRequest{Path: strings.ReplaceAll(tt.path, "DIR", dir)}
		if tt.line >= 0 {
			p.Line = &tt.line
		}
		if tt.limit >= 0 {
			p.Limit = &tt.limit
		}
		got, err := x.readFile(t.Context(), p)
		answer, _ := got.(sdk.ReadTextFileResponse)
		if text := answer.Content; text != tt.want || !strings.Contains(said(err), tt.err) || (err != nil) != (tt.err != "") {
			t.Errorf("%s from %d, %d lines: got %.50q, %v; want %q, %q", tt.path, tt.line, tt.limit, text, err, tt.want, tt.err)
		}
	}
}

// No policy allows reading a file outside the workspace.
func TestReadingNeedsAPermission(t *testing.T) {
	for _, tt := range []struct {
		path    string
		policy  outer.Policy
		guarded bool
		yes     bool // of the user
		want    bool
	}{
		{"a.go", "", false, true, false},
		{"a.go", outer.PolicyNone, false, true, false},
		{"a.go", outer.PolicyNone, true, true, false},
		{"a.go", outer.PolicyEdits, false, false, true},
		{"a.go", outer.PolicyEdits, true, false, true},
		{"a.go", outer.PolicyAsk, false, false, false},
		{"a.go", outer.PolicyAsk, false, true, true},
		{"a.go", outer.PolicyAll, false, false, true},
		{"out/secret", outer.PolicyAsk, false, true, false},
		{"out/secret", outer.PolicyAll, false, false, false},
		{"/etc/passwd", outer.PolicyAll, false, false, false},
	} {
		x := quiet(t, Config{Dir: scene(t), Policy: tt.policy, Ask: func(context.Context, Request) Answer { return map[bool]Answer{true: Yes}[tt.yes] }}, tt.guarded, func(outer.Seen) {})
		if _, err := x.readFile(t.Context(), sdk.ReadTextFileRequest{Path: tt.path}); (err == nil) != tt.want {
			t.Errorf("%s under %q, guarded %v, a user who says %v: got %v, want it read: %v", tt.path, tt.policy, tt.guarded, tt.yes, err, tt.want)
		}
	}
}

func TestFilesThatAreWritten(t *testing.T) {
	for _, tt := range []struct {
		path    string
		policy  outer.Policy
		guarded bool
		want    bool
	}{
		{"DIR/a.go", outer.PolicyEdits, false, true},
		{"b.go", outer.PolicyEdits, false, true},
		{"DIR/new/deep/b.go", outer.PolicyAll, false, true},
		{"DIR/in", outer.PolicyEdits, false, true},
		{"DIR/a.go", outer.PolicyNone, false, false},
		{"DIR/a.go", outer.PolicyAsk, false, false}, // nobody is there
		{"DIR/out/secret", outer.PolicyAll, false, false},
		{"DIR/nowhere", outer.PolicyAll, false, false},
		{"DIR/../outside/secret", outer.PolicyAll, false, false},
		{"DIR/.cursor", outer.PolicyAll, false, false},
		{"DIR/.git/config", outer.PolicyEdits, false, false},
		{"DIR/.git/config", outer.PolicyAll, false, true},
		{"DIR/sub/.husky/pre-commit", outer.PolicyEdits, false, false},
		{"DIR/husky/pre-commit", outer.PolicyEdits, false, false}, // .husky is a link to it
		{"DIR/.cursor/plans/p.md", outer.PolicyEdits, false, false},
		{"DIR/.cursor/plans/p.md", outer.PolicyEdits, true, true},
		{"DIR/a.go", outer.PolicyAll, true, false},
		{"DIR/.cursor/plans/p.md", outer.PolicyAll, true, true},
		{"DIR/.cursor/plans/p.md", outer.PolicyNone, true, false},
		{"DIR/.cursor/plans/code.md", outer.PolicyAll, true, false},
	} {
		dir := scene(t)
		x := quiet(t, Config{Dir: dir, Policy: tt.policy}, tt.guarded, func(outer.Seen) {})
		path := strings.ReplaceAll(tt.path, "DIR", dir)
		_, err := x.writeFile(t.Context(), sdk.WriteTextFileRequest{Path: path, Content: "new"})
		if (err == nil) != tt.want {
			t.Errorf("%s under %s, guarded %v: got %v, want it written: %v", tt.path, tt.policy, tt.guarded, err, tt.want)
		}
		got, _ := os.ReadFile(x.a.ws.absolute(path))
		if (string(got) == "new") != tt.want {
			t.Errorf("%s under %s: got %q, want it written: %v", tt.path, tt.policy, got, tt.want)
		}
		if secret, err := os.ReadFile(filepath.Join(dir, "../outside/secret")); err != nil || string(secret) != "secret" {
			t.Errorf("%s: the secret is %q, %v", tt.path, secret, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "../outside/new")); err == nil {
			t.Errorf("%s: there is a new file outside", tt.path)
		}
	}
}

func TestAFileKeepsItsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // has no such mode
	}
	dir := scene(t)
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyEdits}, false, func(outer.Seen) {})
	if err := os.Chmod(filepath.Join(dir, "a.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := x.writeFile(t.Context(), sdk.WriteTextFileRequest{Path: "a.go", Content: "x"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "a.go"))
	if err != nil || info.Mode() != 0o755 || info.Size() != 1 {
		t.Errorf("got %v, %v, want its mode and one byte", info, err)
	}
}

func TestNoWriteAfterTheTurn(t *testing.T) {
	dir := scene(t)
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyAll}, false, func(outer.Seen) {})
	x.a.turn.Store(x)
	if _, missing := x.a.serve(t.Context(), sdk.ClientMethodFsReadTextFile, []byte(`{"path":"none"}`)); missing == nil || missing.Code != -32002 {
		t.Errorf("got %v for a file that is not there, want that it is not found", missing)
	}
	x.a.turn.Store(nil)
	x.end(false)
	_, err := x.writeFile(x.ctx, sdk.WriteTextFileRequest{Path: "a.go", Content: "x"})
	if err == nil {
		t.Error("it was written")
	}
	if _, refused := x.a.serve(t.Context(), sdk.ClientMethodFsReadTextFile, []byte(`{"path":"a.go"}`)); refused == nil {
		t.Error("between turns it is read")
	}
	if _, refused := x.a.serve(t.Context(), "elicitation/create", nil); refused == nil || refused.Code != -32601 {
		t.Errorf("got %v, want that the method is not known", refused)
	}
}

func TestAWorkspaceBehindALink(t *testing.T) {
	dir := scene(t)
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	ws, err := openWorkspace(link)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{link + "/a.go": true, dir + "/a.go": true, link + "/out/x": false, filepath.Dir(dir): false} {
		if got := ws.contains(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if err := errors.Join(ws.close()); err != nil {
		t.Error(err)
	}
}
