package pending

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"runtime"
	"time"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// sketch is what tells whose a pending file is. To read a state whole costs many
// times as much, and there may be thousands of files of others.
type sketch struct {
	name, path string
	age        time.Duration // since the file was last written
	err        error         // what is wrong with the file
	broken     bool          // it could be read and is not a loop's file, or not yet

	prompt, owner, workspace, cwd, status, token string
	ended                                        bool
}

// item is the sketch of a file that cannot be claimed as it is.
func (i *sketch) item() Item {
	return Item{Name: i.name, Path: i.path, Age: i.age, Err: i.err, broken: i.broken}
}

func (b *Box) sketch(name, path string) *sketch {
	data, info, err := ownfile.Read(path, 0)
	i := &sketch{name: name, path: path, err: err}
	if info != nil {
		i.age = b.now().Sub(info.ModTime())
	}
	if err == nil {
		i.draw(data)
	}
	return i
}

// draw reads what it can make out, and all else as it is read for a claim.
func (i *sketch) draw(data []byte) {
	if i.outline(data) {
		i.ended = loop.Status(i.status).Ended()
		return
	}
	l, err := loop.Parse(data)
	i.err, i.broken = err, err != nil && !errors.Is(err, loop.ErrNewer)
	i.prompt, i.owner, i.workspace, i.cwd, i.token, i.ended = l.Prompt, l.ConversationID, l.Workspace, l.Cwd, l.Token, l.Status.Ended()
}

func (i *sketch) outline(data []byte) (known bool) {
	version := 0
	known = walk(data, func(name string, value []byte) bool {
		switch name {
		case "prompt":
			return text(value, &i.prompt)
		case "conversation_id":
			return text(value, &i.owner)
		case "workspace":
			return text(value, &i.workspace)
		case "cwd":
			return text(value, &i.cwd)
		case "status":
			return text(value, &i.status)
		case "token":
			return text(value, &i.token)
		case "version":
			return json.Unmarshal(value, &version) == nil
		}
		return true
	})
	return known && i.prompt != "" && version <= loop.Version
}

// text reads a string. One with escapes, or what is no text, is left to
// encoding/json.
func text(value []byte, to *string) bool {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 || !utf8.Valid(value) {
		return json.Unmarshal(value, to) == nil
	}
	*to = string(value[1 : len(value)-1])
	return true
}

// walk calls field for each field of a JSON object, with the bytes of its value.
// It returns false where field does, where a name is not in plain small letters,
// and where it sees that the object is not well formed.
func walk(data []byte, field func(name string, value []byte) bool) bool {
	rest, ok := after(data, '{')
	for ok {
		n := stringEnd(rest)
		if n < 2 || !plain(rest[1:n-1]) {
			return false
		}
		name := rest[1 : n-1]
		if rest, ok = after(rest[n:], ':'); !ok {
			return false
		}
		n = valueEnd(rest)
		if n == 0 || !field(string(name), rest[:n]) {
			return false
		}
		if end, last := after(rest[n:], '}'); last {
			return len(end) == 0
		}
		rest, ok = after(rest[n:], ',')
	}
	return false
}

// after skips white space, a sign and the white space behind it.
func after(data []byte, sign byte) (rest []byte, ok bool) {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != sign {
		return data, false
	}
	return bytes.TrimLeft(data[1:], " \t\r\n"), true
}

// plain reports whether a name can be compared as it is: encoding/json takes
// other letters for the same.
func plain(name []byte) bool {
	for _, c := range name {
		if c != '_' && (c < 'a' || 'z' < c) {
			return false
		}
	}
	return true
}

// stringEnd is how long the string at the beginning is, 0 for none.
func stringEnd(data []byte) int {
	if len(data) == 0 || data[0] != '"' {
		return 0
	}
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// valueEnd is how long the value at the beginning is, 0 for none.
func valueEnd(data []byte) int {
	if n := stringEnd(data); n > 0 {
		return n
	}
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			n := stringEnd(data[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// readAtOnce is how many files a reader takes at a time; fewer are not worth
// another one.
const readAtOnce = 64

// unbound reads outlines of the unbound files and the legacy one, in no order.
func (b *Box) unbound() iter.Seq[*sketch] {
	return func(yield func(*sketch) bool) {
		names, _, err := b.stems()
		if err != nil || !yield(b.sketch(legacyName, b.places.Legacy())) {
			return
		}
		for batch := range b.sketches(names) {
			for _, i := range batch {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// sketches reads files in batches, one for each processor at a time.
func (b *Box) sketches(names []string) iter.Seq[[]*sketch] {
	return func(yield func([]*sketch) bool) {
		readers := min(runtime.GOMAXPROCS(0), (len(names)+readAtOnce-1)/readAtOnce)
		done := make(chan []*sketch, readers)
		next := func() {
			batch := names[:min(len(names), readAtOnce)]
			names = names[len(batch):]
			go func() { done <- b.sketchAll(batch) }()
		}
		for range readers {
			next()
		}
		for running := readers; running > 0; running-- {
			batch := <-done
			if len(names) > 0 {
				next()
				running++
			}
			if !yield(batch) {
				return // the others end by themselves: the channel has room
			}
		}
	}
}

func (b *Box) sketchAll(names []string) (all []*sketch) {
	for _, name := range names {
		all = append(all, b.sketch(name, b.path(name)))
	}
	return all
}
