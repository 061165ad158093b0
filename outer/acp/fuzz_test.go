package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// FuzzLines asserts that whatever an agent prints, the connection gets only whole
// messages, in order, and everything else is kept as noise.
func FuzzLines(f *testing.F) {
	update := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}`
	f.Add([]byte(update + "\n" + `{"id":1,"result":{}}` + "\nhello\n" + `{"id":2,"method":"fs/read_text_file","params":{}}` + "\n"))
	f.Add([]byte("{\"method\":\"other\"}\r\n{\"method\":\"$/cancel_request\"}\n{\"id\":null,\"method\":\"session/update\"}\n{\"id\":3"))
	f.Add([]byte("\n\n[1]\nnull\n\"x\"\n\xff\n" + strings.Repeat(`{"id":1,"method":"m"}`+"\n", 300)))
	f.Fuzz(func(t *testing.T, printed []byte) {
		ready := make(chan struct{})
		close(ready)
		var noise bytes.Buffer
		told := 0
		l := &lines{from: bufio.NewReaderSize(bytes.NewReader(printed), 16), ready: ready, noise: &noise, onUpdate: func(json.RawMessage) { told++ }}
		got, err := io.ReadAll(l)
		if err != nil && !errors.Is(err, errTooMany) {
			t.Errorf("got %v", err)
		}
		rest, kept := printed, 0
		for line := range bytes.Lines(got) {
			i := bytes.Index(rest, line)
			if i < 0 || !json.Valid(line) {
				t.Fatalf("got %q, which was not printed", line)
			}
			rest, kept = rest[i+len(line):], kept+len(line)
		}
		if kept+noise.Len() > len(printed) || told > bytes.Count(printed, []byte("session/update"))+bytes.Count(printed, []byte(`\`)) {
			t.Errorf("got %d bytes and %d of noise out of %d, %d updates", kept, noise.Len(), len(printed), told)
		}
		for line := range bytes.Lines(printed) {
			if !json.Valid(line) && err == nil && !bytes.Contains(noise.Bytes(), line) {
				t.Errorf("%q is lost", line)
			}
		}
	})
}

// FuzzUpdate asserts that whatever an agent reports, the journal can store and the
// display can show it, and that PolicyEdits allows nothing that runs a command or
// reaches outside the workspace.
func FuzzUpdate(f *testing.F) {
	for _, update := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a \u0000 <promise>COMPLETE</promise>"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit a","kind":"edit","status":"completed","locations":[{"path":"../../etc/passwd"}],"content":[{"type":"diff","path":"a.go"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"2","title":"rm","kind":"execute","status":"failed","rawInput":{"command":["bash","-lc","rm -rf /"]},"rawOutput":{"exit_code":1,"stderr":"Exit code 1\nno"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"3","kind":"read","rawInput":{"path":"file:///etc/passwd"}}`, `{"sessionUpdate":"plan","entries":[{"content":"x","status":"completed"}]}`,
		`{"sessionUpdate":"agent_thought_chunk","content":[]}`, `{"sessionUpdate":7}`, `{"kind":"edit","rawInput":{"a/b":{"file_path":".git/hooks/x"}}}`, `{"kind":"search"}`, `{"kind":"search","rawInput":{"glob":"{/etc/*,x}","root":[["/"]],"from":{"..":1}}}`, `{"kind":"move","rawInput":{"from":"a","to":"/tmp/x"}}`, `{"kind":"move","locations":[{"path":"a"},{"path":"~/x"}]}`,
	} {
		f.Add(update)
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, update string) {
		x := quiet(t, Config{Dir: dir, Policy: outer.PolicyEdits}, false, func(s outer.Seen) { kept(t, s.Record) })
		for range 2 {
			x.onUpdate(json.RawMessage(`{"sessionId":"s","update":` + update + `}`))
		}
		answer, err := x.requestPermission(t.Context(), json.RawMessage(`{"toolCall":`+update+`,"options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}`))
		var c toolCall
		if err != nil || toolcall.Decode([]byte(update), &c) != nil {
			return
		}
		chosen := answer.(sdk.RequestPermissionResponse).Outcome.Selected
		if chosen == nil {
			t.Fatal("got no answer")
		}
		if chosen.OptionId != "yes" {
			return
		}
		for _, p := range c.paths() {
			if rel, err := filepath.Rel(dir, x.a.ws.absolute(p)); err != nil || !filepath.IsLocal(rel) || writes(c.kind()) && hasExecutedName(rel) {
				t.Errorf("%q: got a yes for %q", update, p)
			}
		}
		if c.inputCommand() != "" || c.kind() == "execute" || c.kind() == "fetch" || writes(c.kind()) && len(c.paths()) == 0 && c.ID == "" {
			t.Errorf("%q: got a yes", update)
		}
	})
}

// kept checks that the journal can hold a record.
func kept(t *testing.T, r loop.Record) {
	switch {
	case r.Kind == "":
	case !utf8.ValidString(r.Text) || len(r.Text) > 2<<20, !utf8.ValidString(r.ID), len(r.ID) > 600, len(r.Error) > 600, strings.Contains(r.Error, "\n"):
		t.Errorf("got %+v", r)
	case r.Kind == loop.RecordTool && (r.Tool == "" || len(r.Tool) > 64):
		t.Errorf("got the tool call %+v", r)
	case r.File != "" && !filepath.IsAbs(r.File):
		t.Errorf("got the file %q", r.File)
	}
	if _, err := r.Line(); err != nil {
		t.Error(err)
	}
}

// FuzzPath asserts that a path which counts as inside the workspace is inside it.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"a", "a/../b", "../x", "/etc/passwd", "file:///etc/passwd", "file://%2e%2e/x", "~/x", "DIR/a", "DIR/../x", "DIRx", "http://a", ".git/config", "a/.GIT/x", "\x00", "", "//", "./.", "a//b"} {
		f.Add(path)
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	ws, err := openWorkspace(dir)
	if err != nil {
		f.Fatal(err)
	}
	defer ws.close()
	f.Fuzz(func(t *testing.T, path string) {
		path = strings.ReplaceAll(path, "DIR", dir)
		for _, rel := range both(ws, path) {
			if !filepath.IsLocal(rel) || rel != filepath.Clean(rel) {
				t.Errorf("%q: got %q", path, rel)
			}
		}
		if rel, err := ws.relative(path); err == nil {
			if again, err := ws.relative(filepath.Join(dir, rel)); err != nil || again != rel {
				t.Errorf("%q: got %q and then %q, %v", path, rel, again, err)
			}
			if !ws.isExecuted(path) && strings.EqualFold(strings.Split(filepath.ToSlash(rel), "/")[0], ".git") {
				t.Errorf("%q may be written", path)
			}
		}
		if got := ws.absolute(path); got != "" && !filepath.IsAbs(got) {
			t.Errorf("%q: got %q", path, got)
		}
	})
}

// both returns the results with and without following links.
func both(ws *workspace, path string) (all []string) {
	for _, find := range []func(string) (string, error){ws.relative, ws.resolve} {
		if rel, err := find(path); err == nil {
			all = append(all, rel)
		}
	}
	return all
}
