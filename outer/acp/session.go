package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// session is a conversation with the agent, and what can be chosen in it.
type session struct {
	ID    string `json:"sessionId"`
	Modes struct {
		Current string `json:"currentModeId"`
		List    []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Current string `json:"currentModelId"`
		List    []struct {
			ID   string `json:"modelId"`
			Name string `json:"name"`
		} `json:"availableModels"`
	} `json:"models"`
	Options []struct {
		ID       string          `json:"id"`
		Category string          `json:"category"`
		Current  json.RawMessage `json:"currentValue"`
		List     []struct {
			choice
			List []choice `json:"options"` // of a group
		} `json:"options"`
	} `json:"configOptions"`

	guarded bool   // the mode is one that only reads and plans
	usual   string // the mode otherwise
}

// choice is one of several values.
type choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

// selector is something that can be chosen in a session.
type selector struct {
	current string
	choices []choice
	method  string
	request func(value string) any
}

// open takes up a session, or begins one.
func (a *agent) open(ctx context.Context, id string) (*session, error) {
	if id != "" {
		s, err := a.takeUp(ctx, id)
		if _, lost := err.(*answered); !lost && (s != nil || err != nil) {
			return s, err
		}
		// The agent does not know it any more, or cannot do that at all.
	}
	s, err := a.begin(ctx)
	if h := (hinted{}); a.Auth != "" && errors.As(err, &h) {
		if _, err := a.call(ctx, sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: a.Auth}); err != nil {
			return nil, err
		}
		return a.begin(ctx)
	}
	return s, err
}

