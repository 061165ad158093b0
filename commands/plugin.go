package commands

// PluginName is what Cursor calls our plugin, which is the folder plugin of the repository.
const PluginName = "cursor-ralph"
