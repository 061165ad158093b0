package acp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// TestMain lets the test binary also be the supervisor and the fake agents.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "supervise":
		code, err := supervise.Run(os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	case len(os.Args) > 2 && os.Args[1] == "agent":
		maps.Copy(agents, hostile)
		agents["sdk"] = serveSDK
		agents[os.Args[2]](&fake{in: bufio.NewReaderSize(os.Stdin, 1<<20), out: os.Stdout})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is the agent's side. It writes plain JSON, so that it can do everything wrong.
type fake struct {
	in       *bufio.Reader
	out      io.Writer
	sessions int
	asked    int
	cancels  int
}

// wire is any message.
type wire struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// next reads a message. At the end of the input the agent exits.
func (f *fake) next() wire {
	line, err := f.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m wire
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m
}

func (f *fake) raw(format string, args ...any) { fmt.Fprintf(f.out, format, args...) }

func (f *fake) answer(m wire, result string) {
	f.raw(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
}

func (f *fake) refuse(m wire, err string) {
	f.raw(`{"jsonrpc":"2.0","id":%s,"error":%s}`+"\n", m.ID, err)
}

const plainHello = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[{"id":"key","name":"An API key"}]}`

// prompt answers requests, as a simple agent would, until a prompt comes.
func (f *fake) prompt() (m wire, text string) {
	for {
		switch m = f.next(); m.Method {
		case "initialize":
			f.answer(m, plainHello)
		case "session/new":
			f.sessions++
			f.answer(m, fmt.Sprintf(`{"sessionId":"s%d"}`, f.sessions))
		case "session/cancel":
			f.cancels++
		case "session/prompt":
			var p struct {
				Prompt []struct{ Text string }
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				panic(err)
			}
			return m, p.Prompt[0].Text
		default:
			f.answer(m, "{}")
		}
	}
}

// update sends an update of a prompt's session.
func (f *fake) update(prompt wire, update string) {
	var p struct{ SessionID string }
	_ = json.Unmarshal(prompt.Params, &p)
	f.raw(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`+"\n", p.SessionID, update)
}

func (f *fake) say(prompt wire, text string) {
	quoted, _ := json.Marshal(text)
	f.update(prompt, fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}`, quoted))
}

func (f *fake) end(prompt wire) { f.answer(prompt, `{"stopReason":"end_turn"}`) }

// ask sends a request and returns its answer. A cancel may come first.
func (f *fake) ask(method, params string) wire {
	f.asked++
	f.raw(`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":%s}`+"\n", f.asked, method, params)
	for {
		m := f.next()
		switch {
		case m.Method == "session/cancel":
			f.cancels++
		case string(m.ID) == fmt.Sprintf(`"q%d"`, f.asked):
			return m
		}
	}
}

// story collects what a driver reports.
type story struct {
	mu   sync.Mutex
	seen []outer.Seen
}

func (s *story) see(x outer.Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, x)
}

func (s *story) texts() (found []string) {
	for _, r := range s.records() {
		if r.Kind == loop.RecordText {
			found = append(found, r.Text)
		}
	}
	return found
}

func (s *story) records() (found []loop.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.seen {
		if x.Record.Kind != "" {
			found = append(found, x.Record)
		}
	}
	return found
}

func (s *story) sessions() (found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.seen {
		if x.Session != "" {
			found = append(found, x.Session)
		}
	}
	return found
}

// config returns the configuration of a fake agent in its own folder.
func config(t *testing.T, agent string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Argv: []string{self, "agent", agent}, Dir: folder(t), Self: self, Name: agent, Policy: outer.PolicyAll,
		StartLimit: 30 * time.Second, Grace: 10 * time.Second}
}

// folder returns an empty folder without links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a driver and closes it at the end of the test.
func open(t *testing.T, c Config) outer.Driver {
	t.Helper()
	d := Open(c)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// take runs a turn, which must succeed.
func take(t *testing.T, d outer.Driver, p outer.Prompt) *story {
	t.Helper()
	s := &story{}
	if err := d.Turn(t.Context(), p, s.see); err != nil {
		t.Fatal(err)
	}
	return s
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
