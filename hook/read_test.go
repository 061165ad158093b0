package hook_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

const bom = "\xef\xbb\xbf"

func TestReadTakesAnEventAsItComes(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"an object alone", `{"conversation_id":"c"}`, "c"},
		{"a byte-order mark before it", bom + `{"conversation_id":"c"}`, "c"},
		{"white space around it", " \r\n\t" + `{"conversation_id":"c"}` + "\r\n \n", "c"},
		{"a byte-order mark and white space", bom + "\r\n" + `{"conversation_id":"c"}` + "\n", "c"},
		{"no fields", `{}`, ""},
		{"unknown fields", `{"x":{"y":[1,2,{}]},"conversation_id":"c","z":null}`, "c"},
		{"null", `{"conversation_id":null}`, ""},
		{"a number for a string", `{"conversation_id":7}`, ""},
		{"a wrong field before it", `{"model":{"id":1},"workspace_roots":"/w","conversation_id":"c"}`, "c"},
		{"a wrong field after it", `{"conversation_id":"c","user_email":false}`, "c"},
		{"a number out of range", `{"model":1e400,"x":1e400,"conversation_id":"c"}`, "c"},
		{"the name given twice, the last counts", `{"conversation_id":"a","conversation_id":"b"}`, "b"},
		{"the name in another letter case", `{"Conversation_ID":"c"}`, "c"},
		{"a lone surrogate", `{"conversation_id":"c\ud800"}`, "c\uFFFD"},
		{"bytes that are not UTF-8", "{\"conversation_id\":\"c\xff\"}", "c\uFFFD"},
		{"a NUL, escaped", `{"conversation_id":"c\u0000"}`, "c\x00"},
		{"nesting just allowed", `{"x":` + nested(9999) + `,"conversation_id":"c"}`, "c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := hook.Read(strings.NewReader(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if in.ConversationID != tt.want {
				t.Errorf("got %q want %q", in.ConversationID, tt.want)
			}
		})
	}
}

// hostile holds inputs that are not one JSON object, each with a part of its error.
func hostile() []struct{ name, raw, want string } {
	return []struct{ name, raw, want string }{
		{"nothing", "", "empty"},
		{"a byte-order mark alone", bom, "empty"},
		{"white space alone", " \r\n\t ", "empty"},
		{"null", "null", "not a JSON object"},
		{"a list", `[{"hook_event_name":"stop"}]`, "not a JSON object"},
		{"a string", `"stop"`, "not a JSON object"},
		{"text", "hello", "not a JSON object"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "not a JSON object"},
		{"NUL bytes", strings.Repeat("\x00", 64), "not a JSON object"},
		{"binary in an object", "{\x00\x01\x02\xff}", "invalid character"},
		{"a raw newline in a string", "{\"model\":\"a\nb\"}", "invalid character"},
		{"cut off in a name", `{"hook_event_na`, "unexpected end"},
		{"cut off in a string", `{"hook_event_name":"st`, "unexpected end"},
		{"cut off in an escape", `{"model":"\u12`, "read hook input: "},
		{"cut off before the end", `{"hook_event_name":"stop"`, "unexpected end"},
		{"a second object", `{"hook_event_name":"stop"}{}`, "after top-level value"},
		{"text after the object", `{"hook_event_name":"stop"} done`, "after top-level value"},
		{"a log line before the object", "starting\n{}", "not a JSON object"},
		{"single quotes", `{'hook_event_name':'stop'}`, "invalid character"},
		{"a trailing comma", `{"hook_event_name":"stop",}`, "invalid character"},
		{"a comment", `{/* stop */}`, "invalid character"},
		{"nesting beyond the limit", `{"x":` + nested(10001) + `}`, "exceeded max depth"},
		{"nesting beyond the limit, cut off", `{"x":` + strings.Repeat("[", 1<<20), "exceeded max depth"},
	}
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestReadRefusesWhatIsNotOneObject(t *testing.T) {
	for _, tt := range hostile() {
		t.Run(tt.name, func(t *testing.T) {
			r := strings.NewReader(tt.raw)
			in, err := hook.Read(r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v want %q in it", err, tt.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "read hook input: ") {
				t.Errorf("got error %q without saying what was read", err)
			}
			if in.EventName != "" || in.Contains("s") {
				t.Errorf("got %+v want nothing", in)
			}
			if r.Len() != 0 {
				t.Errorf("%d bytes left unread", r.Len())
			}
		})
	}
}

// filler is an endless reader of one byte, so that a test needs no large file.
type filler byte

func (f filler) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{byte(f)}, len(p)))
	return len(p), nil
}

func TestReadDrainsWhatIsTooLarge(t *testing.T) {
	const rest = 1 << 20
	r := &io.LimitedReader{R: filler(' '), N: hook.MaxInput + rest}
	_, err := hook.Read(r)
	if !errors.Is(err, hook.ErrTooLarge) {
		t.Errorf("got error %v want ErrTooLarge", err)
	}
	if r.N != 0 {
		t.Errorf("%d bytes left unread", r.N)
	}
}

// TestReadNamesTheChatOfWhatItCouldNotRead: the event is lost, but not whose it was.
func TestReadNamesTheChatOfWhatItCouldNotRead(t *testing.T) {
	const head = `{"conversation_id":"c","hook_event_name":"stop","text":"and so`
	for _, tt := range []struct {
		name string
		rest io.Reader
		want error
	}{
		{"too large", &io.LimitedReader{R: filler(' '), N: hook.MaxInput}, hook.ErrTooLarge},
		{"the rest cannot be read", iotest.ErrReader(io.ErrNoProgress), io.ErrNoProgress},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := hook.Read(io.MultiReader(strings.NewReader(head), tt.rest))
			if !errors.Is(err, tt.want) || in.ConversationID != "c" || in.EventName != hook.EventStop {
				t.Errorf("got %q, %q and error %v, want c, stop and %v", in.ConversationID, in.EventName, err, tt.want)
			}
		})
	}
}

func TestWorkspaceRootsHoldNoEmptyPath(t *testing.T) {
	in := read(t, []byte(`{"workspace_roots":["/a",5,null,{},"","/b"]}`))
	var e hook.Stop
	if err := in.Decode(&e); err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]string{in.WorkspaceRoots, e.WorkspaceRoots} {
		if strings.Join(got, "|") != "/a|/b" {
			t.Errorf("got %q want /a and /b", got)
		}
	}
}

func TestContainsLooksAtTheWholeEvent(t *testing.T) {
	in := read(t, sample(t, hook.EventPostToolUse))
	for _, tt := range []struct {
		s    string
		want bool
	}{
		{"go test", true},
		{"tool_use_id", true},
		{"0.412s", true},
		{"cursor-ralph", false},
	} {
		if got := in.Contains(tt.s); got != tt.want {
			t.Errorf("Contains(%q): got %v want %v", tt.s, got, tt.want)
		}
	}
}
