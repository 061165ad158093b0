package commands

import (
	"fmt"
	"strings"
	"testing"
)

// stopFile is a hooks.json with one stop entry.
func stopFile(command string) []byte {
	return fmt.Appendf(nil, `{"version": 1, "hooks": {"stop": [{"command": %s}]}}`, string(literal(command)))
}

func TestAMentionIsNoInstallation(t *testing.T) {
	for name, file := range map[string]string{
		"a line comment":             "{\"version\": 1, // once cursor-ralph-hook was here\n\"hooks\": {\"stop\": [{\"command\": \"./mine\"}]}}",
		"a commented entry":          "{\"version\": 1, \"hooks\": {\"stop\": [\n// {\"command\": \"/opt/cursor-ralph-hook\"}\n]}}",
		"a block comment":            `{"version": 1, "hooks": {"stop": [/* "/opt/cursor-ralph-hook" */]}}`,
		"another member":             `{"version": 1, "cursor-ralph-hook": {"command": "cursor-ralph-hook"}, "hooks": {"stop": [{"command": "a", "note": "cursor-ralph-hook"}]}}`,
		"an argument":                string(stopFile("./audit --except /opt/cursor-ralph-hook")),
		"a printed word":             string(stopFile("echo cursor-ralph-hook; ./mine")),
		"a printed sentence":         string(stopFile(`echo "later; cursor-ralph-hook"`)),
		"a shell's comment":          string(stopFile("./mine # cursor-ralph-hook")),
		"a redirection":              string(stopFile("./mine >/tmp/cursor-ralph-hook")),
		"a search":                   string(stopFile("grep -q x file && ./mine cursor-ralph-hook")),
		"another program's name":     string(stopFile("/opt/cursor-ralph-hook.sh")),
		"the folder of another":      string(stopFile("/opt/cursor-ralph-hook/run")),
		"a name that ends so":        string(stopFile("/opt/my-cursor-ralph-hook")),
		"the prompt of an entry":     `{"version": 1, "hooks": {"stop": [{"type": "prompt", "prompt": "cursor-ralph-hook"}]}}`,
		"a file that does not parse": `{"version": 1, "hooks": {"stop": [{"command": "/opt/cursor-ralph-hook"}`,
		"nothing":                    "",
	} {
		if got := Installed([]byte(file)); got.Any() {
			t.Errorf("%s: got %+v from %s", name, got, file)
		}
		for _, f := range Inspect([]byte(file), "linux", stat) {
			if strings.Contains(f.Problem, "runs cursor-ralph-hook") {
				t.Errorf("%s: got %q", name, f.Problem)
			}
		}
	}
}

func TestEveryWayToRunOurHookIsAnInstallation(t *testing.T) {
	for name, command := range map[string]string{
		"fish's quotes":              Quote(`/o'p\t/cursor-ralph-hook`, "linux"),
		"by name, as our plugin":     "cursor-ralph-hook",
		"our plugin's folder":        "${CURSOR_PLUGIN_ROOT}/bin/cursor-ralph-hook",
		"our plugin's folder quoted": `"${CURSOR_PLUGIN_ROOT}/cursor-ralph-hook"`,
		"PowerShell, doubled quotes": `& 'C:\it''s\cursor-ralph-hook.exe'`,
		"two slashes":                "/opt//cursor-ralph-hook",
	} {
		if got := Installed(stopFile(command)); !got.At("stop") || len(got.Events) != 1 {
			t.Errorf("%s: %s: got %+v", name, command, got)
		}
	}
}
