// Package modelserver stands in for the models that coding agents talk to: an
// HTTP server on loopback that speaks OpenAI's Chat Completions and Responses,
// Anthropic's Messages and Gemini's generateContent, streamed or not, and says
// what a script tells it to. It is no model and no proxy: it knows as much of
// those protocols as the agents in test/agents use. For tests only.
package modelserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is a model server that listens.
type Server struct {
	script   Script
	listener net.Listener
	http     *http.Server

	mu       sync.Mutex
	requests []Request
	unknown  []string
}

// Script says what the model answers. It is asked by one request at a time, and
// only by those that offer tools: what an agent asks besides, a title for the
// session or the like, gets a few fixed words.
type Script func(Request) Answer

// Request is what an agent asked its model, in one form for all protocols.
type Request struct {
	Wire     string // chat, responses, messages or gemini
	Model    string
	System   string
	Messages []Message
	Tools    []string // the names of those that are offered
	Header   http.Header
	At       time.Time
	Body     []byte // as it came

	stream bool
	custom []string // tools that take text, not JSON
}

// Message is one turn of the conversation so far.
type Message struct {
	Role    string // user, assistant or tool
	Text    string
	Calls   []string // the tools that the assistant called
	Results []string // what tools answered
}

// wire is one of the protocols: how a request is read, and an answer written.
type wire struct {
	name  string
	read  func(path string, body []byte) (Request, error)
	write func(w *stream, r Request, a reply)
	fail  func(a Answer) any
}

// Start listens on a free port of the loopback interface.
func Start(script Script) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{script: script, listener: l}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with an error always, by Close
	return s, nil
}

// URL is where the server is, without a slash at its end and without a version.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the server and every answer that it holds back.
func (s *Server) Close() error {
	return s.http.Close()
}

// Requests are those that offered tools, in the order they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Unknown are the requests that the server had no answer for, as "GET /path".
func (s *Server) Unknown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.unknown...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPost {
		if p := wireOf(r.URL.Path); p != nil {
			s.ask(w, r, p, body)
			return
		}
	}
	if answer := aside(r.Method, r.URL.Path); answer != nil {
		writeJSON(w, http.StatusOK, answer)
		return
	}
	s.refuse(w, r)
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.unknown = append(s.unknown, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	writeJSON(w, http.StatusNotFound, map[string]any{"error": map[string]any{"message": "no such path here"}})
}

// wireOf tells a protocol by the end of a path: what comes before is the base
// that the agent was given.
func wireOf(path string) *wire {
	for end, p := range map[string]wire{
		"/chat/completions":      {"chat", readChat, writeChat, failOpenAI},
		"/responses":             {"responses", readResponses, writeResponses, failOpenAI},
		"/messages":              {"messages", readMessages, writeMessages, failAnthropic},
		":generateContent":       {"gemini", readGemini, writeGemini, failGemini},
		":streamGenerateContent": {"gemini", readGemini, writeGemini, failGemini},
	} {
		if strings.HasSuffix(path, end) {
			return &p
		}
	}
	return nil
}

// aside answers what agents ask beside the conversation.
func aside(method, path string) any {
	switch {
	case strings.HasSuffix(path, "/models") && method == http.MethodGet:
		return map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted", "object": "model"}}}
	case strings.HasSuffix(path, "/count_tokens") && method == http.MethodPost:
		return map[string]any{"input_tokens": 10}
	case strings.HasSuffix(path, ":countTokens") && method == http.MethodPost:
		return map[string]any{"totalTokens": 10}
	case path == "/" && (method == http.MethodHead || method == http.MethodGet): // is there a network?
		return map[string]any{}
	}
	return nil
}

func (s *Server) ask(w http.ResponseWriter, r *http.Request, p *wire, body []byte) {
	req, err := p.read(r.URL.Path, body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, p.fail(Answer{Text: err.Error()}))
		return
	}
	req.Wire, req.Header, req.At, req.Body = p.name, r.Header.Clone(), time.Now(), body
	a := s.answer(req)
	if a.Status != 0 {
		if a.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(a.RetryAfter.Seconds())))
		}
		writeJSON(w, a.Status, p.fail(a))
		return
	}
	rep, err := a.reply(req)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, p.fail(Answer{Text: err.Error()}))
		return
	}
	out := &stream{w: w, streamed: req.stream}
	if a.Hold {
		out.hold(r.Context().Done())
		return
	}
	p.write(out, req, rep)
}

// answer asks the script, one at a time.
func (s *Server) answer(req Request) Answer {
	if len(req.Tools) == 0 {
		return Answer{Text: "scripted"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	return s.script(req)
}

// stream writes server-sent events, or one JSON value where none were asked for.
type stream struct {
	w        http.ResponseWriter
	streamed bool
}

// send writes one event; its name may be empty.
func (s *stream) send(name string, data any) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	b, _ := json.Marshal(data) // made of strings, numbers and maps of them
	fmt.Fprintf(s.w, "data: %s\n\n", b)
	s.flush()
}

func (s *stream) flush() {
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// hold begins an answer and leaves it there, until who asked goes away.
func (s *stream) hold(gone <-chan struct{}) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.WriteHeader(http.StatusOK)
	s.flush()
	<-gone
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has gone is no loss
}

var errForm = errors.New("content of an unknown form")

// text reads what is a string, or a list of parts with texts in them.
func text(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", errForm
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}
