package hostile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// stopsWithin ends a turn with a bound on memory; the hook itself has one on time.
func (p person) stopsWithin(most int64) (out string) {
	p.Helper()
	out, mib := p.memory(p.stopOf("chat-1"), "cursor-ralph-hook")
	if mib > most {
		p.Errorf("the stop took %d MiB, want %d at most", mib, most)
	}
	return out
}

// TestAJournalOfManyLines: it takes few bytes to make many lines, and every line takes time.
func TestAJournalOfManyLines(t *testing.T) {
	lines := func(n int, line string) []byte { return bytes.Repeat([]byte(line+"\n"), n) }
	var generations, texts bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintf(&generations, "{\"e\":\"tool\",\"tool\":\"t%d\",\"gen\":\"%07d\"}\n", i, i)
		fmt.Fprintf(&texts, "{\"e\":\"text\",\"gen\":\"g\",\"text\":\"%d\"}\n", i)
	}
	for _, c := range short.First([]struct {
		name, want string
		journal    []byte
		most       int64
	}{
		{"47 MB of empty objects", "paused", lines(47<<20/3, "{}"), 200},
		{"47 MB of empty lines", "paused", lines(47<<20, ""), 200},
		{"generations", "running", generations.Bytes(), 150},
		{"texts", "running", texts.Bytes(), 150},
	}, 1) {
		t.Run(c.name, func(t *testing.T) {
			p := newPerson(t, "work")
			p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": `/ralph-loop "the task" --min-tool-calls 0`})
			p.hook("afterAgentResponse", "chat-1", fields{"text": "I begin."})
			f, err := os.OpenFile(p.journal(), os.O_APPEND|os.O_WRONLY, 0)
			p.must(err)
			_, err = f.Write(c.journal)
			p.must(err)
			p.must(f.Close())
			p.stopsWithin(c.most)
			if got := p.command("status").out; !strings.Contains(got, c.want) || c.want == "paused" && !strings.Contains(got, "lines of words and tool calls") {
				t.Errorf("got %s, want that it is %s, and why", got, c.want)
			}
		})
	}
}

// TestAStateWithManyValues: the file is moved aside, and the loop pauses in its record.
func TestAStateWithManyValues(t *testing.T) {
	for _, c := range short.First([]struct{ name, field, value string }{
		{"iterations", "history", "{}"},
		{"deliveries", "injections", "{}"},
		{"words", "context", `""`},
	}, 1) {
		t.Run(c.name, func(t *testing.T) {
			p := newPerson(t, "work")
			p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": `/ralph-loop "the task"`})
			p.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
			many := strings.TrimSuffix(strings.Repeat(c.value+",", 2_000_000), ",")
			if c.field == "injections" {
				many = `{"injections":[` + many + `]}`
				c.field = "history"
			}
			live := p.loopFile("-loop-chat-1.json")
			p.write(live, `{"prompt":"the task","`+c.field+`":[`+many+`]}`)
			if out := p.stopsWithin(100); strings.TrimSpace(out) != "{}" {
				t.Errorf("got %s, want {}", out)
			}
			if got := p.command("doctor", "--verbose").out; !strings.Contains(got, "moved aside") {
				t.Errorf("got %s, want that a file was moved aside", got)
			}
			if got := p.command("list").out; !strings.Contains(got, "paused") && !strings.Contains(got, "interrupted") {
				t.Errorf("got %s, want the loop, not running", got)
			}
		})
	}
}

// TestLargePendingFiles: sparse files cost nothing to make. None is read, and the doctor shows them.
func TestLargePendingFiles(t *testing.T) {
	p := newPerson(t, "work")
	folder := p.loopFile("-pending")
	p.must(os.Mkdir(folder, 0o700))
	for i := range 300 {
		path := filepath.Join(folder, fmt.Sprintf("%d-%d.json", 1_790_000_000_000+i, i+1))
		p.write(path, "")
		p.must(os.Truncate(path, 63<<20))
	}
	if out := p.stopsWithin(60); strings.TrimSpace(out) != "{}" {
		t.Errorf("got %s, want {}", out)
	}
	if got := p.command("doctor", "--verbose").out; !strings.Contains(got, "too large: over 1 MiB") {
		t.Errorf("got %s, want the files shown", got)
	}
	if got := p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": "/ralph-loop " + strings.Repeat("words ", 1<<18)}); !strings.Contains(got.out, "Nothing was started: the task is too long") {
		t.Errorf("got %.300s, want a task refused that no pending file can hold", got.out)
	}
}

// TestTooManyLiveFiles: the user's own loop is among those that are read.
func TestTooManyLiveFiles(t *testing.T) {
	p := newPerson(t, "work")
	p.hook("beforeSubmitPrompt", "zz-chat", fields{"prompt": `/ralph-loop "my own task"`})
	p.hook("stop", "zz-chat", fields{"status": "completed", "loop_count": 0})
	for i := range 20_000 {
		p.write(p.loopFile(fmt.Sprintf("-loop-x%06d.json", i)), `{"prompt": "of nobody"}`)
	}
	for _, args := range [][]string{{"list"}, {"status"}, {"doctor", "--verbose"}} {
		out, mib := p.memory("", "cursor-ralph", args...)
		if mib > 150 {
			t.Errorf("%s took %d MiB, want 150 at most", args, mib)
		}
		want := map[string][]string{
			"list": {"more than 1000 files of loops", "19001 are not read", "my own task"}, "status": {"my own task"},
			"doctor": {"more than 1000 files of loops", "19001 are not read"},
		}[args[0]]
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: got %.400s\nwant %s in it", args, out, w)
			}
		}
	}
}
