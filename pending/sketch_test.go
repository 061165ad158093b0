package pending

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func outlines() []string {
	return []string{
		`{"prompt": "a", "workspace": "/w", "conversation_id": "c-1", "cwd": "/w/x", "status": "paused", "token": "1-1:x"}`,
		`{"prompt":"a","history":[{"workspace":"/no","x":"]}\""}],"workspace":"/w"}` + "\n",
		`{"prompt": "\u0061 \"workspace\": \"/no\"", "Workspace": "/W", "workspace": "/w"}`,
		`{"prompt": "a", "workspace": "/v", "workspace": "/w", "iterations": 3, "stop": false, "mood": null}`,
		`{"prompt": "a", "workspace": null}`, `{"prompt": "a", "workspace": 7}`, `{"prompt": "a", "version": 99}`,
		`{"prompt": "a"} x`, `{"prompt": "a",}`, `{"prompt": "a"`, `{"prompt": "`, `{`, ``, `[]`, `{"prompt": ["a"]}`, `{}`,
		"\xef\xbb\xbf" + `{"prompt": "a", "workspace": "/w"}`, "{\"prompt\": \"\xff\", \"cwd\": \"\xff\"}",
	}
}

func TestTheOutlineOfAFile(t *testing.T) {
	for _, file := range outlines() {
		sameOutline(t, []byte(file))
	}
}

func FuzzOutline(f *testing.F) {
	for _, file := range outlines() {
		f.Add([]byte(file))
	}
	f.Fuzz(sameOutline)
}

// sameOutline wants that of every loop's file the same is made out as if it were
// read whole. A file that is broken elsewhere is found out before it is claimed.
func sameOutline(t *testing.T, data []byte) {
	want, err := loop.Parse(data)
	if err != nil {
		return
	}
	var got sketch
	got.draw(data)
	wanted := sketch{prompt: want.Prompt, owner: want.ConversationID, workspace: want.Workspace, cwd: want.Cwd, token: want.Token, ended: want.Status.Ended()}
	got.status = ""
	if got != wanted {
		t.Errorf("%q:\ngot  %+v\nwant %+v", data, got, wanted)
	}
}
