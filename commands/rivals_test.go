package commands

import (
	"fmt"
	"strings"
	"testing"
)

const ourStop = "/opt/cursor-ralph-hook"

// stopping is a hooks.json with stop entries of these commands.
func stopping(place string, commands ...string) HooksFile {
	var entries []string
	for _, c := range commands {
		entries = append(entries, fmt.Sprintf(`{"command": %q}`, c))
	}
	raw := fmt.Sprintf(`{"version": 1, "hooks": {"stop": [%s]}}`, strings.Join(entries, ", "))
	return HooksFile{Place: place, Path: "/" + place + "/hooks.json", Raw: []byte(raw)}
}

func plugged(name string, commands ...string) HooksFile {
	f := stopping("plugin", commands...)
	f.Plugin = name
	return f
}

func TestARivalIsReportedByItsPlace(t *testing.T) {
	const known = "~/x/hooks/ralph-loop-stop.sh --a"
	for _, tt := range []struct {
		name   string
		files  []HooksFile
		want   string
		remedy string
		fatal  bool
	}{
		{"before ours in one file", []HooksFile{stopping("user", "./a", ourStop)},
			`/user/hooks.json: another stop hook, "./a", comes before ours: ours would replace its follow-up`, "none needed", false},
		{"after ours in one file", []HooksFile{stopping("user", ourStop, "./a")},
			`another stop hook, "./a", comes after ours: its follow-up, if it gives one, would replace ours`, "remove the entry", false},
		{"on the machine", []HooksFile{stopping("user", ourStop), stopping("machine", "./a")},
			`/machine/hooks.json: another stop hook, "./a", comes after ours: its`, "remove the entry", false},
		{"known, on the machine", []HooksFile{stopping("user", ourStop), stopping("machine", known)},
			`the stop hook of an older cursor-ralph, "~/x/hooks/ralph-loop-stop.sh --a", comes after ours: its follow-up, if it gives one, would replace ours`, "remove the entry", true},
		{"known, after ours in one file", []HooksFile{stopping("project", ourStop, known)}, "its follow-up, if it gives one, would replace ours", "remove the entry", true},
		{"known, before ours in one file", []HooksFile{stopping("project", known, ourStop)}, "ours would replace its follow-up", "none needed", false},
		{"known, the user's after the project's", []HooksFile{stopping("project", ourStop), stopping("user", known)},
			"comes after ours: ", "remove the entry", false},
		{"the project's before the user's", []HooksFile{stopping("project", "./a"), stopping("user", ourStop)},
			"comes before ours: ", "none needed", false},
		{"a plugin", []HooksFile{plugged("other", "./a"), stopping("user", ourStop)},
			`a stop hook of the plugin other, "./a", comes before ours: ours`, "disable the plugin other", false},
		{"two plugins", []HooksFile{plugged("ours", ourStop), plugged("continual-learning", "bun run ${CURSOR_PLUGIN_ROOT}/hooks/continual-learning-stop.ts")},
			"Cursor's continual-learning plugin, \"bun run ${CURSOR_PLUGIN_ROOT}/hooks/continual-learning-stop.ts\", comes after ours", "disable", false},
		{"two hooks of one plugin", []HooksFile{plugged("ours", ourStop, "./a")}, `"./a", comes after ours: its follow-up`, "disable the plugin ours", false},
		{"Cursor's plugin", []HooksFile{plugged("ralph-loop", "./hooks/stop-hook.sh"), stopping("user", ourStop)},
			`the stop hook of Cursor's ralph-loop plugin, "./hooks/stop-hook.sh", comes before ours`, "none needed", false},
		{"a script of that name in another plugin", []HooksFile{plugged("other", "./hooks/stop-hook.sh"), stopping("user", ourStop)},
			`a stop hook of the plugin other, "./hooks/stop-hook.sh"`, "disable the plugin other", false},
		{"Cursor's plugin copied into a project", []HooksFile{stopping("project", "sh '.cursor/ralph loop/stop-hook.sh'"), stopping("user", ourStop)},
			"the stop hook of Cursor's ralph-loop plugin, ", "none needed", false},
		{"a script whose name ends so", []HooksFile{stopping("user", "./my-ralph-stop.sh", ourStop)}, "another stop hook", "none needed", false},
		{"with backslashes", []HooksFile{stopping("user", ourStop, `C:\x\ralph-stop.sh`)}, "the stop hook of marcopesani's cursor-ralph", "remove", true},
		{"ours nowhere", []HooksFile{stopping("user", "./a")}, `another stop hook, "./a": of several follow-ups Cursor uses the last one`, "remove the entry", false},
		{"a prompt", []HooksFile{stopping("user", ourStop), {Place: "machine", Path: "/m", Raw: []byte(`{"version": 1, "hooks": {"stop": [{"type": "prompt", "prompt": "done?"}]}}`)}},
			`another stop hook, {"type`, "remove the entry", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Rivals(tt.files)
			if len(got) != 1 || !strings.Contains(got[0].Problem, tt.want) || !strings.Contains(got[0].Remedy, tt.remedy) || got[0].Fatal != tt.fatal {
				t.Errorf("got %+v\nwant %q, remedy %q, fatal %v", got, tt.want, tt.remedy, tt.fatal)
			}
		})
	}
}
