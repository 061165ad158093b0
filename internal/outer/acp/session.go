package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// session is a conversation with the agent and what can be set in it.
type session struct {
	id      sdk.SessionId
	modes   *sdk.SessionModeState
	models  *sdk.SessionModelState
	options []sdk.SessionConfigOption

	plans     bool   // it is in a mode that only reads and plans
	otherMode string // the mode otherwise
}

// open resumes a session, or begins one if there is none or the agent does not know it.
func (a *agent) open(ctx context.Context, id string) (*session, error) {
	if id != "" {
		s, err := a.resume(ctx, sdk.SessionId(id))
		if answered := (*answerError)(nil); s != nil || err != nil && !errors.As(err, &answered) {
			return s, err
		}
	}
	r, err := step(ctx, a, "session/new", a.conn.NewSession, sdk.NewSessionRequest{Meta: a.Meta, Cwd: a.Dir, McpServers: []sdk.McpServer{}})
	switch {
	case err != nil:
		return nil, err
	case r.SessionId == "":
		return nil, errors.New("it created a session without an id")
	}
	return &session{id: r.SessionId, modes: r.Modes, models: r.Models, options: r.ConfigOptions}, nil
}

// resume returns nil if the agent cannot resume sessions.
func (a *agent) resume(ctx context.Context, id sdk.SessionId) (*session, error) {
	can := a.info.AgentCapabilities
	switch {
	case can.LoadSession:
		r, err := step(ctx, a, "session/load", a.conn.LoadSession, sdk.LoadSessionRequest{Meta: a.Meta, SessionId: id, Cwd: a.Dir, McpServers: []sdk.McpServer{}})
		if err != nil {
			return nil, err
		}
		// The agent should replay the session before it answers, but gemini 0.61 does so
		// afterwards. An old promise must not count in the next turn.
		a.flow.awaitQuiet(ctx, a.StartLimit)
		return &session{id: id, modes: r.Modes, models: r.Models, options: r.ConfigOptions}, nil
	case can.SessionCapabilities.Resume != nil:
		r, err := step(ctx, a, "session/resume", a.conn.ResumeSession, sdk.ResumeSessionRequest{SessionId: id, Cwd: a.Dir, McpServers: []sdk.McpServer{}})
		if err != nil {
			return nil, err
		}
		return &session{id: id, modes: r.Modes, models: r.Models, options: r.ConfigOptions}, nil
	}
	return nil, nil
}

type choice struct{ value, name string }

// setting is one of a session's.
type setting struct {
	current string
	choices []choice
	set     func(ctx context.Context, value string) error
}

func (s setting) choose(ctx context.Context, value string) error {
	if value == s.current || value == "" {
		return nil
	}
	return s.set(ctx, value)
}

func (a *agent) setModel(ctx context.Context, model string) error {
	if model == "" {
		return nil
	}
	s, ok := a.modelSetting()
	if !ok && a.ModelFlag == "" {
		return hint.New("its model cannot be chosen", "leave the model out, and set it in the agent's own settings")
	}
	i := slices.IndexFunc(s.choices, func(c choice) bool { return strings.EqualFold(c.value, model) || strings.EqualFold(c.name, model) })
	switch {
	case i < 0 && a.ModelFlag != "": // chosen at the start
		return nil
	case i < 0:
		return hint.New(fmt.Sprintf("it has no model %q", model), "it offers "+s.names())
	}
	return s.choose(ctx, s.choices[i].value)
}

// setGuard puts the agent into a mode that only reads and plans, if it has one, or
// back. It does so before each turn: agents leave such a mode on their own.
func (a *agent) setGuard(ctx context.Context, on bool) error {
	s, ok := a.modeSetting()
	if !ok || !on && !a.session.plans {
		return nil
	}
	value := a.session.otherMode
	if on {
		if value = s.planMode(); value == "" {
			return nil
		}
	}
	if !a.session.plans {
		a.session.otherMode = s.current
	}
	a.session.plans = on
	s.current = ""
	return s.choose(ctx, value)
}

// modelSetting returns the choice of models. Configuration options are the newer way.
func (a *agent) modelSetting() (setting, bool) {
	if s, ok := a.option("model"); ok || a.session.models == nil {
		return s, ok
	}
	s := setting{current: string(a.session.models.CurrentModelId), set: func(ctx context.Context, value string) error {
		_, err := step(ctx, a, "session/set_model", a.conn.UnstableSetSessionModel, sdk.UnstableSetSessionModelRequest{SessionId: a.session.id, ModelId: sdk.UnstableModelId(value)})
		return err
	}}
	for _, m := range a.session.models.AvailableModels {
		s.choices = append(s.choices, choice{string(m.ModelId), m.Name})
	}
	return s, len(s.choices) > 0
}

func (a *agent) modeSetting() (setting, bool) {
	if a.session.modes == nil || len(a.session.modes.AvailableModes) == 0 {
		return a.option("mode")
	}
	s := setting{current: string(a.session.modes.CurrentModeId), set: func(ctx context.Context, value string) error {
		_, err := step(ctx, a, "session/set_mode", a.conn.SetSessionMode, sdk.SetSessionModeRequest{SessionId: a.session.id, ModeId: sdk.SessionModeId(value)})
		return err
	}}
	for _, m := range a.session.modes.AvailableModes {
		s.choices = append(s.choices, choice{string(m.Id), m.Name})
	}
	return s, true
}

func (a *agent) option(category string) (setting, bool) {
	for _, o := range a.session.options {
		if o.Select == nil || optionCategory(o.Select) != category {
			continue
		}
		s := setting{current: string(o.Select.CurrentValue), set: func(ctx context.Context, value string) error {
			_, err := step(ctx, a, "session/set_config_option", a.conn.SetSessionConfigOption, sdk.SetSessionConfigOptionRequest{
				ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: a.session.id, ConfigId: o.Select.Id, Value: sdk.SessionConfigValueId(value)}})
			return err
		}}
		s.add(value(o.Select.Options.Ungrouped))
		for _, g := range value(o.Select.Options.Grouped) {
			s.add(g.Options)
		}
		return s, len(s.choices) > 0
	}
	return setting{}, false
}

func optionCategory(o *sdk.SessionConfigOptionSelect) string {
	if c := o.Category; c != nil {
		return string(*c)
	}
	return string(o.Id)
}

func (s *setting) add(list []sdk.SessionConfigSelectOption) {
	for _, c := range list {
		s.choices = append(s.choices, choice{string(c.Value), c.Name})
	}
}

// planMode finds the mode that only reads and plans. Some agents use URIs that end
// in the name.
func (s setting) planMode() string {
	for _, want := range []string{"plan", "read-only", "readonly", "ask"} {
		for _, c := range s.choices {
			if strings.EqualFold(c.value[strings.LastIndexAny(c.value, "#/")+1:], want) {
				return c.value
			}
		}
	}
	return ""
}

func (s setting) names() string {
	const most = 20
	var names []string
	for _, c := range s.choices[:min(len(s.choices), most)] {
		names = append(names, clip(firstLine(c.value)))
	}
	if len(s.choices) > most {
		names = append(names, fmt.Sprintf("and %d more", len(s.choices)-most))
	}
	return strings.Join(names, ", ")
}
