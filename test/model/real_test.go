package model

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// pair is the model's files and real ones, to which the same things happen.
type pair struct {
	*testing.T
	m      *model
	w      world
	places platform.Places
	store  *state.Store
	box    *pending.Box
	path   [chats + 2]string // of the pending files
	turn   uint8
}

func newPair(t *testing.T) *pair {
	p := &pair{T: t, m: &model{bounds: bounds{limit: 2, most: 4}, pool: newPool()}}
	dir := t.TempDir()
	p.places = loopfiles.Places(t, filepath.Join(dir, "tmp"), filepath.Join(dir, "archive"))
	p.must(os.Mkdir(p.places.Base, 0o700))
	now := func() time.Time { return p.w.now.time() }
	p.store = state.New(p.places, now)
	p.box = pending.New(p.places, p.store, now)
	return p
}

func (p *pair) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// alone lets one process of the model do an operation, all its steps.
func (p *pair) alone(what proc, step func(r *run) outcome) (outcome, result) {
	p.Helper()
	r := &run{p.m, &p.w, command, &p.w.procs[command]}
	*r.p = what
	for range 20 {
		o := step(r)
		if o == finished || o == missing {
			did := r.p.did
			r.end()
			return o, did
		}
		if o == blocked {
			p.Fatal("the model waits for nobody")
		}
	}
	p.Fatal("the model has no end")
	return 0, result{}
}

// agrees compares how an operation ended.
func (p *pair) agrees(what string, err error, o outcome) {
	p.Helper()
	if gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist); err != nil && !gone || gone != (o == missing) {
		p.Fatalf("%s: got %v want outcome %d", what, err, o)
	}
}

func (p *pair) put(slot int, task uint8) string {
	if p.w.pend[slot] != 0 || slot == chats && p.w.pend[chats+1] != 0 || !p.forget(task) {
		return ""
	}
	l := p.m.asked(task)
	if slot < chats {
		l.ConversationID = names(uint8(slot))
	}
	path, err := p.box.Put(p.Context(), l)
	p.must(err)
	p.path[slot] = path
	when := p.w.now.time()
	p.must(os.Chtimes(path, when, when))
	l.CreatedAt = when
	p.w.pend[slot] = p.m.pool.state(l)
	p.w.rec[task] = p.w.pend[slot]
	return "put"
}

// forget removes the record of a loop that is over, and reports whether its id is free.
func (p *pair) forget(task uint8) bool {
	for _, list := range [][]ref{p.w.pend[:], p.w.live[:], p.w.over[:]} {
		for _, l := range list {
			if l != 0 && p.m.pool.task(l) == task {
				return false
			}
		}
	}
	if l := p.w.rec[task]; l != 0 && !p.m.pool.ended(l) {
		return false
	}
	p.w.rec[task] = 0
	p.leave(p.record(task), 0)
	return true
}

// record is the path of the record of a loop.
func (p *pair) record(task uint8) string {
	l := p.m.asked(task)
	return p.places.Record(l.ID)
}

func (p *pair) claim(c uint8, stop bool) string {
	who := pending.Claimant{ID: names(c), Stopped: stop}
	_, err := p.box.Claim(p.Context(), who)
	o, _ := p.alone(proc{chat: c}, func(r *run) outcome { return r.claim(c, stop) })
	p.agrees("claim", err, o)
	return fmt.Sprint("claim ", o)
}

func (p *pair) apply(id uint8, e event) string {
	l, action, err := p.store.Apply(p.Context(), names(id), p.m.pool.event(e))
	o, did := p.alone(proc{chat: e.chat}, func(r *run) outcome {
		if e.in {
			return r.applyIn(id, e)
		}
		return r.apply(id, e)
	})
	p.agrees(string(e.kind), err, o)
	if err == nil && (actionOf(action.Kind) != did.kind || action.Text != p.m.pool.texts[did.text]) {
		p.Fatalf("%s: got %+v want action %d: %q (%s)", e.kind, action, did.kind, p.m.pool.texts[did.text], l.Status)
	}
	return fmt.Sprint(e.kind, " ", o, " ", did.kind)
}

func (p *pair) cancelPending(slot int) string {
	if p.w.pend[slot] == 0 {
		return ""
	}
	name := strings.TrimSuffix(filepath.Base(p.path[slot]), ".json")
	_, _, err := p.box.Apply(p.Context(), name, loop.Event{Kind: loop.EventCancel})
	o, _ := p.alone(proc{}, func(r *run) outcome { return r.changePending(slot, event{kind: loop.EventCancel}) })
	p.agrees("cancel of a pending loop", err, o)
	return fmt.Sprint("cancel pending ", o)
}