func (a *agent) begin(ctx context.Context) (*session, error) {
	s, err := a.enter(ctx, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	if err == nil && s.ID == "" {
		err = errors.New("it gave a session without a name")
	}
	return s, err
}

// takeUp goes on with a session of before, and gives none where the agent cannot.
func (a *agent) takeUp(ctx context.Context, id string) (s *session, err error) {
	switch {
	case a.about.Can.Load:
		s, err = a.enter(ctx, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	case len(a.about.Can.With.Resume) > 0 && string(a.about.Can.With.Resume) != "null":
		s, err = a.enter(ctx, sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{SessionId: sdk.SessionId(id), Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	}
	if s != nil {
		s.ID = id
		a.replayed(ctx)
	}
	return s, err
}

// replayQuiet is how long an agent has been quiet that has told all of a session.
const replayQuiet = 500 * time.Millisecond

// replayed waits for the end of what an agent tells of a session of before. It
// should come before the answer to its loading, and does not with all: then a
// promise of long ago would count as one of the next turn.
func (a *agent) replayed(ctx context.Context) {
	late := time.Now().Add(a.StartLimit)
	quiet := time.NewTimer(replayQuiet)
	defer quiet.Stop()
	for time.Now().Before(late) {
		select {
		case <-a.replays:
			quiet.Reset(replayQuiet)
		case <-quiet.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (a *agent) enter(ctx context.Context, method string, params any) (*session, error) {
	body, err := a.call(ctx, method, params)
	if err != nil {
		return nil, err
	}
	s := &session{}
	if err := lenient(body, s); err != nil {
		return nil, fmt.Errorf("read its answer to %s: %w", method, err)
	}
	return s, nil
}

// choose makes sure that the session uses a model.
func (a *agent) choose(ctx context.Context, model string) error {
	if model == "" {
		return nil
	}
	s, ok := a.session.model()
	if !ok && a.ModelFlag == "" {
		return hinted{errors.New("it does not let its model be chosen"), "leave the model out, and name it in the agent's own settings"}
	}
	value, known := s.find(model)
	switch {
	case !known && a.ModelFlag != "": // named at the start
		return nil
	case !known:
		return hinted{fmt.Errorf("it has no model %q", model), "it offers " + s.names()}
	}
	return a.set(ctx, s, value)
}

// guard puts the agent in a mode that only reads and plans, where it has one, or
// back in the usual one. Such a mode is set each time: agents leave it by
// themselves.
func (a *agent) guard(ctx context.Context, on bool) error {
	s, ok := a.session.mode()
	if !ok || !on && !a.session.guarded {
		return nil
	}
	value := a.session.usual
	if on {
		if value = s.planning(); value == "" {
			return nil
		}
	}
	if !a.session.guarded {
		a.session.usual = s.current
	}
	a.session.guarded = on
	s.current = ""
	return a.set(ctx, s, value)
}

func (a *agent) set(ctx context.Context, s selector, value string) error {
	if value == s.current || value == "" {
		return nil
	}
	_, err := a.call(ctx, s.method, s.request(value))
	return err
}

// model gives the choice of models. The configuration options are the newer way.
func (s *session) model() (selector, bool) {
	if o, ok := s.option("model"); ok {
		return o, true
	}
	m := selector{current: s.Models.Current, method: sdk.AgentMethodSessionSetModel}
	for _, c := range s.Models.List {
		m.choices = append(m.choices, choice{c.ID, c.Name})
	}
	m.request = func(value string) any {
		return sdk.UnstableSetSessionModelRequest{SessionId: sdk.SessionId(s.ID), ModelId: sdk.UnstableModelId(value)}
	}
	return m, len(m.choices) > 0
}

// mode gives the choice of modes.
func (s *session) mode() (selector, bool) {
	m := selector{current: s.Modes.Current, method: sdk.AgentMethodSessionSetMode}
	for _, c := range s.Modes.List {
		m.choices = append(m.choices, choice{c.ID, c.Name})
	}
	m.request = func(value string) any {
		return sdk.SetSessionModeRequest{SessionId: sdk.SessionId(s.ID), ModeId: sdk.SessionModeId(value)}
	}
	if len(m.choices) > 0 {
		return m, true
	}
	return s.option("mode")
}

// option gives the configuration option of a category.
func (s *session) option(category string) (selector, bool) {
	for _, o := range s.Options {
		if o.Category != category && (o.Category != "" || o.ID != category) {
			continue
		}
		c := selector{method: sdk.AgentMethodSessionSetConfigOption}
		_ = json.Unmarshal(o.Current, &c.current) // of another kind than text it is no choice
		for _, e := range o.List {
			if e.Value != "" {
				c.choices = append(c.choices, e.choice)
			}
			c.choices = append(c.choices, e.List...)
		}
		id := o.ID
		c.request = func(value string) any {
			return sdk.SetSessionConfigOptionValueId{SessionId: sdk.SessionId(s.ID), ConfigId: sdk.SessionConfigId(id), Value: sdk.SessionConfigValueId(value)}
		}
		return c, len(c.choices) > 0
	}
	return selector{}, false
}

// find looks for a value as the user wrote it: it itself first, then without
// regard to case, then what it is called.
func (s selector) find(want string) (value string, ok bool) {
	for _, same := range []func(choice) bool{
		func(c choice) bool { return c.Value == want },
		func(c choice) bool { return strings.EqualFold(c.Value, want) },
		func(c choice) bool { return strings.EqualFold(c.Name, want) },
	} {
		if i := slices.IndexFunc(s.choices, same); i >= 0 {
			return s.choices[i].Value, true
		}
	}
	return "", false
}

// planning finds the mode that only reads and plans. Some agents name modes by
// an address that ends in the name.
func (s selector) planning() string {
	for _, want := range []string{"plan", "read-only", "readonly", "ask"} {
		for _, c := range s.choices {
			name := c.Value[strings.LastIndexAny(c.Value, "#/")+1:]
			if strings.EqualFold(name, want) {
				return c.Value
			}
		}
	}
	return ""
}

const listed = 20 // choices that are named in a hint

func (s selector) names() string {
	var names []string
	for _, c := range s.choices[:min(len(s.choices), listed)] {
		names = append(names, clip(line(c.Value)))
	}
	if len(s.choices) > listed {
		names = append(names, fmt.Sprintf("and %d more", len(s.choices)-listed))
	}
	return strings.Join(names, ", ")
}
