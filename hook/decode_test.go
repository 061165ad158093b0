package hook_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// Each field of each event in turn gets a value of each wrong type; whatever
// becomes of that field, all others must be as they were.
func TestAWrongTypeCostsOnlyItsField(t *testing.T) {
	wrong := []string{`null`, `true`, `0.5`, `1e400`, `-7`, `"odd"`, `[]`, `[1,"a",null,{"b":[]}]`, `{}`, `{"type":1,"range":"x"}`}
	for _, event := range samples() {
		name := nameOf(event)
		t.Run(name, func(t *testing.T) {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(sample(t, name), &fields); err != nil {
				t.Fatal(err)
			}
			for field, right := range fields {
				for _, value := range wrong {
					fields[field] = json.RawMessage(value)
					got, want := decodeWithout(t, event, fields, field), encodeWithout(t, event, field)
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s = %s: got  %s\nwant %s", field, value, got, want)
					}
				}
				fields[field] = right
			}
		})
	}
}

// decodeWithout decodes fields into an event like event and returns it without
// one field.
func decodeWithout(t *testing.T, event any, fields map[string]json.RawMessage, field string) map[string]json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	got := reflect.New(reflect.TypeOf(event))
	if err := read(t, raw).Decode(got.Interface()); err != nil {
		t.Fatal(err)
	}
	return encodeWithout(t, got.Elem().Interface(), field)
}

func encodeWithout(t *testing.T, event any, field string) map[string]json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, field)
	return fields
}

func TestAWholeNumberIsReadHoweverItIsWritten(t *testing.T) {
	for _, tt := range []struct {
		name, number string
		want         int
	}{
		{"plain", "4", 4},
		{"with a fraction of zero", "4.0", 4},
		{"with a long fraction of zero", "4.000000", 4},
		{"with an exponent", "4e0", 4},
		{"with a growing exponent", "1.2E+2", 120},
		{"with a shrinking exponent", "40e-1", 4},
		{"negative", "-4.0", -4},
		{"minus zero", "-0.0", 0},
		{"not whole", "4.5", 0},
		{"larger than any int", "1e400", 0},
		{"larger than a float64 can tell", "1e17", 0},
		{"in a string", `"4"`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := `{"a\"4.0":[4.0],"conversation_id":5,"loop_count":` + tt.number + `,"input_tokens":1e3,"status":"completed"}`
			var e hook.Stop
			if err := read(t, []byte(raw)).Decode(&e); err != nil {
				t.Fatal(err)
			}
			if e.LoopCount != tt.want || e.InputTokens != 1000 || e.Status != hook.Completed || e.ConversationID != "" {
				t.Errorf("got %+v want %d completed", e, tt.want)
			}
		})
	}
}

func TestDecodeRefusesWhatItCannotFill(t *testing.T) {
	in := read(t, []byte(`{}`))
	for _, tt := range []struct {
		name  string
		in    hook.Input
		event any
	}{
		{"nil", in, nil},
		{"a value", in, hook.Stop{}},
		{"a nil pointer", in, (*hook.Stop)(nil)},
		{"an input never read", hook.Input{}, &hook.Stop{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.in.Decode(tt.event)
			if err == nil || !strings.HasPrefix(err.Error(), "decode hook input: ") {
				t.Errorf("got %v want an error", err)
			}
		})
	}
}

func TestAnAttachmentIsReadUnderEitherName(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      hook.Attachment
	}{
		{"as documented", `{"type":"file","filePath":"/a"}`, hook.Attachment{Type: "file", FilePath: "/a"}},
		{"as seen", `{"type":"rule","file_path":"/a"}`, hook.Attachment{Type: "rule", FilePath: "/a"}},
		{"both", `{"file_path":"/a","filePath":"/b"}`, hook.Attachment{FilePath: "/a"}},
		{"a wrong type in it", `{"type":1,"file_path":"/a"}`, hook.Attachment{FilePath: "/a"}},
		{"a string", `"/a"`, hook.Attachment{}},
		{"null", `null`, hook.Attachment{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e hook.BeforeSubmitPrompt
			raw := `{"attachments":[` + tt.raw + `],"prompt":"go on"}`
			if err := read(t, []byte(raw)).Decode(&e); err != nil {
				t.Fatal(err)
			}
			if len(e.Attachments) != 1 || e.Attachments[0] != tt.want || e.Prompt != "go on" {
				t.Errorf("got %+v want %+v", e, tt.want)
			}
		})
	}
}
