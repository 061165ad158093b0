//go:build unix

package simcursor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func TestHooksFileIsDropped(t *testing.T) {
	stop := func(members string) string {
		return `{"version":1,"hooks":{"stop":[{"command":"true"` + members + `}]}}`
	}
	for name, tt := range map[string]struct {
		file   string
		reason string // "" loads
	}{
		"plain":                           {stop(""), ""},
		"unknown keys are harmless":       {`{"version":1,"x":{},"hooks":{"stop":[{"command":"true","x":1}]}}`, ""},
		"comments":                        {"// a\n{/* b\n */\"version\":1,\"hooks\":{} // c\n}", ""},
		"version as JavaScript sees it":   {`{"version":1.0,"hooks":{}}`, ""},
		"a newer version":                 {`{"version":2,"hooks":{}}`, ""},
		"loop_limit null":                 {stop(`,"loop_limit":null`), ""},
		"loop_limit 1":                    {stop(`,"loop_limit":1`), ""},
		"prompt entry":                    {`{"version":1,"hooks":{"stop":[{"type":"prompt","prompt":"p"}]}}`, ""},
		"empty":                           {``, "not JSON"},
		"not an object":                   {`[]`, "not a JSON object"},
		"no version":                      {`{"hooks":{}}`, "version is missing"},
		"version in another case":         {`{"Version":1,"hooks":{}}`, "version is missing"},
		"version 0":                       {`{"version":0,"hooks":{}}`, "version is not"},
		"version a fraction":              {`{"version":1.5,"hooks":{}}`, "version is not"},
		"version a string":                {`{"version":"1","hooks":{}}`, "version is not"},
		"version null":                    {`{"version":null,"hooks":{}}`, "version is not"},
		"no hooks":                        {`{"version":1}`, "hooks is missing"},
		"hooks an array":                  {`{"version":1,"hooks":[]}`, "hooks is not an object"},
		"unknown event":                   {`{"version":1,"hooks":{"stop":[],"onStop":[]}}`, `unknown event "onStop"`},
		"event in another case":           {`{"version":1,"hooks":{"Stop":[]}}`, `unknown event "Stop"`},
		"event not an array":              {`{"version":1,"hooks":{"stop":{}}}`, "stop is not an array"},
		"entry not an object":             {`{"version":1,"hooks":{"stop":["true"]}}`, "stop[0]: not a JSON object"},
		"no command":                      {`{"version":1,"hooks":{"stop":[{}]}}`, "command is missing"},
		"loop_limit 0":                    {stop(`,"loop_limit":0`), "loop_limit"},
		"loop_limit negative":             {stop(`,"loop_limit":-1`), "loop_limit"},
		"loop_limit a fraction":           {stop(`,"loop_limit":2.5`), "loop_limit"},
		"loop_limit a string":             {stop(`,"loop_limit":"5"`), "loop_limit"},
		"timeout 0":                       {stop(`,"timeout":0`), "timeout"},
		"matcher not an expression":       {stop(`,"matcher":"*"`), "missing argument"},
		"empty command":                   {`{"version":1,"hooks":{"stop":[{"command":""}]}}`, ""},
		"prompt entry without a model":    {`{"version":1,"hooks":{"stop":[{"type":"prompt","prompt":"p","model":""}]}}`, "is empty"},
		"trailing comma":                  {`{"version":1,"hooks":{},}`, "not JSON"},
		"byte-order mark":                 {"\ufeff" + stop(""), "not JSON"},
		"URL in a command":                {`{"version":1,"hooks":{"stop":[{"command":"curl http://x"}]}}`, "takes for a comment"},
		"URL in a comment":                {"{/* see http://x */\"version\":1,\"hooks\":{}}", "not JSON"},
		"block opens in a line's comment": {"{// a /* b\n\"version\":1,\"hooks\":{}/**/}", "comment signs"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).user(hooks{})
			files := w.file(w.Workspace, ".cursor/hooks.json", tt.file).open().Files()
			if len(files) != 2 || files[0].Place != "project" || !files[1].Loaded {
				t.Fatalf("got %+v", files)
			}
			got := files[0]
			if got.Loaded != (tt.reason == "") || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("got loaded %v, %q, want %q", got.Loaded, got.Reason, tt.reason)
			}
		})
	}
}

func TestCommentSignsInStringsChangeThem(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": followup("a/*b*/c"), "loop_limit": 1}}})
	equal(t, "messages", w.chat(nil).Messages(), []string{"go", "ac"})
}

func TestDroppedFileRunsNothing(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": followup("x")}}, "nonsense": {}})
	w.user(hooks{"stop": {{"command": says("{}")}}})
	if runs := w.chat(nil).Runs(""); len(runs) != 1 || runs[0].Place != "user" {
		t.Errorf("got %+v, want the user's hook alone", runs)
	}
}

func TestOldCursorDropsFileWithNewEvents(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": says("{}")}}, "postToolUse": {}})
	w.user(hooks{"stop": {{"command": says("{}")}}, "afterAgentResponse": {}})
	w.Events = simcursor.OldEvents()
	files := w.open().Files()
	if files[0].Loaded || !files[1].Loaded {
		t.Errorf("got %+v, want the project's dropped", files)
	}
}

func TestProjectFileNeedsTrust(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": says("{}")}}})
	w.Untrusted = true
	if files := w.open().Files(); files[0].Loaded {
		t.Error("loaded without trust")
	}
	if runs := w.chat(nil).Runs(""); len(runs) != 0 {
		t.Errorf("got %+v, want no run", runs)
	}
}

func TestSymbolicLinkIsRefusedInProjectOnly(t *testing.T) {
	w := newWorld(t)
	real := filepath.Join(t.TempDir(), "real.json")
	w.must(os.WriteFile(real, []byte(hooks{}.json()), 0o644))
	for _, dir := range []string{w.Home, w.Workspace} {
		w.must(os.Mkdir(filepath.Join(dir, ".cursor"), 0o755))
		w.must(os.Symlink(real, filepath.Join(dir, ".cursor", "hooks.json")))
	}
	files := w.open().Files()
	if files[0].Loaded || !strings.Contains(files[0].Reason, "symbolic link") || !files[1].Loaded {
		t.Errorf("got %+v", files)
	}
}

func TestFileIsReadAnewAtEveryEvent(t *testing.T) {
	w := newWorld(t)
	ch := w.chat(func(turn *simcursor.Turn) {
		w.project(hooks{"stop": {{"command": says("{}")}}})
	})
	if got := len(ch.Runs("stop")); got != 1 {
		t.Errorf("got %d runs of a hook installed during the turn, want 1", got)
	}
}
