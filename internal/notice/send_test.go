package notice

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "supervise" {
		code, err := supervise.Run(os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			os.Exit(1)
		}
		os.Exit(code)
	}
	Guard()
	os.Exit(m.Run())
}

// secret is in every URL here, wherever services have passwords.
const secret = "hunter2-T0KEN"

// sender is quick, and has this program supervise commands.
func sender(t *testing.T) Sender {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Sender{Self: self, Shell: "/bin/sh", Env: os.Environ(), Limit: 5 * time.Second, Backoff: time.Millisecond}
}

func aNotice() Notice {
	return Of(loop.State{ID: "k7f2m", Status: loop.PromiseAccepted, Workspace: "/home/u/private/repo", Reason: "said in private",
		Contract: loop.Contract{Prompt: "make it green\nand private", Iterations: 3, MaxIterations: 20}}, 0, time.Now(), false)
}

// server is a service on this machine. It returns the URL of each kind of service that has one there.
func server(t *testing.T, answer http.HandlerFunc) (urls []string, calls *atomic.Int32) {
	t.Helper()
	calls = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	at := strings.TrimPrefix(s.URL, "http://")
	return []string{
		"generic://" + at + "/" + secret + "?disabletls=yes&token=" + secret,
		"generic+http://" + at + "/" + secret,
		"ntfy://me:" + secret + "@" + at + "/" + secret + "?scheme=http",
		"gotify://" + at + "/AbcdefghijkLmno?disabletls=yes&useheader=yes",
		"mattermost://" + at + "/" + secret + "?disabletls=yes",
	}, calls
}

// without fails if a text has a password in it.
func without(t *testing.T, texts ...string) {
	t.Helper()
	for _, s := range texts {
		for _, part := range []string{secret, strings.ToLower(secret), "T0KEN", "AbcdefghijkLmno", "aHVudGVy", "127.0.0.1"} {
			if strings.Contains(s, part) {
				t.Errorf("got %q, which has %s in it", s, part)
			}
		}
	}
}

func TestAServiceThatAccepts(t *testing.T) {
	t.Parallel()
	var bodies atomic.Value
	bodies.Store("")
	urls, calls := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies.Store(bodies.Load().(string) + string(body))
		_, _ = io.WriteString(w, `{"id":1,"message":"x"}`)
	})
	for _, u := range urls {
		before := calls.Load()
		bodies.Store("")
		r := sender(t).Send(t.Context(), []Channel{Channel(u)}, aNotice())[0]
		if !r.OK || r.Tries != 1 || calls.Load() != before+1 {
			t.Errorf("%s: got %+v and %d calls", u, r, calls.Load()-before)
		}
		got := bodies.Load().(string)
		for _, part := range []string{"repo", "Promise accepted after 3 iterations.", "k7f2m", "make it green"} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: got %s without %s", u, got, part)
			}
		}
		if strings.Contains(got, "private") {
			t.Errorf("%s: got %s", u, got)
		}
		without(t, r.Channel)
	}
}

// A server that never answers costs the time of its channel, once, and no other channel anything.
func TestAServiceThatHangs(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	hangs, calls := server(t, func(http.ResponseWriter, *http.Request) { <-free })
	defer close(free)
	accepts, _ := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	s := sender(t)
	s.Limit = 300 * time.Millisecond
	r := s.Send(t.Context(), []Channel{Channel(hangs[0]), Channel(accepts[0]), Channel(hangs[2]), "desktop"}, aNotice())
	if r[0].OK || r[0].Why != "no answer within 300ms" || r[0].Tries != 1 || !r[1].OK || r[2].OK || r[3].OK || calls.Load() != 2 {
		t.Errorf("got %+v, %d calls", r, calls.Load())
	}
	if r[1].Seconds >= s.Limit.Seconds() {
		t.Errorf("the one that accepts took %.3fs", r[1].Seconds)
	}
}

// A redirect does not take the address of a webhook, nor a token, to another server.
func TestAServiceThatRedirects(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 307, 308} {
		_, elsewhere := server(t, nil)
		stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		defer stranger.Close()
		urls, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL+"/"+secret+"?from="+r.URL.Path, code)
		})
		for _, u := range urls {
			r := sender(t).Send(t.Context(), []Channel{Channel(u)}, aNotice())[0]
			if r.OK || elsewhere.Load() != 0 || !strings.Contains(r.Why, "redirects") {
				t.Errorf("%d, %s: got %+v, and %d calls elsewhere", code, u, r, elsewhere.Load())
			}
			without(t, r.Channel, r.Why)
		}
	}
}

// Every service shows its URL in some error. None of it is passed on, also for a URL that cannot be used.
func TestNoSecretInAnError(t *testing.T) {
	t.Parallel()
	for _, name := range Services() {
		for _, rest := range []string{"://", "://" + secret, "://me:" + secret + "@" + secret + "/" + secret + "?x=" + secret + "#" + secret, "://%zz" + secret, "+http://" + secret + "/" + secret + "?" + secret + "=" + secret} {
			c := Channel(name + rest)
			if err := c.check(); err != nil {
				without(t, err.Error())
			}
			if name == "matrix" || strings.HasPrefix(rest, "://me:") || strings.HasPrefix(rest, "+") {
				continue // which it would reach
			}
			if err := c.Unusable(); err != nil {
				without(t, err.Error())
			}
		}
	}
	for _, text := range []string{secret, "https://hooks.example.com/" + secret, secret + "://x", "command:", " ", "desktop\nslack:" + secret} {
		if err := Check(text); err != nil {
			without(t, err.Error())
		} else if strings.TrimSpace(text) != "" {
			t.Errorf("%q is taken", text)
		}
	}
	for _, leak := range []error{errors.New("Post \"https://x/" + secret + "\": dial tcp: " + secret), errors.New(secret + " status 404 " + secret), errors.New("502 Bad Gateway " + secret)} {
		without(t, explain(leak))
	}
}

// A task of an agent's file is cut and cleaned, and mentions nobody.
func TestAHostileTask(t *testing.T) {
	t.Parallel()
	for _, task := range []string{
		"@everyone <!channel> <@U123> [click](https://evil.example) **b** `x` ||s|| \x1b]0;x\a\u202e\u0000\r\nsecond line",
		strings.Repeat("x", 100<<10), "\n\n\t", "\xff\xfe", "${jndi} $(reboot)",
	} {
		n := Of(loop.State{Status: loop.Running, Contract: loop.Contract{Prompt: task}, Workspace: "/x/@here\n<a>"}, 0, time.Now(), true)
		for _, text := range []string{n.Message(), n.Desktop()} {
			for _, sign := range []string{"@", "<", ">", "[", "*", "|", "`", "\x1b", "\a", "\u202e", "\x00", "\r", "second", "$("} {
				if strings.Contains(text, sign) {
					t.Errorf("got %q in %q", sign, text)
				}
			}
			if len([]rune(text)) > 500 || strings.Count(text, "\n") > 1 {
				t.Errorf("got %d characters: %.600q", len([]rune(text)), text)
			}
		}
	}
}
