//go:build unix

package onevent

import (
	"path/filepath"
)

// secret is a file elsewhere that would be a fine state, pending file or log.
func (w world) secret() string {
	path := filepath.Join(w.dir, "secret")
	w.write(path, seven("secret"))
	return path
}
