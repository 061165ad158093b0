package platform

import (
	"os"
	"path/filepath"
	"strings"
)

// BridgeAnnounced reports whether a window of Cursor has announced its desktop
// bridge, and the folder in which it would. It is a hint that costs no process:
// a window that was killed leaves its file behind. Source of the folder and of
// CURSOR_DESKTOP_BRIDGE_DIR: reports about Cursor 3.15 to 3.22; neither is
// documented.
func BridgeAnnounced(goos string, getenv func(string) string) (folder string, announced bool) {
	folder = bridgeFolder(goos, getenv)
	if folder == "" {
		return "", false
	}
	entries, _ := os.ReadDir(folder) // without the folder there are none
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") {
			return folder, true
		}
	}
	return folder, false
}

// bridgeFolder is empty where there is no home folder.
func bridgeFolder(goos string, getenv func(string) string) string {
	if dir := getenv("CURSOR_DESKTOP_BRIDGE_DIR"); dir != "" {
		return dir
	}
	home := Home(goos, getenv)
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".cursor", "desktop-bridge")
}
