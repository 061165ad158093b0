package simulate

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

//go:embed session.yaml
var builtInSession []byte

type round struct {
	message string // "" before the first message
	pasted  bool
	turns   [][]step // the first for the message, the others for follow-ups
	after   []step   // events between turns
}

type step struct {
	verb  string
	text  string         // of verbs with a text
	parts map[string]any // of the others
}

type verb struct {
	parts []string // the required one first; none if the step has a text
	ends  bool     // the turn; the step has neither text nor parts
	play  func(step, *simcursor.Turn)
}

// verbs returns the verbs by name. Events show what was denied or failed.
func verbs() map[string]verb {
	return map[string]verb{
		"user":   {},
		"pasted": {},
		"say":    {play: func(s step, t *simcursor.Turn) { t.Say(s.text) }},
		"shell":  {play: func(s step, t *simcursor.Turn) { t.Shell(s.text) }},
		"read":   {play: func(s step, t *simcursor.Turn) { _, _ = t.Read(s.text) }},
		"types":  {play: func(s step, t *simcursor.Turn) { t.UserTypes(s.text) }},
		"pastes": {play: func(s step, t *simcursor.Turn) { t.UserPastes(s.text) }},
		"edit": {parts: []string{"path", "content"},
			play: func(s step, t *simcursor.Turn) { _ = t.Edit(s.part("path"), s.part("content")) }},
		"tool":  {parts: []string{"name", "input", "output", "error"}, play: step.playTool},
		"event": {parts: []string{"name", "fields"}, play: func(s step, t *simcursor.Turn) { s.fire(t.Context(), t.Chat) }},
		"spend": {parts: []string{"input", "output", "cache_read", "cache_write"}, play: step.playSpend},
		"stop":  {ends: true, play: func(step, *simcursor.Turn) {}},
		"abort": {ends: true, play: func(_ step, t *simcursor.Turn) { t.PressStop() }},
		"fail":  {ends: true, play: func(_ step, t *simcursor.Turn) { t.Fail() }},
	}
}

func readSession(name string) ([]round, error) {
	if name == "" {
		return parseSession(builtInSession)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, hint.New(err.Error(), "`cursor-ralph simulate --print-session` prints a template")
	}
	rounds, err := parseSession(data)
	if err != nil {
		return nil, hint.New(name+": "+err.Error(), "`cursor-ralph simulate --print-session` prints a template with all steps")
	}
	return rounds, nil
}

// parseSession reads a YAML list, or lines of JSON.
func parseSession(data []byte) ([]round, error) {
	items, err := sessionItems(data)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("it has no steps")
	}
	rounds := []round{{}}
	fresh := true // no turn is in progress
	for i, item := range items {
		s, err := parseStep(item)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		r := &rounds[len(rounds)-1]
		switch {
		case s.verb == "user" || s.verb == "pasted":
			rounds, fresh = append(rounds, round{message: s.text, pasted: s.verb == "pasted", turns: [][]step{nil}}), false
		case fresh && s.verb == "event":
			r.after = append(r.after, s)
		case r.message == "":
			return nil, fmt.Errorf("step %d: %s before the first user message", i+1, s.verb)
		default:
			fresh = r.add(s, fresh)
		}
	}
	return rounds, nil
}

func (r *round) add(s step, fresh bool) bool {
	if fresh {
		r.turns = append(r.turns, nil)
	}
	last := &r.turns[len(r.turns)-1]
	*last = append(*last, s)
	return verbs()[s.verb].ends
}

func sessionItems(data []byte) ([]any, error) {
	text := bytes.TrimSpace(data)
	if !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte(`"`)) {
		var items []any
		err := yaml.Unmarshal(text, &items)
		return items, err
	}
	var items []any
	for line := range bytes.Lines(text) {
		var item any
		if err := yaml.Unmarshal(line, &item); err != nil { // JSON is YAML
			return nil, err
		}
		if item != nil {
			items = append(items, item)
		}
	}
	return items, nil
}

func parseStep(item any) (step, error) {
	switch v := item.(type) {
	case string:
		if verbs()[v].ends {
			return step{verb: v}, nil
		}
		return step{}, fmt.Errorf("%q is not a step", v)
	case map[string]any:
		if len(v) == 1 {
			for verb, value := range v {
				return parseVerb(verb, value)
			}
		}
	}
	return step{}, errors.New("not a single `verb: value`")
}

func parseVerb(name string, value any) (step, error) {
	s := step{verb: name}
	text, isText := value.(string)
	v, ok := verbs()[name]
	switch {
	case !ok || v.ends:
		return s, fmt.Errorf("unknown step %q", name)
	case v.parts == nil && text == "":
		return s, fmt.Errorf("%s needs a text", name)
	case v.parts == nil:
		s.text = text
		return s, nil
	}
	s.parts, _ = value.(map[string]any)
	if isText && name == "event" {
		s.parts = map[string]any{"name": text}
	}
	return s, s.check(v.parts)
}

func (s step) check(known []string) error {
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s has no %q", s.verb, name)
		}
	}
	if s.verb == "spend" {
		return s.checkCounts()
	}
	if s.part(known[0]) == "" {
		return fmt.Errorf("%s needs a %s", s.verb, known[0])
	}
	if s.verb == "event" && !slices.Contains(simcursor.AllEvents(), s.part("name")) {
		return fmt.Errorf("unknown event %q", s.part("name"))
	}
	for _, name := range []string{"input", "fields"} {
		if _, isMap := s.parts[name].(map[string]any); s.parts[name] != nil && !isMap {
			return fmt.Errorf("%s: %s is not a map", s.verb, name)
		}
	}
	return nil
}

func (s step) checkCounts() error {
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		if n, ok := s.parts[name].(int); !ok || n < 0 {
			return fmt.Errorf("spend: %s is not a number of tokens", name)
		}
	}
	if len(s.parts) == 0 {
		return errors.New("spend needs a number of tokens")
	}
	return nil
}

func (s step) count(name string) int {
	n, _ := s.parts[name].(int)
	return n
}

func (s step) part(name string) string {
	text, _ := s.parts[name].(string)
	return text
}

func (s step) object(name string) map[string]any {
	object, _ := s.parts[name].(map[string]any)
	if object == nil {
		return map[string]any{}
	}
	return object
}

func (s step) playSpend(t *simcursor.Turn) {
	t.Spend(simcursor.Tokens{Input: s.count("input"), Output: s.count("output"),
		CacheRead: s.count("cache_read"), CacheWrite: s.count("cache_write")})
}

func (s step) playTool(t *simcursor.Turn) {
	if message := s.part("error"); message != "" {
		_ = t.FailTool(s.part("name"), s.object("input"), message)
		return
	}
	_ = t.Tool(s.part("name"), s.object("input"), s.part("output"))
}

func (s step) fire(ctx context.Context, chat *simcursor.Chat) {
	fields := chat.SampleFields(s.part("name"))
	maps.Copy(fields, s.object("fields"))
	chat.Fire(ctx, s.part("name"), fields)
}

type agent struct {
	rounds []round
	now    int // the round
	turn   int // of the round, from 1
}

func (a *agent) play(t *simcursor.Turn) {
	turns := a.rounds[a.now].turns
	a.turn++
	if a.turn > len(turns) {
		t.Say("(The session has no more turns.)")
		return
	}
	for _, s := range turns[a.turn-1] {
		verbs()[s.verb].play(s, t)
	}
}

func (a *agent) left() int { return max(0, len(a.rounds[a.now].turns)-a.turn) }

func headline(s string) string {
	first := text.First(s)
	if first != strings.TrimSpace(s) {
		first += " …"
	}
	return first
}
