package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// agents are the fake agents, by name.
var agents = map[string]func(*fake){
	"echo": func(f *fake) {
		for {
			m, text := f.prompt()
			f.say(m, fmt.Sprintf("%d: %s", os.Getpid(), text))
			f.end(m)
		}
	},
	"stops": func(f *fake) { // for the reason in the prompt
		for {
			m, text := f.prompt()
			f.answer(m, text)
		}
	},
	"sulks": func(f *fake) { // as codex's adapter does
		m, _ := f.prompt()
		f.ask("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"1","kind":"execute","title":"rm x"},"options":[{"optionId":"abort","kind":"reject_once"}]}`)
		f.answer(m, `{"stopReason":"cancelled"}`)
		f.next()
	},
	"fails": func(f *fake) { // with the error in the prompt
		for {
			m, text := f.prompt()
			f.refuse(m, text)
		}
	},
	"remembers": func(f *fake) { // its sessions for one prompt only
		m := f.next()
		f.answer(m, os.Args[3])
		for {
			switch m = f.next(); {
			case m.Method == "session/new":
				f.sessions++
				f.answer(m, fmt.Sprintf(`{"sessionId":"new%d"}`, f.sessions))
			case m.Method == "session/prompt" && f.asked == 1:
				f.refuse(m, `{"code":-32603,"message":"Internal error","data":{"details":"Session not found: x"}}`)
				f.asked++
			case m.Method == "session/prompt":
				f.asked++
				f.say(m, "hello")
				f.end(m)
			case strings.Contains(string(m.Params), `"old"`):
				f.say(m, "what I said of old: <promise>COMPLETE</promise>")
				f.answer(m, "{}")
			default:
				f.refuse(m, `{"code":-32002,"message":"Resource not found"}`)
			}
		}
	},
	"replays": func(f *fake) { // replays a session too late: after it was loaded, or with the next prompt
		const old = `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"the old task"}}`
		f.answer(f.next(), plainHello)
		load := f.next()
		f.answer(load, "{}")
		if os.Args[3] == "loaded" {
			for range 3 {
				time.Sleep(replayQuiet / 2)
				f.say(load, "<promise>COMPLETE</promise>")
			}
		}
		m, _ := f.prompt()
		if os.Args[3] == "prompted" {
			f.update(m, old)
			f.say(m, "<promise>COMPLETE</promise>")
			f.update(m, old)
		}
		f.say(m, "hello")
		f.end(m)
		f.next()
	},
	"start": func(f *fake) { // answers as its arguments say
		for {
			m := f.next()
			for _, rule := range os.Args[3:] {
				if method, result, _ := strings.Cut(rule, "="); method == m.Method {
					f.answer(m, result)
				} else if method == "!"+m.Method {
					f.refuse(m, result)
				}
			}
			if m.Method == "session/prompt" {
				f.end(m)
			}
		}
	},
}

func TestASessionIsTakenUp(t *testing.T) {
	t.Parallel()
	for _, tt := range short.First([]struct{ can, session, want string }{
		{`{"loadSession":true}`, "old", "old"},
		{`{"sessionCapabilities":{"resume":{}}}`, "old", "old"},
		{`{"sessionCapabilities":{"resume":null}}`, "old", "new1"},
		{`{}`, "old", "new1"},
		{`{"loadSession":true}`, "forgotten", "new1"},
		{`{"loadSession":true}`, "", "new1"},
	}, 1) {
		c := config(t, "remembers")
		c.Argv = append(c.Argv, `{"protocolVersion":1,"agentCapabilities":`+tt.can+`}`)
		d := open(t, c)
		s := take(t, d, outer.Prompt{Text: "x", Session: tt.session})
		same(t, tt.can+tt.session, s.sessions(), list(tt.want))
		same(t, tt.can+tt.session+": texts", s.texts(), list("hello"))
		if err := d.Turn(t.Context(), outer.Prompt{Text: "x"}, func(outer.Seen) {}); err == nil {
			t.Error("a session that was forgotten goes on")
		}
		want := tt.want
		if want == "new1" {
			want = "new2"
		}
		same(t, tt.can+tt.session+": after that", take(t, d, outer.Prompt{Text: "x"}).sessions(), list(want))
	}
}

func TestStopReasons(t *testing.T) {
	t.Parallel()
	d := open(t, config(t, "stops"))
	for _, tt := range []struct{ answer, want string }{
		{`{"stopReason":"end_turn"}`, ""},
		{`{"stopReason":"max_tokens"}`, ""},
		{`{"stopReason":"max_turn_requests"}`, ""},
		{`{"stopReason":"tired"}`, ""},
		{`{}`, ""},
		{`{"stopReason":"refusal"}`, "the agent refused to go on"},
		{`{"stopReason":"cancelled"}`, "context canceled"},
	} {
		err := d.Turn(t.Context(), outer.Prompt{Text: tt.answer}, func(outer.Seen) {})
		if got := said(err); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.answer, got, tt.want)
		}
		if tt.want == "context canceled" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want it to be context.Canceled", tt.answer, err)
		}
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestFailures(t *testing.T) {
	t.Parallel()
	d := open(t, config(t, "fails"))
	for _, tt := range []struct{ answer, want string }{
		{`{"code":-32603,"message":"Internal error","data":{"details":"out of luck\nmore"}}`, "Internal error: out of luck"},
		{`{"code":-32603,"message":"out of luck","data":"out of luck"}`, "out of luck"},
		{`{"code":-32603,"message":"x","data":{"errorKind":"rate_limit"}}`, "x: rate_limit"},
		{`{"code":-32603,"message":"401: not logged in"}`, "401: not logged in"},
	} {
		err := d.Turn(t.Context(), outer.Prompt{Text: tt.answer}, func(outer.Seen) {})
		if start := (*outer.StartError)(nil); said(err) != tt.want || errors.As(err, &start) {
			t.Errorf("%s: got %T %q, want the failure of a turn: %q", tt.answer, err, said(err), tt.want)
		}
	}
	err := d.Turn(t.Context(), outer.Prompt{Text: `{"code":-32000,"message":"Authentication required"}`}, func(outer.Seen) {})
	start := (*outer.StartError)(nil)
	if !errors.As(err, &start) || !strings.Contains(start.Hint, "An API key (key)") {
		t.Errorf("got %#v, want a StartError that names the way to log in", err)
	}
}

