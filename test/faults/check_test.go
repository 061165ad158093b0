//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/state"
)

// profile is what an operation does when nothing goes wrong.
type profile struct {
	op     operation
	isHook bool
	world  world           // made ready, and copied for every try
	calls  []call          // about our files
	every  map[string]bool // the paths that are the same in every run
	states []string        // the counters that the loop has on the way, the last one at the end
	answer string
	finals []string        // and after the next stop
	seen   map[string]bool // the states of the files that were gone on with
}

func (p *profile) isEveryTime(c call) bool { return p.every[c.path] }

// met reports whether a state of the files was met before.
func (p *profile) met(files string) bool {
	before := p.seen[files]
	p.seen[files] = true
	return before
}

// learn makes an operation's world ready in a folder, and runs the operation
// unharmed in copies of it.
func learn(op operation, p programs, folder string) (*profile, error) {
	w, err := newWorld(p, folder+"/ready")
	if err != nil {
		return nil, err
	}
	if err := op.ready(w); err != nil {
		return nil, fmt.Errorf("%s: %w", op.name, err)
	}
	learned := &profile{op: op, world: w, seen: map[string]bool{}, every: map[string]bool{}}
	learned.isHook = op.run(w).args[0] == p.hook
	for i, twice := range []bool{false, true} {
		w, err := w.copy(fmt.Sprintf("%s/learn-%d", folder, i))
		if err != nil {
			return nil, err
		}
		if err := learned.clean(w, twice); err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
	}
	return learned, nil
}

func (p *profile) clean(w world, twice bool) error {
	start, _ := w.look(task)
	p.states = append(p.states, start.counters)
	before := p.calls
	o, calls, err := p.slowly(w)
	if err != nil {
		return err
	}
	p.calls = callsOf(calls, w.dir)
	for _, c := range p.calls {
		p.every[c.path] = slices.ContainsFunc(before, func(b call) bool { return b.path == c.path })
	}
	end, torn := w.look(task)
	p.states, p.answer = append(p.states, end.counters), w.general(o.stdout)
	if o.status.ExitStatus() != 0 || end.times() != 1 || len(torn) > 0 {
		return fmt.Errorf("unharmed: exit %d, %v, %q: %s", o.status.ExitStatus(), end, torn, o.stderr)
	}
	var problems []string
	if twice && !p.op.anew {
		problems = p.repeat(w)
	}
	final, more := p.goOn(w)
	if problems = slices.Concat(problems, more, p.told(w, false)); len(problems) > 0 {
		return fmt.Errorf("unharmed: %q", problems)
	}
	p.finals = append(p.finals, final.counters)
	return nil
}

// slowly runs the operation unharmed, and waits at each change of a name for the counters on the way to be seen.
func (p *profile) slowly(w world) (o outcome, calls string, err error) {
	over := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for tick := time.Tick(10 * time.Millisecond); ; {
			if now, torn := w.look(task); len(torn) == 0 && !slices.Contains(p.states, now.counters) {
				p.states = append(p.states, now.counters)
			}
			select {
			case <-over:
				return
			case <-tick:
			}
		}
	})
	o, calls, err = w.strace(p.op.run(w), "-e", "trace="+strings.Join(slices.Collect(maps.Keys(kinds())), ","),
		"-e", "inject=renameat,renameat2,linkat,unlinkat:delay_exit=100000")
	close(over)
	group.Wait()
	return o, calls, err
}

// general takes out of an answer what is another in every world.
func (w world) general(answer string) string {
	answer = regexp.MustCompile(`[0-9a-f]{16}`).ReplaceAllString(strings.ReplaceAll(answer, w.dir, "DIR"), "SECRET")
	answer = regexp.MustCompile(`"seconds": ?[0-9.e-]+`).ReplaceAllString(answer, "SECONDS")
	answer = regexp.MustCompile(`(--continue|cancel|note|blocked|task) [g-z][0-9a-z]{4}\b`).ReplaceAllString(answer, "$1 ID")
	return regexp.MustCompile(`\d{10,}-\d+`).ReplaceAllString(answer, "PENDING")
}

// check says what is wrong after an injury, and with the events after it. From a
// state of the files that was met before it is not gone on with again: what
// follows would be the same.
func (p *profile) check(w world, i injury, o outcome) (wrong []string) {
	if o.hung {
		return []string{"it hung"}
	}
	after, wrong := p.atOnce(w, i, o)
	if p.met(w.files()) {
		return wrong
	}
	return append(wrong, p.later(w, after)...)
}

