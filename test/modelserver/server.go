// Package modelserver stands in for the models of coding agents: an HTTP server on
// loopback that speaks OpenAI's Chat Completions and Responses, Anthropic's Messages
// and Gemini's generateContent, and plays a script. It knows as much of those
// protocols as the agents in test/agents use. For tests only.
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

// Script returns the model's answer to a request. It gets one request at a time, and
// only those that offer tools: others, such as for a session's title, get a fixed
// answer.
type Script func(Request) Answer

// Request is a request of an agent, in one form for all protocols.
type Request struct {
	Model    string
	System   string
	Messages []Message
	Tools    []string // the names of the offered tools

	stream bool
	custom []string       // tools that take text instead of JSON
	fields map[string]any // an object that the answer has to be, such as Gemini CLI's question whether it goes in circles
}

// Message is one turn of the conversation so far.
type Message struct {
	Role    string // user, assistant or tool
	Text    string
	Calls   []string // the tools that the assistant called
	Results []string // what tools answered
}

// wire is one of the protocols.
type wire struct {
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
	go func() { _ = s.http.Serve(l) }() // always ends with an error, at Close
	return s, nil
}

// URL returns the server's address, without a trailing slash or a version.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the server.
func (s *Server) Close() error {
	return s.http.Close()
}

// Requests returns the requests that offered tools, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Unknown returns the requests without an answer, as "GET /path".
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

// wireOf returns the protocol of a path. The path begins with the base URL that the
// agent is configured with.
func wireOf(path string) *wire {
	for end, p := range map[string]wire{
		"/chat/completions":      {readChat, writeChat, failOpenAI},
		"/responses":             {readResponses, writeResponses, failOpenAI},
		"/messages":              {readMessages, writeMessages, failAnthropic},
		":generateContent":       {readGemini, writeGemini, failGemini},
		":streamGenerateContent": {readGemini, writeGemini, failGemini},
	} {
		if strings.HasSuffix(path, end) {
			return &p
		}
	}
	return nil
}

// aside returns the answer to a request outside the conversation, or nil.
func aside(method, path string) any {
	switch {
	case strings.HasSuffix(path, "/models") && method == http.MethodGet:
		return map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted", "object": "model"}}}
	case strings.HasSuffix(path, "/count_tokens") && method == http.MethodPost:
		return map[string]any{"input_tokens": 10}
	case strings.HasSuffix(path, ":countTokens") && method == http.MethodPost:
		return map[string]any{"totalTokens": 10}
	case path == "/" && (method == http.MethodHead || method == http.MethodGet): // a test for a network
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
	a := s.answer(req)
	if a.Hangs != nil {
		<-r.Context().Done()
		close(a.Hangs)
		return
	}
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
	p.write(&stream{w: w, streamed: req.stream}, req, rep)
}

// answer runs the script.
func (s *Server) answer(req Request) Answer {
	switch {
	case len(req.Tools) == 0 && req.fields != nil:
		object, err := json.Marshal(req.fields)
		if err != nil {
			return Answer{Status: http.StatusInternalServerError, Text: err.Error()}
		}
		return Answer{Text: string(object)}
	case len(req.Tools) == 0:
		return Answer{Text: "scripted"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	return s.script(req)
}

// stream writes server-sent events, or one JSON value if the agent wants no stream.
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
	b, _ := json.Marshal(data) // strings, numbers and maps always encode
	fmt.Fprintf(s.w, "data: %s\n\n", b)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}

var errForm = errors.New("content of an unknown form")

// text reads a string or a list of parts with texts.
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
