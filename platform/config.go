package platform

import "path/filepath"

// ConfigFile is where the user's settings are, empty without a home folder. It
// follows the XDG base directory specification, also on macOS.
func ConfigFile(goos string, getenv func(string) string) string {
	for _, dir := range []string{getenv("XDG_CONFIG_HOME"), appData(goos, getenv)} {
		if filepath.IsAbs(dir) {
			return filepath.Join(dir, "cursor-ralph", "config.toml")
		}
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "cursor-ralph", "config.toml")
	}
	return ""
}

func appData(goos string, getenv func(string) string) string {
	if goos != "windows" {
		return ""
	}
	return getenv("APPDATA")
}
