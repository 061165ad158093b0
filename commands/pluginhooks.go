package commands

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// hookInPlugin is how the hooks.json of our plugin runs the hook: by name, or as scripts/extension writes it.
var hookInPlugin = regexp.MustCompile(`"command": "(?:& )?(?:\\"[^"]*cursor-ralph-hook(?:\.exe)?\\"|cursor-ralph-hook)`)

// PluginHooks returns the hooks.json of our plugin with the hook at a path: nothing then depends on how Cursor fills in
// ${CURSOR_PLUGIN_ROOT}, nor on what a shell makes of that path.
func PluginHooks(raw []byte, hook, goos string) ([]byte, error) {
	var word bytes.Buffer
	enc := json.NewEncoder(&word)
	enc.SetEscapeHTML(false) // PowerShell's & stays readable
	if err := enc.Encode(Invocation(hook, goos)); err != nil {
		return nil, err
	}
	command := append([]byte(`"command": `), bytes.TrimSuffix(bytes.TrimSpace(word.Bytes()), []byte(`"`))...)
	return hookInPlugin.ReplaceAllLiteral(raw, command), nil
}
