package simcursor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var slashCommand = regexp.MustCompile(`(?s)^/([A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+(.*))?$`)

// expand returns what the model gets: a slash command's text with the typed arguments,
// or the message itself. Follow-ups and pasted lines are not expanded.
func (ch *Chat) expand(m message) (string, error) {
	parts := slashCommand.FindStringSubmatch(m.text)
	cfg := ch.cursor.cfg
	if m.followup || m.plain || parts == nil {
		return m.text, nil
	}
	for _, root := range []string{cfg.Workspace, cfg.Home} {
		data, err := os.ReadFile(filepath.Join(root, ".cursor", "commands", parts[1]+".md"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return invoked(data, parts[2]), nil
	}
	data, err := ch.cursor.pluginCommand(parts[1])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m.text, nil
	case err != nil:
		return "", err
	}
	return invoked(data, parts[2]), nil
}

func invoked(command []byte, typed string) string {
	return strings.TrimSpace(strings.TrimSpace(string(command)) + "\n\n" + typed)
}