func (p *pair) move(from, to uint8) string {
	err := p.store.Move(p.Context(), names(from), names(to))
	o, _ := p.alone(proc{}, func(r *run) outcome { return r.move(from, to) })
	p.agrees("move", err, o)
	return fmt.Sprint("move ", o)
}

// restore is what a hook does where the live file is gone.
func (p *pair) restore(id uint8) string {
	if p.w.chat[id] == 0 || p.w.hasFile(id) || p.w.pend[id] != 0 {
		return ""
	}
	_, err := p.store.Restore(p.Context(), names(id))
	o, _ := p.alone(proc{}, func(r *run) outcome { return r.restore(id) })
	p.agrees("restore", err, o)
	return "restore"
}

// notes is what another hook notes, of a loop that is there.
func (p *pair) notes(id uint8, r loop.Record) string {
	if l := p.w.live[id]; l == 0 || p.m.pool.ended(l) {
		return ""
	}
	p.must(p.store.AddToJournal(names(id), r))
	when := epoch()
	p.must(os.Chtimes(p.places.Journal(names(id)), when, when))
	p.w.journal[id] = p.m.pool.record(p.w.journal[id], r)
	return "record"
}

// act is one of everything that may happen.
func (p *pair) act(rnd *rand.Rand) string {
	id, other := uint8(rnd.IntN(chats)), uint8(rnd.IntN(chats))
	steer := []loop.EventKind{loop.EventPause, loop.EventResume, loop.EventCancel, loop.EventInject, loop.EventContinue}
	switch n := rnd.IntN(29); {
	case n < 4:
		return p.put(n, uint8(rnd.IntN(tasks)))
	case n < 6:
		return p.claim(id, n == 4)
	case n < 11:
		return p.apply(id, event{kind: steer[n-6], idle: n == 10 && rnd.IntN(2) == 0})
	case n < 16:
		p.turn++
		e := event{kind: loop.EventStop, chat: id, gen: p.turn, lc: uint8(rnd.IntN(2)), status: loop.Completed, limit: 2}
		if n > 12 {
			e.typing = []loop.Typing{loop.TypingPossible, loop.TypingImpossible, ""}[n-13]
		}
		return p.apply(id, e)
	case n == 16:
		return p.apply(id, event{kind: loop.EventStop, chat: id, gen: p.turn, status: loop.Aborted})
	case n == 17:
		return p.apply(id, event{kind: loop.EventContinue, chat: other, in: true, line: rnd.IntN(2) == 0})
	case n == 18:
		return p.apply(id, event{kind: loop.EventMessage, text: p.m.pool.text("Hello.")})
	case n == 19:
		return p.reported(id)
	case n == 20:
		return p.cancelPending(rnd.IntN(len(p.path)))
	case n == 21:
		return p.move(id, 1-id)
	case n == 28:
		p.w.now.ticks++
		return "time passes"
	case n == 27:
		return p.restore(id)
	case n > 23:
		return p.killed(rnd, id)
	case n == 22:
		return p.notes(id, loop.Record{Kind: loop.RecordText, At: p.w.now.time(), Text: "<promise>COMPLETE</promise>"})
	}
	return p.notes(id, loop.Record{Kind: loop.RecordPrompt, At: p.w.now.time()})
}

// killed lets the model begin an operation that a kill ends, and puts the files that
// are left where the real store finds them.
func (p *pair) killed(rnd *rand.Rand, id uint8) string {
	p.turn++
	stop := event{kind: loop.EventStop, chat: id, gen: p.turn, status: loop.Completed, limit: 2}
	slot := rnd.IntN(len(p.path))
	names := []string{"a stop", "a cancel", "a claim", "a cancel of a pending loop", "a move"}
	steps := []func(r *run) outcome{
		func(r *run) outcome { return r.apply(id, stop) },
		func(r *run) outcome { return r.apply(id, event{kind: loop.EventCancel}) },
		func(r *run) outcome { return r.claim(id, true) },
		func(r *run) outcome { return r.changePending(slot, event{kind: loop.EventCancel}) },
		func(r *run) outcome { return r.move(id, 1-id) },
	}
	n, last := rnd.IntN(len(steps)), 1+rnd.IntN(4)
	r := &run{p.m, &p.w, command, &p.w.procs[command]}
	*r.p = proc{chat: id}
	o := more
	for i := 0; i < last && o == more; i++ {
		o = steps[n](r)
	}
	if o == more {
		p.w.kill(command)
	}
	r.end()
	p.left()
	return fmt.Sprint("kill of ", names[n], " ", o)
}

