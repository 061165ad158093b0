package commands

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/cursor-ralph/cursor-ralph/internal/host"
)

//go:embed slash/*.md slash/*.tmpl
var slashFiles embed.FS

// SlashCommands are the slash commands as they are installed for a program and a system, sorted by name. Path is the name alone.
func SlashCommands(program, goos string) ([]File, error) {
	list, err := rendered(program, goos)
	for i := range list {
		list[i].New = stamp(list[i].New)
	}
	return list, err
}

func rendered(program, goos string) ([]File, error) { return renderedFor(nil, program, goos) }

// renderedFor is rendered for another host than Cursor, if h is not nil.
func renderedFor(h *host.Host, program, goos string) ([]File, error) {
	all, err := template.ParseFS(slashFiles, "slash/*")
	if err != nil {
		return nil, err
	}
	entries, err := slashFiles.ReadDir("slash")
	if err != nil {
		return nil, err
	}
	var list []File
	for _, e := range entries {
		if path.Ext(e.Name()) != ".md" {
			continue
		}
		body, err := render(all, e.Name(), strings.TrimSuffix(e.Name(), ".md"), h, program, goos)
		if err != nil {
			return nil, err
		}
		list = append(list, File{Path: e.Name(), New: body})
	}
	return list, nil
}

// render fills in the slash command's name and how the agent's shell calls the program. With an empty goos the text is for every
// system.
func render(all *template.Template, file, name string, h *host.Host, program, goos string) ([]byte, error) {
	var b bytes.Buffer
	err := all.ExecuteTemplate(&b, file, struct {
		Name, Run    string
		Host         *host.Host
		Windows, Any bool
	}{name, Invocation(program, goos), h, goos == "windows", goos == ""})
	return b.Bytes(), err
}

// stamp ends a file with the line by which we recognize it. The checksum distinguishes an edited file from an older one.
func stamp(body []byte) []byte {
	text := bytes.TrimRight(body, "\n")
	line := fmt.Sprintf("<!-- cursor-ralph: installed file, changes are lost at the next install (%s) -->", checksum(text))
	return slices.Concat(text, []byte("\n\n"+line+"\n"))
}

func checksum(text []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return fmt.Sprintf("%x", sum[:8])
}

// origin says who wrote a file in the commands folder.
type origin int

const (
	nobodys  origin = iota // there is no file
	users                  // another text of that name
	pristine               // ours
	edited                 // ours, and the user wrote into it
)

// stampPattern accepts line endings that version control changed.
const stampPattern = `(?:\r?\n)*<!-- cursor-ralph: installed file[^\n]*\(([0-9a-f]+)\) -->`

func originOf(data []byte) origin {
	if data == nil {
		return nobodys
	}
	at := regexp.MustCompile(stampPattern).FindSubmatchIndex(data)
	switch {
	case at == nil:
		return users
	case len(bytes.TrimSpace(data[at[1]:])) > 0 || checksum(data[:at[0]]) != string(data[at[2]:at[3]]):
		return edited
	}
	return pristine
}

// Same reports whether data is this slash command as it is installed, whatever version control made of its line endings.
func (f File) Same(data []byte) bool {
	sum := regexp.MustCompile(stampPattern).FindSubmatch
	return originOf(data) == pristine && bytes.Equal(sum(data)[1], sum(f.New)[1])
}
