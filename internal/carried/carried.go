// Package carried keeps what the editor extension carries, its programs and its plugin folder, where an update leaves it: the
// editor deletes the extension's own folder, while hooks of running loops still use it. All editors share one copy, of the
// newest version that one of them has. It is replaced file by file, so that a hook that starts finds the old program or the new.
package carried

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// Copy is where the programs and the plugin folder are.
type Copy struct {
	Bin    string `json:"bin"`
	Plugin string `json:"plugin"`
}

// Root returns the folder of the copy: a fixed one, since whoever uninstalls must find it too.
func Root(goos, home string, getenv func(string) string) string {
	base := filepath.Join(home, ".local", "share")
	switch goos {
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	case "windows":
		if base = getenv("LOCALAPPDATA"); base == "" {
			base = filepath.Join(home, "AppData", "Local")
		}
	}
	return filepath.Join(base, "cursor-ralph", "editor")
}

// Hook returns the path of the hook in a copy.
func (c Copy) Hook() string { return filepath.Join(c.Bin, "cursor-ralph-hook"+exe()) }

func (c Copy) program() string { return filepath.Join(c.Bin, "cursor-ralph"+exe()) }

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// Below returns the copy in a folder.
func Below(folder string) Copy {
	return Copy{Bin: filepath.Join(folder, "bin"), Plugin: filepath.Join(folder, "plugin")}
}

// Keep copies what the extension in a folder carries, unless it is there already or an editor has a newer version. An extension
// that was not unpacked from a .vsix is used where it is.
func Keep(ctx context.Context, extension, root string) (c Copy, err error) {
	raw, err := os.ReadFile(filepath.Join(extension, listName))
	if errors.Is(err, fs.ErrNotExist) {
		return Below(extension), nil
	}
	if err != nil {
		return c, err
	}
	files, err := parse(raw)
	if err != nil {
		return c, err
	}
	mine, err := versionOf(extension)
	if err != nil {
		return c, err
	}
	if err := ownfile.Folder(root); err != nil {
		return c, err
	}
	release, err := ownfile.Lock(ctx, filepath.Join(root, lockName))
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, release()) }()
	newest, err := register(root, filepath.Dir(extension), mine)
	if err != nil || newest != mine || isWhole(root, raw, files) {
		return Below(root), err
	}
	return Below(root), copyAll(extension, root, raw, files)
}

// versionOf returns the version in an extension's package.json.
func versionOf(extension string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(extension, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct{ Version string }
	return manifest.Version, json.Unmarshal(raw, &manifest)
}

// The files of the copy beside its two folders.
const (
	listName = "carried" // what the .vsix carries, a line for each file, as sha256sum prints it; written last
	lockName = ".lock"
)

type file struct{ sum, name string }

var lineOfList = regexp.MustCompile(`^([0-9a-f]{64}) [ *]((?:bin|plugin)/.+)$`)

func parse(list []byte) (files []file, err error) {
	for line := range strings.Lines(string(list)) {
		m := lineOfList.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || !filepath.IsLocal(filepath.FromSlash(m[2])) {
			return nil, fmt.Errorf("the extension's list of what it carries has the line %.100q", line)
		}
		files = append(files, file{m[1], m[2]})
	}
	return files, nil
}

func isWhole(root string, list []byte, files []file) bool {
	there, err := os.ReadFile(filepath.Join(root, listName))
	return err == nil && bytes.Equal(there, list) && !slices.ContainsFunc(files, func(f file) bool {
		info, err := os.Stat(filepath.Join(root, f.name))
		return err != nil || !info.Mode().IsRegular() || info.Size() == 0
	})
}

func copyAll(extension, root string, list []byte, files []file) error {
	called, err := paths(extension, Below(root))
	if err != nil {
		return err
	}
	for _, f := range files {
		to := filepath.Join(root, f.name)
		if err := ownfile.Folder(filepath.Dir(to)); err != nil {
			return err
		}
		if strings.HasPrefix(f.name, "bin/") {
			err = copyProgram(filepath.Join(extension, f.name), to, f.sum)
		} else {
			err = copyText(filepath.Join(extension, f.name), to, f.sum, called[f.name])
		}
		if err != nil {
			return err
		}
	}
	if err := removeOthers(root, files); err != nil {
		return err
	}
	return ownfile.Replace(filepath.Join(root, listName), root, list, false)
}

// paths returns the files of the plugin that name our programs, with their paths: the shells of Cursor and of its agent may not
// find them by name.
func paths(extension string, c Copy) (map[string][]byte, error) {
	const hooks = "plugin/hooks/hooks.json"
	raw, err := os.ReadFile(filepath.Join(extension, hooks))
	if err != nil {
		return nil, err
	}
	if raw, err = commands.PluginHooks(raw, c.Hook(), runtime.GOOS); err != nil {
		return nil, err
	}
	called := map[string][]byte{hooks: raw}
	slash, err := commands.SlashCommands(c.program(), runtime.GOOS)
	for _, f := range slash {
		called["plugin/commands/"+f.Path] = f.New
	}
	return called, err
}

// copyText copies a file of the plugin, or writes instead of it what it is to be.
func copyText(from, to, sum string, instead []byte) error {
	data, err := checked(from, sum)
	if err != nil {
		return err
	}
	if instead != nil {
		data = instead
	}
	return ownfile.Replace(to, filepath.Dir(to), data, false)
}

func checked(path, sum string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if got := sha256.Sum256(data); err == nil && hex.EncodeToString(got[:]) != sum {
		err = fmt.Errorf("%s is not what the extension carries", path)
	}
	return data, err
}

// copyProgram links a program, where that can be: it is large, and nobody changes it.
func copyProgram(from, to, sum string) error {
	if _, err := checked(to, sum); err == nil {
		return nil
	}
	fresh := to + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // of a run that was killed
	}
	defer os.Remove(fresh)
	if os.Link(from, fresh) != nil {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(fresh, data, 0o600); err != nil { // #nosec G703 -- below a folder that only we can write
			return err
		}
	}
	if err := os.Chmod(fresh, 0o700); err != nil { // #nosec G302 -- a program
		return err
	}
	if _, err := checked(fresh, sum); err != nil {
		return err
	}
	return replace(fresh, to)
}

// replace puts a program into its place. On Windows one that runs cannot be replaced, but renamed away: for that moment it is
// missing, which a hook never is, since hooks do not run for long.
func replace(from, to string) error {
	err := ownfile.Rename(from, to)
	if err == nil {
		return nil
	}
	away := fmt.Sprintf("%s.old-%d", to, os.Getpid())
	if ownfile.Rename(to, away) != nil {
		return err
	}
	if err := ownfile.Rename(from, to); err != nil {
		return errors.Join(err, ownfile.Rename(away, to))
	}
	return nil
}

// removeOthers removes what another version had. A program that runs on Windows stays until the next time.
func removeOthers(root string, files []file) error {
	ours := map[string]bool{}
	for _, f := range files {
		ours[filepath.FromSlash(f.name)] = true
	}
	for _, folder := range []string{"bin", "plugin"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			if err == nil && !d.IsDir() && !ours[name] {
				_ = os.Remove(path) // #nosec G122 -- below a folder that only we can write
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
