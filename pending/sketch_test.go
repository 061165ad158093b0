package pending

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// TestTheSketchOfAFile: of every loop's file the sketch has what reading it whole
// gives. A file that is broken elsewhere is noticed before it is claimed.
func TestTheSketchOfAFile(t *testing.T) {
	for _, file := range []string{
		`{"prompt": "a", "workspace": "/w", "conversation_id": "c-1", "cwd": "/w/x", "status": "paused"}`,
		`{"prompt":"a","history":[{"workspace":"/no","x":"]}\""}],"workspace":"/w"}` + "\n",
		`{"prompt": "\u0061 \"workspace\": \"/no\"", "Workspace": "/W", "workspace": "/w"}`,
		`{"prompt": "a", "workspace": "/v", "workspace": "/w", "iterations": 3, "stop": false, "mood": null}`,
		`{"prompt": "a", "workspace": null}`, `{"prompt": "a", "workspace": 7}`, `{"prompt": "a", "version": 99}`,
		`{"prompt": "a"} x`, `{"prompt": "a",}`, `{"prompt": "a"`, `{"prompt": "`, `{`, ``, `[]`, `{"prompt": ["a"]}`, `{}`,
		"\xef\xbb\xbf" + `{"prompt": "a", "workspace": "/w"}`, "{\"prompt\": \"\xff\", \"cwd\": \"\xff\"}",
	} {
		data := []byte(file)
		want, err := loop.Parse(data)
		if err != nil {
			continue
		}
		var got sketch
		got.draw(data)
		wanted := sketch{owner: want.ConversationID, workspace: want.Workspace, cwd: want.Cwd, ended: want.Status.Ended()}
		if got != wanted {
			t.Errorf("%q:\ngot  %+v\nwant %+v", data, got, wanted)
		}
	}
}