// atOnce checks what the injured process has left.
func (p *profile) atOnce(w world, i injury, o outcome) (after found, wrong []string) {
	wrong = p.settle(w)
	after, torn := w.look(task)
	wrong = slices.Concat(wrong, torn, p.once(w, after), p.kept(w))
	if !p.isKnown(after.counters) && after.times() > 0 {
		wrong = append(wrong, fmt.Sprintf("got %v, want one of %q", after, p.states))
	}
	if locks := w.held(); len(locks) > 0 {
		wrong = append(wrong, fmt.Sprintf("held: %q", locks))
	}
	switch {
	case i.dead:
	case !o.killed():
		wrong = append(wrong, p.said(w, i, o, after)...)
	case i.errno != "":
		wrong = append(wrong, fmt.Sprintf("it died: %v", o.status.Signal()))
	}
	return after, wrong
}

// later checks what comes next: the same once more, and other events.
func (p *profile) later(w world, after found) (wrong []string) {
	left := w.unfinished()
	for _, path := range left { // as if it had been long ago
		long := time.Now().Add(-48 * time.Hour)
		_ = os.Chtimes(path, long, long)
	}
	if p.op.moves {
		wrong = append(wrong, w.silent()...)
	}
	if !p.op.anew || !p.isDone(w, after) {
		wrong = append(wrong, p.repeat(w)...)
	}
	final, problems := p.goOn(w)
	wrong = append(wrong, problems...)
	wrong = append(append(wrong, p.once(w, final)...), p.told(w, true)...)
	counters := final.counters
	if p.op.bare {
		counters = strings.Replace(counters, "iteration=1", "iteration=0", 1)
	}
	if !p.op.gated && !p.op.moves && !slices.Contains(p.finals, counters) {
		wrong = append(wrong, fmt.Sprintf("at the end got %v, want one of %q", final, p.finals))
	}
	if len(left) > 0 {
		wrong = append(wrong, p.swept(w)...)
	}
	return wrong
}

// isDone reports whether the operation was done to its end.
func (p *profile) isDone(w world, after found) bool {
	if p.op.other != "" {
		if other, _ := w.look(p.op.other); other.over == 0 {
			return false
		}
	}
	return after.counters == p.states[len(p.states)-1]
}

func (p *profile) once(w world, f found) (wrong []string) {
	if f.times() != 1 && !(p.op.begins && f.times() == 0) {
		wrong = append(wrong, fmt.Sprintf("the loop: got %v, want it once", f))
	}
	if p.op.other != "" {
		if f, _ := w.look(p.op.other); f.times() != 1 {
			wrong = append(wrong, fmt.Sprintf("the other loop: got %v, want it once", f))
		}
	}
	return wrong
}

// said checks what a process that was not killed says and gives.
func (p *profile) said(w world, i injury, o outcome, after found) (wrong []string) {
	end := p.states[len(p.states)-1]
	done := (after.counters == end || p.op.gated && isCounted(after.counters)) && after.times() == 1
	if i.errno == "EINTR" && (o.status.ExitStatus() != 0 || w.general(o.stdout) != p.answer || !done) {
		wrong = append(wrong, fmt.Sprintf("EINTR was seen: exit %d, %q, %q, %v", o.status.ExitStatus(), o.stdout, o.stderr, after))
	}
	if p.isHook {
		return append(wrong, p.answered(o, done)...)
	}
	first, _, _ := strings.Cut(o.stderr, "\n")
	switch code := o.status.ExitStatus(); {
	case code == 0 && !done:
		wrong = append(wrong, fmt.Sprintf("it exited 0 and was not done: %v", after))
	case code != 0 && !strings.HasPrefix(first, "cursor-ralph: "), code > 2: // 2 is what a file of settings gives that cannot be read
		wrong = append(wrong, fmt.Sprintf("exit %d, %q", code, o.stderr))
	case strings.Contains(o.stderr, "goroutine "):
		wrong = append(wrong, "it panicked: "+o.stderr)
	}
	return wrong
}

// answered checks a hook: exit 0, one JSON object and nothing else. A follow-up
// is not given before the turn is counted.
func (p *profile) answered(o outcome, done bool) (wrong []string) {
	var answer map[string]any
	d := json.NewDecoder(strings.NewReader(o.stdout))
	err := d.Decode(&answer)
	if o.status.ExitStatus() != 0 || o.stderr != "" || err != nil || answer == nil || d.More() {
		wrong = append(wrong, fmt.Sprintf("got exit %d, %q, %q, want one JSON object", o.status.ExitStatus(), o.stdout, o.stderr))
	}
	if _, followed := answer["followup_message"]; followed && !done {
		wrong = append(wrong, "a follow-up was given and the turn is not counted")
	}
	return wrong
}

