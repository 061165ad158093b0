package testdesk

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed inputs
var inputs embed.FS

// Editors returns the names of the editors from npm that can be the chat input.
// Both have a menu of slash commands. [rep] says that Cursor has Lexical in the
// editor's window and ProseMirror in the Agents window.
func Editors() []string { return []string{"lexical", "prosemirror"} }

// built reads an editor as scripts/inputs bundled it.
func built(editor, cache string) ([]byte, error) {
	hash, err := inputsHash()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(cache, "cursor-ralph-test", "inputs-"+hash, editor+".js"))
}

// inputsHash names the sources and versions, as scripts/inputs does.
func inputsHash() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(inputs, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := inputs.ReadFile(path)
		sum.Write(data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:12], err
}
