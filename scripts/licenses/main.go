// Licenses writes the license texts of all modules that the programs of a release link, on any system: licenses FILE. It fails if
// a module has none. The same modules and the same Go give the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

const commands = "./cmd/"

// builds are those of .goreleaser.yaml.
var builds = []struct {
	systems, programs []string
	cgo               string
}{
	{[]string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}, []string{"cursor-ralph", "cursor-ralph-hook"}, "0"},
	{[]string{"linux/amd64", "windows/amd64"}, []string{"cursor-ralph-robotgo"}, "1"},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licenses FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(file string) error {
	folders := modules{}
	for _, b := range builds {
		for _, system := range b.systems {
			if err := folders.link(system, b.cgo, b.programs); err != nil {
				return err
			}
		}
	}
	text, err := folders.text()
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644) // #nosec G306 G703 -- a file of a release, which its caller names
}

// modules has the folders of a module that may hold its licenses: its own, and those of the linked packages and of what lies
// between.
type modules map[string]map[string]bool

// pkg is what go list says about a package.
type pkg struct {
	Dir    string
	Module *module
}

type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// link adds the modules of programs on a system.
func (m modules) link(system, cgo string, programs []string) error {
	args := []string{"list", "-deps", "-json=Dir,Module"}
	for _, name := range programs {
		args = append(args, commands+name)
	}
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED="+cgo)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", system, err)
	}
	return m.read(out)
}

func (m modules) read(list []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(list))
	for {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Module != nil && !p.Module.Main {
			m.add(p)
		}
	}
}

func (m modules) add(p pkg) {
	from := p.Module
	if from.Replace != nil {
		from = from.Replace
	}
	name := from.Path + " " + from.Version
	if m[name] == nil {
		m[name] = map[string]bool{}
	}
	for dir := p.Dir; len(dir) >= len(from.Dir); dir = filepath.Dir(dir) {
		m[name][dir] = true
	}
}

func (m modules) text() ([]byte, error) {
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	m["std "+strings.TrimPrefix(runtime.Version(), "go")] = map[string]bool{strings.TrimSpace(string(goRoot)): true}
	b := bytes.NewBufferString("The programs of cursor-ralph contain these modules, each under its own license.\n")
	for _, name := range sorted(m) {
		texts, err := licenses(sorted(m[name]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(b, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), name, strings.Join(texts, "\n"))
	}
	return b.Bytes(), nil
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

var (
	license = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([.-].*)?$`)
	legal   = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice|copyright|patents)([.-].*)?$`)
)

// licenses returns the texts in folders, each once. One of them must be a license; a notice alone does not count.
func licenses(dirs []string) (texts []string, err error) {
	licensed := false
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !legal.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			licensed = licensed || license.MatchString(e.Name())
			if plain := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n"; !slices.Contains(texts, plain) {
				texts = append(texts, plain)
			}
		}
	}
	if !licensed {
		return nil, errors.New("there is no license text")
	}
	return texts, nil
}
