package platform

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	return folder, announces(folder)
}

// announces reports whether a folder, which may be missing, has the file of a window.
func announces(folder string) bool {
	entries, _ := os.ReadDir(folder)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".json") })
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

// Rendezvous is the private folder in which editor windows with our extension
// announce themselves.
func (p Places) Rendezvous() string { return p.in("-rendezvous") }

// HasRendezvous is like BridgeAnnounced for windows with our extension.
func (p Places) HasRendezvous() bool { return announces(p.Rendezvous()) }
