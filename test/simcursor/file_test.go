//go:build unix

package simcursor_test

import (
	"strings"
	"testing"
)

func TestHooksFileIsDropped(t *testing.T) {
	t.Parallel()
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
