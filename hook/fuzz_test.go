package hook_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// FuzzRead asserts that no input makes the package panic or leave input unread,
// that an event read is decodable as every event, and that Serve answers anything
// with exactly one JSON object.
func FuzzRead(f *testing.F) {
	for _, name := range hook.Events() {
		f.Add(sample(f, name))
	}
	for _, tt := range hostile() {
		if len(tt.raw) < 1<<10 {
			f.Add([]byte(tt.raw))
		}
	}
	f.Add([]byte(bom + `{"loop_count":4.0,"status":7,"workspace_roots":["/a",1]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := bytes.NewReader(raw)
		in, err := hook.Read(r)
		if r.Len() != 0 {
			t.Errorf("%d bytes left unread", r.Len())
		}
		if err == nil {
			decodeAsEverything(t, in)
		}
		var seen []any
		var out log
		// Serve's error is not the point here: its answer is.
		_ = hook.Serve(bytes.NewReader(raw), &out, recorder(&seen))
		if len(out.writes) != 1 || !oneObject(out.writes[0]) {
			t.Errorf("got %q want one JSON object in one write", out.writes)
		}
	})
}

func decodeAsEverything(t *testing.T, in hook.Input) {
	for _, event := range samples() {
		got := reflect.New(reflect.TypeOf(event))
		if err := in.Decode(got.Interface()); err != nil {
			t.Errorf("%T: %v", event, err)
		}
		var out log
		if err := hook.Write(&out, got.Interface()); err != nil || !oneObject(out.writes[0]) {
			t.Errorf("%T: wrote %q, %v", event, out.writes, err)
		}
	}
}

// oneObject reports whether line is one JSON object and a newline.
func oneObject(line string) bool {
	return len(line) > 2 && line[0] == '{' && line[len(line)-1] == '\n' &&
		json.Valid([]byte(line)) && !bytes.Contains([]byte(line[:len(line)-1]), []byte("\n"))
}
