package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// mostRun is the number of files of a command that we remember.
const mostRun = 20

// Recipe returns the files that a command obviously runs in a folder, and those that it
// would run if they existed: words that are files or paths, and the files from which a
// build tool reads its commands. An agent that changes them could make any command
// succeed. Recipe does not parse the shell's language and does not know what a script
// runs in turn.
func Recipe(command, dir string) loop.Contents {
	files := loop.Contents{}
	after := "" // the word before
	for _, word := range strings.FieldsFunc(command, betweenWords) {
		if after == "cd" {
			dir = under(dir, word)
		}
		after = word
		note(files, under(dir, word), strings.ContainsRune(word, '/'))
		for _, name := range recipes(word) {
			note(files, under(dir, name), true)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return files
}

// Unlike returns, sorted, the files that have changed.
func Unlike(was loop.Contents) []string {
	var list []string
	for path, content := range was {
		if contentNow(path) != content {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

func betweenWords(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>{}'\"`=$*?", r) }

func under(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// note adds a file. A missing one counts only if the command would run it.
func note(files loop.Contents, path string, missing bool) {
	content := contentNow(path)
	_, known := files[path]
	if strings.HasPrefix(content, "folder") || content == deleted && !missing || len(files) >= mostRun && !known {
		return
	}
	files[path] = content
}

// contentNow returns the content of the file to which a path leads. Its executable bit
// does not count: it makes no command succeed.
func contentNow(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return deleted
	}
	return strings.TrimPrefix(newContents(context.Background()).content(real), "x")
}

// recipes returns the files from which a build tool reads its commands.
func recipes(tool string) []string {
	switch tool {
	case "make", "gmake":
		return []string{"GNUmakefile", "makefile", "Makefile"}
	case "npm", "yarn", "pnpm", "bun":
		return []string{"package.json"}
	case "just":
		return []string{"justfile", "Justfile", ".justfile"}
	case "task":
		return []string{"Taskfile.yml", "Taskfile.yaml"}
	}
	return nil
}