// left writes down the files of the model, as a kill left them.
func (p *pair) left() {
	for slot, l := range p.w.pend {
		if l != 0 || p.path[slot] != "" {
			p.leave(p.path[slot], l)
		}
	}
	for c := range uint8(chats) {
		p.leave(p.places.Live(names(c)), max(p.w.live[c], p.w.over[c]))
		p.write(p.places.Chat(names(c)), p.w.entryFile(p.m, c))
		if p.w.journal[c] == 0 {
			p.leave(p.places.Journal(names(c)), 0)
		}
	}
	for task, l := range p.w.rec {
		p.leave(p.record(uint8(task)), l)
	}
}

// entryFile is what the file holds by which a chat names its loop.
func (w *world) entryFile(m *model, c uint8) string {
	if w.chat[c] == 0 {
		return ""
	}
	l := m.asked(w.chat[c] - 1)
	return l.ID + "\n"
}

func (p *pair) write(path, content string) {
	if content == "" {
		p.leave(path, 0)
		return
	}
	p.must(errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)))
}

func (p *pair) leave(path string, l ref) {
	var err error
	if l == 0 {
		err = os.Remove(path)
	} else if got, _ := os.ReadFile(path); string(got) != encoded(p.m.pool.states[l]) {
		when := p.w.now.time()
		if info, err := os.Stat(path); err == nil {
			when = info.ModTime() // which tells the order of claims
		}
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(encoded(p.m.pool.states[l])), 0o600),
			os.Chtimes(path, when, when))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Fatal(err)
	}
}

func (p *pair) reported(id uint8) string {
	l := p.w.live[id]
	if l == 0 {
		return ""
	}
	return p.apply(id, event{kind: loop.EventInjected, id: p.m.pool.text(p.m.pool.states[l].Delivery.ID), text: p.m.pool.text("no hook saw it")})
}

// compare looks at every file.
func (p *pair) compare() {
	p.Helper()
	for slot, path := range p.path {
		if p.w.pend[slot] != 0 || path != "" {
			p.file(fmt.Sprint("pending ", slot), path, p.w.pend[slot])
		}
		if p.w.pend[slot] == 0 {
			p.path[slot] = ""
		}
	}
	for c := range uint8(chats) {
		p.file("live "+names(c), p.places.Live(names(c)), max(p.w.live[c], p.w.over[c]))
		p.text("chat "+names(c), p.places.Chat(names(c)), p.w.entryFile(p.m, c))
		p.text("journal "+names(c), p.places.Journal(names(c)), p.m.pool.texts[p.w.journal[c]])
	}
	for task, l := range p.w.rec {
		p.file(fmt.Sprint("record ", task+1), p.record(uint8(task)), l)
	}
}

func (p *pair) text(what, path, want string) {
	p.Helper()
	got, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Fatal(err)
	}
	if string(got) != want {
		p.Fatalf("%s: got %q want %q", what, got, want)
	}
}

func (p *pair) file(what, path string, want ref) {
	p.Helper()
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && want == 0:
		return
	case err != nil || want == 0:
		p.Fatalf("%s: got %v want %s", what, err, p.m.line(want))
	}
	l, err := loop.Parse(data)
	p.must(err)
	if loop.IsForAnyChat(l.ConversationID) { // the record of one that waited for any chat
		l.ConversationID = ""
	}
	if got := p.m.pool.state(l); got != want {
		a, _ := p.m.pool.states[got].Encode()
		b, _ := p.m.pool.states[want].Encode()
		p.Fatalf("%s: got\n%swant\n%s", what, a, b)
	}
}

// The store of the model is the real one's likeness: whatever happens to both, in
// whatever order, their files are alike.
func TestTheModelsStoreIsLikeTheRealOne(t *testing.T) {
	walks, length := 25, 60
	if *deep {
		walks = 500
	}
	seen := map[string]int{}
	for walk := range walks {
		p, rnd := newPair(t), rand.New(rand.NewPCG(1, uint64(walk)))
		for range length {
			what := p.act(rnd)
			if what == "" {
				continue
			}
			seen[what]++
			if os.Getenv("MODEL_TRACE") != "" {
				t.Log(walk, what, p.w.live, p.w.over, p.w.chat, p.w.rec)
			}
			p.compare()
			p.w.now.opens++
		}
	}
	total := 0
	for _, n := range seen {
		total += n
	}
	if testing.Verbose() {
		t.Log(seen)
	}
	t.Logf("%d operations, of %d kinds with their outcomes", total, len(seen))
	if len(seen) < 36 {
		t.Errorf("got %d kinds of outcomes, too few to be a likeness: %v", len(seen), seen)
	}
}