// repeat does the operation once more, unharmed.
func (p *profile) repeat(w world) (wrong []string) {
	o, err := p.op.run(w).run()
	switch code := o.status.ExitStatus(); {
	case err != nil:
		return []string{err.Error()}
	case code != 0 && !(p.op.refused && code == 1):
		return []string{fmt.Sprintf("done once more: exit %d: %s", code, o.stderr)}
	}
	if strings.Contains(o.stdout, `"continue":false`) {
		w.turn.Add(-1) // a message that is kept back begins no turn
	}
	return nil
}

// goOn runs what comes next: a stop, and the commands that show loops.
func (p *profile) goOn(w world) (f found, wrong []string) {
	wrong = p.settle(w)
	if p.op.gated {
		wrong = append(wrong, p.conclude(w)...)
	}
	o, err := w.hook(w.stop()).run()
	if err != nil {
		return f, []string{err.Error()}
	}
	wrong = slices.Concat(wrong, p.answered(o, true), p.kept(w), p.hasCheckpoint(w))
	switch brought := strings.Contains(o.stdout, task); {
	case brought != (p.op.then == goesOn):
		wrong = append(wrong, fmt.Sprintf("the next stop got %.200q; %s", o.stdout, w.logged()))
	}
	f, torn := w.look(task)
	wrong = append(append(wrong, torn...), w.forgotten()...)
	if over := f.over > 0; over != (p.op.then == isOver) || f.pending > 0 {
		wrong = append(wrong, fmt.Sprintf("after the next stop: %v", f))
	}
	return f, append(wrong, w.shown()...)
}

// shown checks that the commands that show loops work, and know the loop.
func (w world) shown() (wrong []string) {
	o, err := w.cli("list", "--all", "--json").run()
	var list []struct{ ID, Prompt string }
	if err != nil || o.status.ExitStatus() != 0 || o.stderr != "" || json.Unmarshal([]byte(o.stdout), &list) != nil {
		return []string{fmt.Sprintf("list: %v, exit %d, %q, %q", err, o.status.ExitStatus(), o.stdout, o.stderr)}
	}
	id, times := "", 0
	for _, l := range list {
		if l.Prompt == task {
			id = l.ID
			times++
		}
	}
	if times != 1 {
		wrong = append(wrong, fmt.Sprintf("list: got it %d times: %s", times, o.stdout))
	}
	o, err = w.cli("status", id).run()
	if err != nil || o.status.ExitStatus() != 0 || !strings.Contains(o.stdout, task) {
		wrong = append(wrong, fmt.Sprintf("status: %v, exit %d, %q, %q", err, o.status.ExitStatus(), o.stdout, o.stderr))
	}
	return wrong
}

// forgotten checks that a live loop has a record of every iteration.
func (w world) forgotten() (wrong []string) {
	store := state.New(w.places, time.Now)
	l, err := store.Read(me)
	if err != nil {
		return nil // it has ended, or another check tells
	}
	for n, i := range l.History {
		if i.Number != n+1 {
			return []string{fmt.Sprintf("history: iteration %d comes after %d", i.Number, n)}
		}
	}
	if len(l.History) != l.Iterations {
		return []string{fmt.Sprintf("history: got %d records of %d iterations", len(l.History), l.Iterations)}
	}
	return nil
}

// logged returns the errors in the log.
func (w world) logged() string {
	data, _ := os.ReadFile(w.places.Log()) // without one there are none
	var errors []string
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "action=error") {
			errors = append(errors, strings.TrimSpace(line))
		}
	}
	return strings.Join(errors, "; ")
}

// swept checks that the next loop's beginning removes unfinished files.
func (p *profile) swept(w world) (wrong []string) {
	const third = "chat-3"
	err := w.pending(third, asked("one more task", nil))
	if err == nil {
		err = do(w.hook(w.event("stop", fields{"conversation_id": third, "status": "completed", "loop_count": 0})))
	}
	if left := w.unfinished(); err != nil || len(left) > 0 {
		return []string{fmt.Sprintf("left behind: %q (%v)", left, err)}
	}
	return nil
}
