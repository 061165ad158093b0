package config

import "io/fs"

// notTheUsers knows nothing on Windows, where the folder is the user's.
func notTheUsers(fs.FileInfo) (why, hint string) { return "", "" }
