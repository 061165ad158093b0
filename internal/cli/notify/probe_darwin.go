package notify

import (
	"context"
	"errors"
	"os/exec"
)

// probe looks for the programs that beeep uses. Whether macOS then shows what they ask for is in its settings.
func probe(context.Context) (by string, err error) {
	for _, name := range []string{"terminal-notifier", "osascript"} {
		if path, err := exec.LookPath(name); err == nil {
			return path + ", if the system settings allow it", nil
		}
	}
	return "", errors.New("neither terminal-notifier nor osascript is on the PATH")
}
