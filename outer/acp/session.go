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

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

// session is a conversation with the agent and its settings. The SDK's types are
// stricter than agents are.
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

	guarded   bool   // it is in a mode that only reads and plans
	otherMode string // the mode otherwise
}

type choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

type setting struct {
	current string
	choices []choice
	method  string
	request func(value string) any
}

func (a *agent) open(ctx context.Context, id string) (*session, error) {
	if id != "" {
		s, err := a.resume(ctx, id)
		if _, answered := err.(*answerError); !answered && (s != nil || err != nil) {
			return s, err
		}
	}
	return a.begin(ctx)
}

func (a *agent) begin(ctx context.Context) (*session, error) {
	s, err := a.requestSession(ctx, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	if err == nil && s.ID == "" {
		err = errors.New("it created a session without an id")
	}
	return s, err
}

// resume returns nil if the agent cannot resume sessions.
func (a *agent) resume(ctx context.Context, id string) (s *session, err error) {
	resume := a.info.Capabilities.Session.Resume
	switch {
	case a.info.Capabilities.Load:
		s, err = a.requestSession(ctx, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	case len(resume) > 0 && string(resume) != "null":
		s, err = a.requestSession(ctx, sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{SessionId: sdk.SessionId(id), Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	}
	if s != nil {
		s.ID = id
		a.awaitReplay(ctx)
	}
	return s, err
}

// replayQuiet without an update means that the replay is over.
const replayQuiet = 500 * time.Millisecond

// awaitReplay waits until the agent has replayed a loaded session. It should do so
// before it answers, but not all agents do, and an old promise must not count in
// the next turn.
func (a *agent) awaitReplay(ctx context.Context) {
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

func (a *agent) requestSession(ctx context.Context, method string, params any) (*session, error) {
	body, err := a.call(ctx, method, params)
	if err != nil {
		return nil, err
	}
	s := &session{}
	if err := toolcall.Decode(body, s); err != nil {
		return nil, fmt.Errorf("read its answer to %s: %w", method, err)
	}
	return s, nil
}

func (a *agent) setModel(ctx context.Context, model string) error {
	if model == "" {
		return nil
	}
	s, ok := a.session.model()
	if !ok && a.ModelFlag == "" {
		return hint.New("its model cannot be chosen", "leave the model out, and set it in the agent's own settings")
	}
	value, known := s.find(model)
	switch {
	case !known && a.ModelFlag != "": // chosen at the start
		return nil
	case !known:
		return hint.New(fmt.Sprintf("it has no model %q", model), "it offers "+s.names())
	}
	return a.set(ctx, s, value)
}

// setGuard puts the agent into a mode that only reads and plans, if it has one, or
// back. It does so before each turn: agents leave such a mode on their own.
func (a *agent) setGuard(ctx context.Context, on bool) error {
	s, ok := a.session.mode()
	if !ok || !on && !a.session.guarded {
		return nil
	}
	value := a.session.otherMode
	if on {
		if value = s.planMode(); value == "" {
			return nil
		}
	}
	if !a.session.guarded {
		a.session.otherMode = s.current
	}
	a.session.guarded = on
	s.current = ""
	return a.set(ctx, s, value)
}

func (a *agent) set(ctx context.Context, s setting, value string) error {
	if value == s.current || value == "" {
		return nil
	}
	_, err := a.call(ctx, s.method, s.request(value))
	return err
}

// model returns the choice of models. Configuration options are the newer way.
func (s *session) model() (setting, bool) {
	if o, ok := s.option("model"); ok {
		return o, true
	}
	m := setting{current: s.Models.Current, method: sdk.AgentMethodSessionSetModel}
	for _, c := range s.Models.List {
		m.choices = append(m.choices, choice{c.ID, c.Name})
	}
	m.request = func(value string) any {
		return sdk.UnstableSetSessionModelRequest{SessionId: sdk.SessionId(s.ID), ModelId: sdk.UnstableModelId(value)}
	}
	return m, len(m.choices) > 0
}

func (s *session) mode() (setting, bool) {
	m := setting{current: s.Modes.Current, method: sdk.AgentMethodSessionSetMode}
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

func (s *session) option(category string) (setting, bool) {
	for _, o := range s.Options {
		if o.Category != category && (o.Category != "" || o.ID != category) {
			continue
		}
		c := setting{method: sdk.AgentMethodSessionSetConfigOption}
		_ = json.Unmarshal(o.Current, &c.current) // stays empty if it is not a string
		for _, e := range o.List {
			if e.Value != "" {
				c.choices = append(c.choices, e.choice)
			}
			c.choices = append(c.choices, e.List...)
		}
		c.request = func(value string) any {
			return sdk.SetSessionConfigOptionValueId{SessionId: sdk.SessionId(s.ID), ConfigId: sdk.SessionConfigId(o.ID), Value: sdk.SessionConfigValueId(value)}
		}
		return c, len(c.choices) > 0
	}
	return setting{}, false
}

func (s setting) find(want string) (value string, ok bool) {
	for _, matches := range []func(choice) bool{
		func(c choice) bool { return c.Value == want },
		func(c choice) bool { return strings.EqualFold(c.Value, want) },
		func(c choice) bool { return strings.EqualFold(c.Name, want) },
	} {
		if i := slices.IndexFunc(s.choices, matches); i >= 0 {
			return s.choices[i].Value, true
		}
	}
	return "", false
}

// planMode finds the mode that only reads and plans. Some agents use URIs that end
// in the name.
func (s setting) planMode() string {
	for _, want := range []string{"plan", "read-only", "readonly", "ask"} {
		for _, c := range s.choices {
			if strings.EqualFold(c.Value[strings.LastIndexAny(c.Value, "#/")+1:], want) {
				return c.Value
			}
		}
	}
	return ""
}

func (s setting) names() string {
	const most = 20
	var names []string
	for _, c := range s.choices[:min(len(s.choices), most)] {
		names = append(names, clip(firstLine(c.Value)))
	}
	if len(s.choices) > most {
		names = append(names, fmt.Sprintf("and %d more", len(s.choices)-most))
	}
	return strings.Join(names, ", ")
}
