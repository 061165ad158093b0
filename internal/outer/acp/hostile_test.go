package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// forever waits. An empty select would end as a deadlock.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func hangs(f *fake) {
	m, _ := f.prompt()
	f.say(m, "I will think about it")
	forever()
}

// long writes a long line between two texts.
func long(f *fake, begin, end string, length int) {
	f.raw("%s", begin)
	block := bytes.Repeat([]byte("x"), 1<<20)
	for range length >> 20 {
		_, _ = f.out.Write(block)
	}
	f.raw("%s\n", end)
}

var hostile = map[string]func(*fake){
	"hangs": hangs, "polite": polite,
	"deaf": func(f *fake) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		hangs(f)
	},
	"crashes": func(f *fake) { // at the prompt "crash", after much output
		m, text := f.prompt()
		for text != "crash" {
			f.end(m)
			m, text = f.prompt()
		}
		for range 20000 {
			fmt.Fprintln(os.Stderr, "chatter chatter chatter")
		}
		fmt.Fprintln(os.Stderr, "panic: out of luck")
		f.say(m, "I was just")
		f.raw(`{"jsonrpc":"2.0","method":"session/upd`)
		os.Exit(7)
	},
	"babbles": func(f *fake) { // prints lines that are not messages
		f.raw("Welcome!\n\n[1,2]\n7\nnull\n{\n\x00\xff\n")
		m, _ := f.prompt()
		f.raw(`{"jsonrpc":"2.0","method":"_vendor/news","params":{}}` + "\n")
		f.raw(`{"jsonrpc":"2.0","id":999,"result":{}}` + "\n")
		f.raw(`{"jsonrpc":"2.0","id":{},"result":{}}` + "\n")
		f.raw(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"nothing"}}` + "\n")
		f.raw(`{"jsonrpc":"2.0","method":"session/update","params":"nothing"}` + "\n")
		f.say(m, "it goes on")
		f.end(m)
		f.next()
	},
	"welcomes": func(f *fake) { // prints and exits
		f.raw("usage: agent [options]\n")
		os.Exit(2)
	},
	"deafens": func(f *fake) { // reads no more, and exits later
		m := f.next()
		_ = os.Stdin.Close()
		f.answer(m, plainHello)
		time.Sleep(300 * time.Millisecond)
		fmt.Fprintln(os.Stderr, "out of credit")
		os.Exit(3)
	},
	"floods": func(f *fake) { // many updates, and many that nobody understands
		m, _ := f.prompt()
		for range 20000 {
			f.say(m, "x")
		}
		for range 2000 {
			f.update(m, `{"sessionUpdate":"telepathy"}`)
		}
		f.say(m, "the end")
		f.end(m)
		f.next()
	},
	"answers-at-length": func(f *fake) {
		m, _ := f.prompt()
		long(f, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"x":"`, m.ID), `"}}`, 100<<20)
		f.next()
	},
	"line-without-end": func(f *fake) {
		for {
			f.raw("%s", strings.Repeat("y", 1<<20))
		}
	},
}

func TestHostileAgents(t *testing.T) {
	t.Parallel()
	for _, tt := range short.First([]struct {
		agent string
		texts []string // the last one
		want  string   // a part of the error; empty for success
		start bool     // it is a StartError
	}{
		{"babbles", list("it goes on"), "", false},
		{"welcomes", nil, "the agent ended with exit code 2: usage: agent [options]", true},
		{"deafens", nil, "the agent ended with exit code 3: out of credit", true},
		{"floods", list("the end"), "", false},
		{"answers-at-length", nil, "the agent sent a message of more than 10 MiB", false},
		{"line-without-end", nil, "the agent sent a message of more than 10 MiB", true},
	}, 5) {
		t.Run(tt.agent, func(t *testing.T) {
			c := config(t, tt.agent)
			d, s := open(t, c), &story{}
			err := d.Turn(t.Context(), outer.Prompt{Text: "go"}, s.see)
			if start := (*outer.StartError)(nil); errors.As(err, &start) != tt.start {
				t.Errorf("got %T, want a StartError: %v", err, tt.start)
			}
			if got := said(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if texts := s.texts(); len(tt.texts) > 0 && (len(texts) != 1 || !strings.HasSuffix(texts[0], tt.texts[0])) {
				t.Errorf("got %.100q, want one that ends in %q", texts, tt.texts)
			}
		})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys > 400<<20 {
		t.Errorf("the heap has grown to %d MB", m.HeapSys>>20)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, tt := range short.First([]struct {
		agent string
		grace time.Duration
	}{{"polite", time.Minute}, {"hangs", 100 * time.Millisecond}, {"deaf", 100 * time.Millisecond}}, 2) {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			c := config(t, tt.agent)
			c.Grace, c.Policy = tt.grace, outer.PolicyAsk
			c.Ask = func(ctx context.Context, _ Request) bool {
				<-ctx.Done()
				return true
			}
			d, s := open(t, c), &story{}
			ctx, cancel := context.WithCancel(t.Context())
			began := make(chan struct{}, 10)
			go func() {
				<-began
				<-began // the session, then a piece of text
				cancel()
			}()
			err := d.Turn(ctx, outer.Prompt{Text: "go"}, func(x outer.Seen) { s.see(x); began <- struct{}{} })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			if tt.agent == "polite" {
				same(t, "what it says", s.texts(), list("I ask", `{"outcome":{"outcome":"cancelled"}} after 1 cancels`))
				same(t, "the session goes on", take(t, d, outer.Prompt{Text: "more"}).sessions(), list("s1"))
			}
		})
	}
}

// polite is cancelled while it asks for permission.
func polite(f *fake) {
	for {
		m, text := f.prompt()
		if text == "go" {
			f.say(m, "I ask")
			f.update(m, `{"sessionUpdate":"tool_call","toolCallId":"1","title":"run x","kind":"execute","status":"pending"}`)
			a := f.ask("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"1"},"options":[{"optionId":"y","kind":"allow_once"}]}`)
			for f.cancels == 0 {
				f.cancels += map[string]int{"session/cancel": 1}[f.next().Method]
			}
			f.say(m, fmt.Sprintf("%s after %d cancels", a.Result, f.cancels))
			f.answer(m, `{"stopReason":"cancelled"}`)
			continue
		}
		f.end(m)
	}
}
