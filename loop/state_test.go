package loop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

const bom = "\xef\xbb\xbf"

func TestTheSevenFieldsAloneWork(t *testing.T) {
	const file = `{"prompt": "Build it.", "max_iterations": 7, "completion_promise": "DONE",
		"iterations": 2, "session_iterations": 1, "stop": true, "last_output": "half"}`
	got, err := loop.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	want := loop.State{
		Contract: loop.Contract{Prompt: "Build it.", MaxIterations: 7, CompletionPromise: "DONE", Iterations: 2, SessionIterations: 1, Stop: true, LastOutput: "half"},
		Version:  1,
		Status:   loop.Running,
		Unknown:  map[string]json.RawMessage{},
		Rules:    loop.Rules{MinIterations: 1, MinToolCalls: 1, PromiseMatch: "exact", NoWork: "reject"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhatIsMissingOrOddGetsItsDefault(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		change     func(*loop.State)
	}{
		{"a task alone", `{"prompt":"x"}`, nil},
		{"nulls", `{"prompt":"x","max_iterations":null,"completion_promise":null,"iterations":null,"session_iterations":null,"stop":null,"last_output":null,
			"version":null,"status":null,"min_iterations":null,"min_tool_calls":null,"promise_match":null,"on_promise_no_work":null,
			"max_duration":null,"created_at":null,"context":null,"history":null,"last_stop":null,"journal":null,"replace":null}`, nil},
		{"no limit", `{"prompt":"x","max_iterations":0}`, nil},
		{"a limit below zero", `{"prompt":"x","max_iterations":-5}`, nil},
		{"a limit of one", `{"prompt":"x","max_iterations":1}`, func(l *loop.State) { l.MaxIterations = 1 }},
		{"a limit that is too high", `{"prompt":"x","max_iterations":10001}`, func(l *loop.State) { l.MaxIterations = 10000 }},
		{"the highest limit", `{"prompt":"x","max_iterations":10000}`, func(l *loop.State) { l.MaxIterations = 10000 }},
		{"counters below zero", `{"prompt":"x","iterations":-1,"session_iterations":-1,"min_iterations":-1,"journal":{"offset":-1}}`, nil},
		{"counters beyond all limits", `{"prompt":"x","iterations":9223372036854775807,"session_iterations":9223372036854775807}`,
			func(l *loop.State) { l.Iterations, l.SessionIterations = 10000, 10000 }},
		{"tool calls below zero", `{"prompt":"x","min_tool_calls":-1}`, func(l *loop.State) { l.MinToolCalls = 0 }},
		{"no tool calls", `{"prompt":"x","min_tool_calls":0}`, func(l *loop.State) { l.MinToolCalls = 0 }},
		{"no promise", `{"prompt":"x","completion_promise":""}`, nil},
		{"no status", `{"prompt":"x","status":""}`, nil},
		{"a status that is unknown stays", `{"prompt":"x","status":"odd"}`, func(l *loop.State) { l.Status = "odd" }},
		{"an older version", `{"prompt":"x","version":-3}`, nil},
		{"a byte-order mark", bom + `{"prompt":"x"}`, nil},
		{"space around", " \r\n{\"prompt\":\"x\"}\r\n ", nil},
		{"names in capitals", `{"Prompt":"x","MAX_ITERATIONS":3,"Stop":true}`, func(l *loop.State) { l.MaxIterations, l.Stop = 3, true }},
		{"a name twice: the last one counts", `{"prompt":"y","prompt":"x","stop":true,"STOP":false}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := loop.Parse([]byte(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			want := loop.New()
			want.Prompt, want.Version, want.Status, want.Unknown = "x", 1, loop.Running, map[string]json.RawMessage{}
			if tt.change != nil {
				tt.change(&want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoState(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		newer      bool
	}{
		{"nothing", ``, false},
		{"a mark alone", bom, false},
		{"null", `null`, false},
		{"a list", `[]`, false},
		{"a text", `"x"`, false},
		{"a number", `7`, false},
		{"half of it", `{"prompt":"x"`, false},
		{"two of it", `{"prompt":"x"}{"prompt":"x"}`, false},
		{"words behind", `{"prompt":"x"} x`, false},
		{"a comment", "{\"prompt\":\"x\"} // x", false},
		{"a comma too many", `{"prompt":"x",}`, false},
		{"no task", `{}`, false},
		{"an empty task", `{"prompt":""}`, false},
		{"a task of spaces", `{"prompt":" \n\t\u00a0"}`, false},
		{"a null task", `{"prompt":null}`, false},
		{"a task that is a number", `{"prompt":7}`, false},
		{"a task that is a list", `{"prompt":["x"]}`, false},
		{"a limit in a text", `{"prompt":"x","max_iterations":"20"}`, false},
		{"a limit with a fraction", `{"prompt":"x","max_iterations":2.5}`, false},
		{"a limit beyond all numbers", `{"prompt":"x","max_iterations":1e400}`, false},
		{"a stop in a text", `{"prompt":"x","stop":"true"}`, false},
		{"a last output that is an object", `{"prompt":"x","last_output":{}}`, false},
		{"an invalid duration", `{"prompt":"x","max_duration":"soon"}`, false},
		{"a duration that is a number", `{"prompt":"x","max_duration":60}`, false},
		{"an invalid time", `{"prompt":"x","created_at":"today"}`, false},
		{"a version in a text", `{"prompt":"x","version":"2"}`, false},
		{"binary", "\x00\xff\xfe{", false},
		{"deep", strings.Repeat(`{"prompt":`, 20_000), false},

		{"a newer version", `{"prompt":"x","version":2}`, true},
		{"a newer version without a task", `{"version":99}`, true},
		{"a newer version with other types", `{"version":2,"prompt":["x"],"stop":"never"}`, true},
		{"a newer version with other types before", `{"prompt":{"text":"x"},"max_duration":{},"version":2}`, true},
		{"a newer version with a mark", bom + `{"prompt":7,"Version":2}`, true},
		{"this version with other types", `{"version":1,"prompt":7}`, false},
		{"a newer version, half of it", `{"version":2,"prompt":"x"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := loop.Parse([]byte(tt.file))
			if err == nil || errors.Is(err, loop.ErrNewer) != tt.newer {
				t.Errorf("got %v want newer %t", err, tt.newer)
			}
			if !reflect.DeepEqual(got, loop.State{}) && tt.newer {
				t.Errorf("got %+v beside the error", got)
			}
		})
	}
}

func TestEveryFieldSurvives(t *testing.T) {
	var want loop.State
	fill(reflect.ValueOf(&want).Elem(), "x")
	want.Misplaced, want.Kept = "", false // which are in no file
	want.Version, want.Unknown = 1, map[string]json.RawMessage{"other": json.RawMessage(`1`)}
	got := saved(t, want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// fill sets every field to a value other than its default.
func fill(v reflect.Value, name string) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(began().Add(time.Duration(len(name)))))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).Type() != reflect.TypeFor[map[string]json.RawMessage]() {
				fill(v.Field(i), v.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name+"0")
		fill(v.Index(1), name+"1")
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, name)
		v.SetMapIndex(reflect.ValueOf(name), value)
	case reflect.String:
		v.SetString(name + " <&>")
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(len(name)) + 40)
	case reflect.Float64:
		v.SetFloat(2.5)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("the test does not know " + v.Kind().String())
	}
}

func TestUnknownFieldsSurvive(t *testing.T) {
	for _, tt := range []struct{ name, field, value string }{
		{"a text", "mine", `"a"`},
		{"null", "mine", `null`},
		{"a number that is too large for any type", "mine", `123456789012345678901234567890.10e+5`},
		{"nested", "mine", `{"b":[{"a":1,"a":2},[],{}],"prompt":"not the task"}`},
		{"a name in capitals", "MINE", `true`},
		{"a name that begins like ours", "prompt_2", `1`},
		{"a name that ends like ours", "the prompt", `1`},
		{"no name", "", `1`},
		{"our name for what is no field", "Unknown", `1`},
		{"a name with quotes", `a\"b\\c`, `1`},
		{"what is special in HTML", "a<b>&c", `"<promise>&</promise>"`},
		{"escapes", "mine", `"\u00e9\n\\"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := fmt.Sprintf(`{"%s":%s,"prompt":"x","other":[1,{"z":{}}]}`, tt.field, tt.value)
			l, err := loop.Parse([]byte(file))
			if err != nil {
				t.Fatal(err)
			}
			next, _ := loop.Decide(l, stop(worked(working)), began())
			data, err := next.Encode()
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf(`"%s":%s`, tt.field, tt.value)
			if got := compact(t, data); strings.Count(got, want) != 1 || !strings.Contains(got, `"other":[1,{"z":{}}]`) {
				t.Errorf("got %s\nwant in it %s", got, want)
			}
		})
	}
}

func compact(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return b.String()
}
