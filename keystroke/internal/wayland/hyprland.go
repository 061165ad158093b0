package wayland

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// hyprland is queried by hyprctl. Source of its words and fields: hyprctl(1) and
// wiki.hypr.land, "Using hyprctl" and "Dispatchers".
type hyprland struct {
	m       desk.Machine
	hyprctl string
}

func newHyprland(m desk.Machine) (compositor, error) {
	path, err := m.Look("hyprctl")
	if err != nil {
		return nil, fmt.Errorf("%w, so Hyprland cannot be asked which window has the focus", err)
	}
	return hyprland{m, path}, nil
}

// hyprClient is a window. One that is not mapped is not visible, and may
// have a pid of 0. Source: github.com/hyprwm/Hyprland/issues/1810.
type hyprClient struct {
	Address string `json:"address"`
	Mapped  bool   `json:"mapped"`
	Class   string `json:"class"`
	Title   string `json:"title"`
	PID     int    `json:"pid"`
}

var hyprAddress = regexp.MustCompile(`^0x[0-9a-f]+$`)

func (h hyprland) Windows(ctx context.Context, editors desk.Editors) ([]desk.Window, error) {
	var clients []hyprClient
	if err := h.ask(ctx, "clients", &clients); err != nil {
		return nil, err
	}
	var found []desk.Window
	for _, c := range clients {
		if !c.Mapped || !hyprAddress.MatchString(c.Address) { // the address becomes part of a command
			continue
		}
		if w, ok := viewOf(editors, c.Address, c.Title, c.Class, c.PID); ok {
			found = append(found, w)
		}
	}
	return found, nil
}

func (h hyprland) Front(ctx context.Context) (desk.Window, error) {
	var active hyprClient // {} when nothing has the focus
	err := h.ask(ctx, "activewindow", &active)
	if err == nil && !hyprAddress.MatchString(active.Address) {
		err = desk.ErrNoFront
	}
	return desk.Window{ID: active.Address, Title: active.Title, PID: active.PID}, err
}

func (h hyprland) Focused(ctx context.Context, w desk.Window) (bool, error) {
	front, err := h.Front(ctx)
	if errors.Is(err, desk.ErrNoFront) {
		return false, nil
	}
	return err == nil && front.ID == w.ID && front.PID == w.PID, err
}

// Activate knows both languages of Hyprland: from 0.55 on dispatchers may be
// Lua, where the old words are a syntax error and do nothing.
func (h hyprland) Activate(ctx context.Context, w desk.Window) error {
	old, err := h.m.Run(ctx, "", h.hyprctl, "dispatch", "focuswindow", "address:"+w.ID)
	if err == nil && strings.TrimSpace(old) == "ok" {
		return nil
	}
	lua, err := h.m.Run(ctx, "", h.hyprctl, "dispatch", `hl.dsp.focus({ window = "address:`+w.ID+`" })`)
	if err != nil {
		return err
	}
	if strings.TrimSpace(lua) != "ok" {
		return fmt.Errorf("hyprctl did not focus the window: %.200s", strings.TrimSpace(lua))
	}
	return nil
}

func (h hyprland) layouts(ctx context.Context) ([]string, error) {
	var devices struct {
		Keyboards []struct {
			Keymap string `json:"active_keymap"`
		} `json:"keyboards"`
	}
	if err := h.ask(ctx, "devices", &devices); err != nil {
		return nil, err
	}
	var names []string
	for _, k := range devices.Keyboards {
		names = append(names, k.Keymap)
	}
	return names, nil
}

func (h hyprland) ask(ctx context.Context, what string, answer any) error {
	out, err := h.m.Run(ctx, "", h.hyprctl, "-j", what)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), answer); err != nil {
		return fmt.Errorf("hyprctl %s: %w", what, err)
	}
	return nil
}
