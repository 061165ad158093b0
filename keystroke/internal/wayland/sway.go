package wayland

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// sway is queried over its socket, which takes a tenth of the time of a swaymsg:
// what counts is the time between the check of the focus and the key.
type sway struct{ socket string }

func newSway(m desk.Machine) (compositor, error) {
	socket := m.Getenv("SWAYSOCK")
	if socket == "" {
		return nil, errors.New("SWAYSOCK is not set, so sway cannot be asked which window has the focus")
	}
	return sway{socket}, nil
}

// Types of messages. Source: sway-ipc(7).
const (
	swayRun    = 0
	swayTree   = 4
	swayInputs = 100
)

// swayNode is one of sway's tree: an output, a workspace, a container or a view.
type swayNode struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Focused    bool   `json:"focused"`
	PID        int    `json:"pid"`
	AppID      string `json:"app_id"` // null for a client of XWayland, which has a class
	Properties struct {
		Class string `json:"class"`
	} `json:"window_properties"`
	Nodes    []swayNode `json:"nodes"`
	Floating []swayNode `json:"floating_nodes"`
}

func (s sway) Windows(ctx context.Context, editors desk.Editors) ([]desk.Window, error) {
	var found []desk.Window
	err := s.each(ctx, func(n swayNode) {
		class := cmp.Or(n.AppID, n.Properties.Class)
		if w, ok := viewOf(editors, strconv.FormatInt(n.ID, 10), n.Name, class, n.PID); ok {
			found = append(found, w)
		}
	})
	return found, err
}

// Front is a node with a process: others are a workspace with the focus, or a
// container.
func (s sway) Front(ctx context.Context) (w desk.Window, err error) {
	err = s.each(ctx, func(n swayNode) {
		if n.Focused && n.PID != 0 {
			w = desk.Window{ID: strconv.FormatInt(n.ID, 10), Title: n.Name, PID: n.PID}
		}
	})
	if err == nil && w.ID == "" {
		err = desk.ErrNoFront
	}
	return w, err
}

// Focused is false as well while a launcher, a lock or another layer has the
// keyboard: sway's tree has no focus then.
func (s sway) Focused(ctx context.Context, w desk.Window) (focused bool, err error) {
	err = s.each(ctx, func(n swayNode) {
		focused = focused || n.Focused && strconv.FormatInt(n.ID, 10) == w.ID
	})
	return focused, err
}

func (s sway) Activate(ctx context.Context, w desk.Window) error {
	var answers []struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	if err := s.ask(ctx, swayRun, "[con_id="+w.ID+"] focus", &answers); err != nil {
		return err
	}
	if len(answers) != 1 || !answers[0].Success {
		return fmt.Errorf("sway did not focus the window: %v", answers)
	}
	return nil
}

func (s sway) layouts(ctx context.Context) ([]string, error) {
	var inputs []struct {
		Type   string `json:"type"`
		Layout string `json:"xkb_active_layout_name"`
	}
	if err := s.ask(ctx, swayInputs, "", &inputs); err != nil {
		return nil, err
	}
	var names []string
	for _, i := range inputs {
		if i.Type == "keyboard" {
			names = append(names, i.Layout)
		}
	}
	return names, nil
}

func (s sway) each(ctx context.Context, visit func(swayNode)) error {
	var root swayNode
	if err := s.ask(ctx, swayTree, "", &root); err != nil {
		return err
	}
	for rest := []swayNode{root}; len(rest) > 0; {
		n := rest[len(rest)-1]
		visit(n)
		rest = append(append(rest[:len(rest)-1], n.Nodes...), n.Floating...)
	}
	return nil
}

// ask sends one message and reads its answer: the magic, the length and the
// type of what follows, then JSON. Source: sway-ipc(7).
func (s sway) ask(ctx context.Context, kind uint32, payload string, answer any) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.socket)
	if err != nil {
		return fmt.Errorf("sway: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return fmt.Errorf("sway: %w", err)
	}
	const magic = "i3-ipc"
	message := binary.NativeEndian.AppendUint32([]byte(magic), uint32(len(payload)))
	message = append(binary.NativeEndian.AppendUint32(message, kind), payload...)
	if _, err := conn.Write(message); err != nil {
		return fmt.Errorf("sway: %w", err)
	}
	head := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(conn, head); err != nil {
		return fmt.Errorf("sway does not answer: %w", err)
	}
	length := binary.NativeEndian.Uint32(head[len(magic):])
	if string(head[:len(magic)]) != magic || length > 64<<20 {
		return errors.New("invalid reply from sway")
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(conn, data); err != nil {
		return fmt.Errorf("sway does not answer: %w", err)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("answer of sway: %w", err)
	}
	return nil
}