const (
	hello    = "initialize=" + plainHello
	session1 = `session/new={"sessionId":"s1"}`
)

// Each case is what the agent answers until there is a session, and the error with
// its hint.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, tt := range short.First([]struct {
		name       string
		rules      []string
		change     func(*Config)
		want, hint string
	}{
		{"all is well", list(hello, session1), nil, "", ""},
		{"another version of the protocol", list(`initialize={"protocolVersion":2}`), nil,
			"start start: it speaks version 2 of the protocol, and we speak 1", "another version"},
		{"no version", list(`initialize={}`), nil, "start start: it speaks version 0 of the protocol, and we speak 1", "another version"},
		{"no protocol", list(`!initialize={"code":-32601,"message":"Method not found"}`), nil, "start start: Method not found", ""},
		{"no answer", nil, func(c *Config) { c.StartLimit = 300 * time.Millisecond },
			"start start: it did not answer initialize within 300ms", "does it speak ACP"},
		{"no session", list(hello), func(c *Config) { c.StartLimit = time.Second },
			"start start: it did not answer session/new within 1s", "does it speak ACP"},
		{"a session without a name", list(hello, `session/new={}`), nil, "start start: it created a session without an id", ""},
		{"the user has to log in", list(hello, `!session/new={"code":-32000,"message":"Authentication required"}`), nil,
			"start start: Authentication required", "its login methods: An API key (key)"},
		{"no program", nil, func(c *Config) { c.Argv, c.Hint = list("no-such-agent-of-this-test"), "npm install it" },
			`start start: exec: "no-such-agent-of-this-test": executable file not found`, "npm install it"},
		{"no program at that place", nil, func(c *Config) { c.Argv = list("/nowhere/agent") },
			"start start: ", "is the agent installed"},
		{"no workspace", nil, func(c *Config) { c.Dir = "relative" }, `start start: workspace "relative": not an absolute path`, ""},
		{"an agent that is too busy", list(hello, `!session/new={"code":429,"message":"slow down"}`), nil, "start start: slow down", ""},
		{"a model among the options", list(hello, `session/new={"sessionId":"s1","configOptions":[{"id":"m","category":"model","currentValue":"a","name":"Model","type":"select","options":[{"group":"x","name":"X","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]}]}`, `!session/set_config_option={"code":1,"message":"option set"}`),
			func(c *Config) { c.Model = "b" }, "start start: option set", ""},
		{"a model among the models", list(hello, `session/new={"sessionId":"s1","models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"x/b","name":"Bee"}]}}`, `!session/set_model={"code":1,"message":"model set"}`),
			func(c *Config) { c.Model = "bee" }, "start start: model set", ""},
		{"the model that is chosen already", list(hello, `session/new={"sessionId":"s1","models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"}]}}`),
			func(c *Config) { c.Model = "A" }, "", ""},
		{"a model that is not there", list(hello, `session/new={"sessionId":"s1","models":{"currentModelId":"a","availableModels":[{"modelId":"a"},{"modelId":"b"}]}}`),
			func(c *Config) { c.Model = "c" }, `start start: it has no model "c"`, "it offers a, b"},
		{"no models to choose from", list(hello, session1), func(c *Config) { c.Model = "c" },
			"start start: its model cannot be chosen", "settings"},
	}, 5) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := config(t, "start")
			c.Argv = append(c.Argv, tt.rules...)
			if tt.change != nil {
				tt.change(&c)
			}
			err := open(t, c).Turn(t.Context(), outer.Prompt{Text: "x"}, func(outer.Seen) {})
			start := &outer.StartError{}
			if got := said(err); !strings.HasPrefix(got, tt.want) || tt.want == "" && err != nil {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if strings.HasPrefix(tt.want, "start ") && (!errors.As(err, &start) || !strings.Contains(start.Hint, tt.hint)) {
				t.Errorf("got %T with the hint %q, want a StartError with %q", err, start.Hint, tt.hint)
			}
		})
	}
}
