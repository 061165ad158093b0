package platform

import "path/filepath"

// ConfigFile is the user's file of settings, or empty without a home folder. It
// follows the XDG base directory specification, also on macOS.
func ConfigFile(goos string, getenv func(string) string) string {
	for _, dir := range []string{getenv("XDG_CONFIG_HOME"), appData(goos, getenv)} {
		if filepath.IsAbs(dir) {
			return filepath.Join(dir, "cursor-ralph", "config.toml")
		}
	}
	if home := Home(goos, getenv); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "cursor-ralph", "config.toml")
	}
	return ""
}

// CursorLogs is the folder of Cursor's own logs, or empty without a home folder.
// Users reported where it is.
func CursorLogs(goos string, getenv func(string) string) string {
	const logs = "Cursor/logs"
	home := getenv("HOME")
	switch config := getenv("XDG_CONFIG_HOME"); {
	case goos == "windows":
		home = appData(goos, getenv)
	case goos == "darwin" && home != "":
		home = filepath.Join(home, "Library", "Application Support")
	case filepath.IsAbs(config):
		home = config
	case home != "":
		home = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(logs))
}

func appData(goos string, getenv func(string) string) string {
	if goos != "windows" {
		return ""
	}
	return getenv("APPDATA")
}
