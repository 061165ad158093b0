package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
)

// player is a loop that goes on from turn to turn, in a place of its own.
type player struct {
	name  string
	hooks hooks
	scene scene
	login bool
	turns int
	fired int // hooks of the last turn
	taken []sample
}

// turns measures whole iterations.
func (b *bench) turns(ctx context.Context, r *record) error {
	if !b.comparable(r) {
		return nil
	}
	floor, ours, bash, err := b.contestants()
	if err != nil {
		return err
	}
	players, err := b.players(floor, ours, bash)
	if err != nil {
		return err
	}
	for _, n := range []int{min(2, b.settings.warmup), max(1, b.settings.n/5)} {
		for _, p := range players {
			p.taken = nil
		}
		for range n {
			for _, i := range rand.Perm(len(players)) { // #nosec G404 -- the order of a measurement
				if ctx.Err() != nil {
					return errors.New("interrupted")
				}
				if err := b.play(players[i]); err != nil {
					return fmt.Errorf("turn %d of %s: %w", players[i].turns, players[i].name, err)
				}
			}
		}
	}
	for _, p := range players {
		row := key("case", fmt.Sprintf("%d hooks", p.fired)) + key("place", p.scene.place) + startedBy(p.login)
		for _, s := range p.taken {
			r.add("Turn", row, p.name, s.wall.Nanoseconds(), "ns/op")
			r.add("Turn", row, p.name, s.cpu.Nanoseconds(), "cpu-ns/op")
		}
	}
	return nil
}

// players come in pairs: started directly, and by the login shell.
func (b *bench) players(floor, ours, bash hooks) (list []*player, err error) {
	place, root := b.work.quick()
	for _, p := range []player{
		{name: "floor", hooks: floor}, {name: "hook", hooks: ours}, {name: inGit, hooks: ours}, {name: "bash", hooks: bash},
	} {
		for _, p.login = range []bool{false, true} {
			if p.scene, err = newScene(place, root, fmt.Sprintf("turn-%s-%t", p.name, p.login)); err != nil {
				return nil, err
			}
			if err := p.begin(); err != nil {
				return nil, err
			}
			own := p
			list = append(list, &own)
		}
	}
	return list, nil
}

// begin lays out the files that the turns change, and asks for the loop.
func (p *player) begin() error {
	files := func() error { return p.scene.files(30) }
	if p.name == inGit {
		files = p.scene.repository
	}
	return errors.Join(files(), p.scene.reset(turnID), p.scene.resetBash(turnID))
}

const (
	turnID = "a-long-loop"
	inGit  = "hook-in-git"
)

// play is one turn: the message, the tool calls, the answer, the stop.
func (b *bench) play(p *player) error {
	p.turns++
	p.fired = 0
	var sum sample
	for _, e := range p.scene.events(p.turns, b.settings.tools) {
		fits := empty
		if e["hook_event_name"] == "stop" && p.hooks.who != "floor" {
			fits = goesOn(p.turns+1, task)
		}
		if input, ok := e["tool_input"].(map[string]string); ok && e["tool_name"] == "Write" {
			if err := resetFile(input["file_path"], fmt.Appendf(nil, "written in turn %d\n", p.turns)); err != nil {
				return err
			}
		}
		took, err := b.fire(p.hooks, p.scene, turnID, e, p.login, fits)
		if err != nil {
			return err
		}
		if took.wall > 0 {
			p.fired++
		}
		sum.wall, sum.cpu = sum.wall+took.wall, sum.cpu+took.cpu
	}
	p.taken = append(p.taken, sum)
	return nil
}

// events are those that Cursor fires in a turn and that anybody may hook.
func (s scene) events(turn, tools int) (list []event) {
	list = append(list, promptEvent(fmt.Sprintf("[Ralph loop %d/10000] the follow-up of the turn before: %s", turn, task)))
	for i := range tools {
		for _, name := range []string{"preToolUse", "postToolUse"} {
			list = append(list, s.call(name, i, fmt.Sprintf("tool-%d-%d", turn, i)))
		}
		if i%4 == 0 {
			list = append(list, event{"hook_event_name": "afterShellExecution", "command": "go test ./...", "output": "ok", "duration": 1200})
		}
	}
	list = append(list, answerEvent(fmt.Sprintf("In turn %d I did another part of it.", turn)), stopEvent(turn-1))
	for _, e := range list {
		e["generation_id"] = fmt.Sprintf("turn-%d", turn)
	}
	return list
}

// call is one of a mixture: a command, a file read, a search, a file written.
func (s scene) call(name string, i int, id string) event {
	e := shellEvent(name)
	switch i % 4 {
	case 1:
		e["tool_name"], e["tool_input"] = "Read", map[string]string{"file_path": s.file(i % 30)}
	case 2:
		e["tool_name"], e["tool_input"] = "Grep", map[string]string{"pattern": "func main"}
	case 3:
		e["tool_name"], e["tool_input"] = "Write", map[string]string{"file_path": s.file(i % 30), "contents": "written"}
	}
	e["tool_use_id"] = id
	return e
}
