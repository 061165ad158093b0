// Package bridge sends a line by Cursor's own command, `cursor desktop send`,
// which submits it to exactly one chat: no keys, no focus, and a locked screen
// does not matter. It runs that and `cursor desktop ls`, and touches nothing else
// of Cursor's. Source: reports about Cursor 3.15 to 3.22; none of it is
// documented, so an answer that is not understood counts as a message that may
// have been sent.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Bridge is Cursor's command on a machine.
type Bridge struct {
	Machine desk.Machine
	// ListWait and SendWait are the patience with the command.
	ListWait, SendWait time.Duration
}

// New returns the machine's bridge.
func New(m desk.Machine) Bridge {
	return Bridge{m,
		2 * time.Second,  // less than the hook waits for an answer
		15 * time.Second, // more than Cursor itself waits, which then answers timeout
	}
}

// Chat is a chat that Cursor lists.
type Chat struct {
	bridge   Bridge
	path, id string
}

// Send sends a line to the chat once. An error means that nothing was sent, for
// the command did not start.
func (c Chat) Send(ctx context.Context, line string) (Answer, error) {
	run := cursor(ctx, c.bridge.Machine, c.bridge.SendWait, line, c.path, "desktop", "send", c.id, "--stdin", "--json")
	if run.notStarted {
		return Answer{}, run.err
	}
	return readSendAnswer(run), nil
}

// Find returns a chat as Cursor lists it; for an empty id none in particular, if
// Cursor lists any. If no window has announced a bridge it starts no program.
func (b Bridge) Find(ctx context.Context, conversation string) (Chat, error) {
	folder, announced := platform.BridgeAnnounced(b.Machine.OS, b.Machine.Getenv)
	if !announced {
		return Chat{}, bridgeOff(fmt.Errorf("it is off: no window of Cursor has announced it in %s", folder))
	}
	path, err := b.Program()
	if err != nil {
		return Chat{}, err
	}
	run := cursor(ctx, b.Machine, b.ListWait, "", path, "desktop", "ls", "--json")
	if run.err != nil {
		return Chat{}, bridgeOff(fmt.Errorf("cursor desktop ls: %w", run.err))
	}
	chats, err := readChats(run.out)
	if err != nil {
		return Chat{}, bridgeOff(fmt.Errorf("cursor desktop ls: %w", err))
	}
	id := ""
	if conversation != "" {
		id, err = chats.find(conversation)
	}
	return Chat{b, path, id}, err
}

// bridgeOff adds to an error where the user turns the bridge on.
func bridgeOff(err error) error {
	return hint.Add(err, "to send without keys: in Cursor, Settings > Beta, turn on \"Allow CLI to access desktop agents\", then restart Cursor; Cursor's servers must allow it for you, too")
}

// Program finds Cursor's command: on the PATH, else where Cursor is usually
// installed. On Windows the folder has a shell script of that name, too.
func (b Bridge) Program() (string, error) {
	names := []string{"cursor"}
	if b.Machine.OS == "windows" {
		names = []string{"cursor.cmd", "cursor.exe"}
	}
	for _, name := range names {
		if path, err := b.Machine.LookPath(name); err == nil && !isAppImage(path) {
			return path, nil
		}
	}
	for _, dir := range b.folders() {
		if path, err := desk.LookIn(dir, names[0]); err == nil {
			return path, nil
		}
	}
	return "", errors.New("the command `cursor` is neither on the PATH nor where Cursor is usually installed")
}

// isAppImage reports whether a path leads to the editor itself, which would
// open our arguments as files.
func isAppImage(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && strings.EqualFold(filepath.Ext(real), ".AppImage")
}

func (b Bridge) folders() []string {
	const app = "resources/app/bin"
	switch b.Machine.OS {
	case "darwin":
		const bundle = "Applications/Cursor.app/Contents/Resources/app/bin"
		return []string{"/" + bundle, filepath.Join(b.Machine.Getenv("HOME"), bundle)}
	case "windows":
		return []string{
			filepath.Join(b.Machine.Getenv("LOCALAPPDATA"), "Programs", "cursor", app),
			filepath.Join(b.Machine.Getenv("ProgramFiles"), "cursor", app),
		}
	}
	return []string{"/usr/share/cursor/" + app, "/opt/cursor/" + app, "/opt/Cursor/" + app}
}
