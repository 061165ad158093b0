package testdesk

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// command is for the page, report is its answer.
type command struct {
	ID   int
	Do   string
	N    int
	Text string
}

type report struct {
	Kind  string // loaded, message, file, key or reply
	ID    int
	Text  string
	Key   Key
	State State
}

// serve takes the script that makes the chat input.
func serve(input []byte) (*Page, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Page{
		url:      "http://" + listener.Addr().String() + "/",
		commands: make(chan command, 16),
		changed:  make(chan struct{}),
		replies:  map[int]State{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(pageHTML) // a browser that went away misses nothing
	})
	mux.HandleFunc("GET /input.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(input) // as above
	})
	mux.HandleFunc("GET /commands", p.serveCommands)
	mux.HandleFunc("POST /report", p.serveReport)
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(listener) }() // ends with Close
	return p, nil
}

// serveCommands streams the commands as Server-Sent Events.
func (p *Page) serveCommands(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	if errors.Join(write(w, ": hello\n\n"), flush()) != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case c := <-p.commands:
			data, err := json.Marshal(c)
			if errors.Join(err, write(w, "data: %s\n\n", data), flush()) != nil {
				return
			}
		}
	}
}

func write(w http.ResponseWriter, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

func (p *Page) serveReport(w http.ResponseWriter, r *http.Request) {
	var rep report
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&rep); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch rep.Kind {
	case "loaded":
		p.loaded = true
	case "message":
		p.messages = append(p.messages, rep.Text)
	case "file":
		p.files = append(p.files, rep.Text)
	case "key":
		p.keys = append(p.keys, rep.Key)
	case "reply":
		p.replies[rep.ID] = rep.State
	}
	close(p.changed)
	p.changed = make(chan struct{})
}
