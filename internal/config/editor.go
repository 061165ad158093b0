package config

// EditorSetting is a setting of the editor extension. The editor keeps it; cursor-ralph shows it and does not read it otherwise.
type EditorSetting struct{ Name, Default, Usage string }

// EditorSettings lists those of extension/package.json.
func EditorSettings() []EditorSetting {
	return []EditorSetting{
		{"cursorRalph.program", "", "the `cursor-ralph` that the extension runs; empty: the one that it brings"},
		{"cursorRalph.notices", "all", "notices in the editor: `all`, `attention` or `none`; `notify` is about those of the desktop"},
		{"cursorRalph.statusBar", "true", "the loop in the status bar"},
		{"cursorRalph.delivery", "true", "loops are continued through the extension, if `typing.injectors` allows it"},
		{"cursorRalph.registerPlugin", "true", "the extension registers its hooks, unless `hooks.json` has ours"},
	}
}
