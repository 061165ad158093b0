package commands

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// setting is our value in the settings of a host: in a list, or the member with a name.
type setting struct {
	at   []string // the object or list that it is in
	name string   // empty in a list
	json string
	ours func(*hujson.Value) bool
	kept bool // a value of the user's stays
	old  bool // of an older cursor-ralph: it is only taken out
}

// PlanHost returns what an installation into a host would do. Folder is the host's.
func PlanHost(o Options, h host.Host) (c Change, err error) {
	if err := o.check(); err != nil {
		return c, err
	}
	if err := c.addHostFiles(o, h); err != nil {
		return Change{}, err
	}
	now, err := o.read(filepath.Join(o.Folder, h.Files.Settings))
	if err != nil {
		return Change{}, err
	}
	var content []byte
	if h.Files.Own {
		content = ownHooks(o.hostEntries(h))
	} else if content, err = c.putSettings(now, o.hostSettings(h)); err != nil {
		return Change{}, fmt.Errorf("%s: %w", now.path, err)
	}
	c.put(now, content)
	return c, nil
}

// PlanHostRemoval returns what a removal would do.
func PlanHostRemoval(o Options, h host.Host) (c Change, err error) {
	if err := o.checkFolder(); err != nil {
		return c, err
	}
	now, err := o.read(filepath.Join(o.Folder, h.Files.Settings))
	if err != nil {
		return c, err
	}
	if h.Files.Own {
		c.put(now, nil)
		c.folders = append(c.folders, filepath.Dir(now.path))
	} else if bytes.Contains(now.data, []byte("cursor-ralph")) || bytes.Contains(now.data, []byte(h.Files.Cap)) && h.Files.Cap != "" {
		rest, err := cutSettings(now.data, o.hostSettings(h))
		if err != nil {
			return Change{}, fmt.Errorf("%s: %w", now.path, err)
		}
		c.put(now, rest)
	}
	err = c.removeHostFiles(o, h)
	return c, err
}

// HasHost reports whether the settings of a host have our hook.
func HasHost(raw []byte, h host.Host) bool {
	if h.Files.Own {
		return raw != nil
	}
	d, err := parse(raw)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(members(d.hooks()), func(m *hujson.ObjectMember) bool {
		return slices.ContainsFunc(elements(&m.Value), isOurGroup(h))
	})
}

func (o Options) hostEntries(h host.Host) []host.Entry {
	command := o.command() + " --host " + h.Name
	return h.Entries(command, int(loop.StopTimeout.Seconds()), o.OS == "windows")
}

func (o Options) hostSettings(h host.Host) (list []setting) {
	for _, e := range o.hostEntries(h) {
		list = append(list, setting{at: []string{"hooks", e.Event}, json: e.JSON, ours: isOurGroup(h)})
	}
	if h.Files.Allow != nil {
		list = append(list, setting{at: h.Files.Allow, ours: isOurRule(h, ""), old: true})
		for _, command := range host.Allowed() {
			rule := fmt.Sprintf(h.Files.Rule, Invocation(o.program(), o.OS)+" "+command)
			list = append(list, setting{at: h.Files.Allow, json: string(hujson.String(rule)), ours: isOurRule(h, " "+command)})
		}
	}
	if h.Files.Cap != "" {
		list = append(list, setting{at: []string{"env"}, name: h.Files.Cap, json: `"` + host.RaisedCap + `"`, kept: true,
			ours: func(v *hujson.Value) bool { return stringOf(v) == host.RaisedCap }})
	}
	return list
}

// isOurRule recognizes a rule for our program, wherever it is, and a command of it.
func isOurRule(h host.Host, command string) func(*hujson.Value) bool {
	before, after, _ := strings.Cut(h.Files.Rule, "%s")
	return func(v *hujson.Value) bool {
		rule, ok := strings.CutPrefix(stringOf(v), before)
		rule, end := strings.CutSuffix(rule, command+after)
		rule = strings.TrimSuffix(strings.Trim(rule, `'"& `), ".exe")
		return ok && end && rule[strings.LastIndexAny(rule, `/\`)+1:] == "cursor-ralph"
	}
}

// isOurGroup recognizes an element of an event's list that runs our hook for the host and nothing else.
func isOurGroup(h host.Host) func(*hujson.Value) bool {
	return func(v *hujson.Value) bool {
		hooks := elements(find(v, "hooks"))
		if len(hooks) != 1 {
			return false
		}
		command := stringIn(hooks[0], "command")
		for _, d := range []shellwords.Dialect{shellwords.POSIX, shellwords.PowerShell} {
			if words := hookWords(command, d); len(words) == 3 && words[1] == "--host" && words[2] == h.Name {
				return true
			}
		}
		return false
	}
}

// ownHooks is a file of hooks that is ours alone.
func ownHooks(entries []host.Entry) []byte {
	var lines []string
	for _, e := range entries {
		lines = append(lines, fmt.Sprintf("    %q: [ %s ]", e.Event, e.JSON))
	}
	return []byte("{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(lines, ",\n") + "\n  }\n}\n")
}

// settingsOf parses the settings of a host. It is refused as a whole if anything in it cannot be read.
func settingsOf(raw []byte) (*doc, error) {
	d, err := parse(raw)
	if err == nil && d.root.Value.Kind() != '{' {
		err = fmt.Errorf("it is no JSON object")
	}
	if err != nil {
		return nil, hint.New("does not parse: "+err.Error(), "correct it there (nothing was changed)")
	}
	return d, nil
}

func (c *Change) putSettings(now node, want []setting) ([]byte, error) {
	if now.data == nil {
		return freshSettings(want), nil
	}
	d, err := settingsOf(now.data)
	if err != nil {
		return nil, err
	}
	for _, s := range want {
		if s.old {
			if err := d.unsetAll(s); err != nil {
				return nil, err
			}
			if d.root.Value == nil { // nothing else was there
				return freshSettings(want), nil
			}
			continue
		}
		if err := d.set(s); err != nil {
			return nil, err
		}
		if v := d.root.Find(pointer(append(slices.Clone(s.at), s.name)...)); s.kept && v != nil && !s.ours(v) {
			c.note("%s: your %s = %s stays: the program ends a loop after so many turns", now.path, s.name, d.source(v))
		}
	}
	return d.pack(), nil
}

// freshSettings is a file with nothing but our settings. Each bracket has white space behind it: see unset.
func freshSettings(want []setting) []byte {
	var b strings.Builder
	b.WriteString("{\n")
	want = slices.DeleteFunc(slices.Clone(want), func(s setting) bool { return s.old })
	for i := 0; i < len(want); i++ {
		s := want[i]
		inList := func(j int) bool {
			return s.name == "" && j < len(want) && want[j].name == "" && slices.Equal(want[j].at, s.at)
		}
		first := i == 0 || want[i-1].at[0] != s.at[0]
		for ; inList(i + 1); i++ {
			s.json += ", " + want[i+1].json
		}
		last := i+1 == len(want) || want[i+1].at[0] != s.at[0]
		if first {
			fmt.Fprintf(&b, "  %q: {\n", s.at[0])
		}
		name, value := s.name, s.json
		if name == "" {
			name, value = s.at[1], "[ "+s.json+" ]"
		}
		fmt.Fprintf(&b, "    %q: %s", name, value)
		switch {
		case !last:
			b.WriteString(",\n")
		case i+1 < len(want):
			b.WriteString("\n  },\n")
		default:
			b.WriteString("\n  }\n")
		}
	}
	return []byte(b.String() + "}\n")
}

// set puts a setting in its place, and makes what it is in. What we make has a space behind its bracket: see unset.
func (d *doc) set(s setting) error {
	for i, name := range s.at {
		at := d.root.Find(pointer(s.at[:i]...))
		if at.Value.Kind() != '{' {
			return wrongKind(s.at[:i], "an object")
		}
		if find(at, name) == nil {
			value := "[ " + s.json + " ]"
			if s.name != "" {
				value = fmt.Sprintf("{ %q: %s }", s.name, s.json)
			}
			for j := len(s.at) - 1; j > i; j-- {
				value = fmt.Sprintf("{ %q: %s }", s.at[j], value)
			}
			return d.add(pointer(s.at[:i]...), name, value)
		}
	}
	in := d.root.Find(pointer(s.at...))
	switch {
	case s.name != "" && in.Value.Kind() != '{':
		return wrongKind(s.at, "an object")
	case s.name != "" && find(in, s.name) == nil:
		return d.add(pointer(s.at...), s.name, s.json)
	case s.name != "":
		return nil
	case in.Value.Kind() != '[':
		return wrongKind(s.at, "a list")
	}
	for i, v := range elements(in) {
		if !s.ours(v) {
			continue
		}
		if (entry{text: s.json}).isWritten(v) {
			return nil
		}
		return d.patch("replace", pointer(append(slices.Clone(s.at), fmt.Sprint(i))...), s.json)
	}
	return d.add(pointer(s.at...), "-", s.json)
}

func wrongKind(at []string, want string) error {
	return hint.New(fmt.Sprintf("%q is not %s", strings.Join(at, "."), want), "correct it there (nothing was changed)")
}

// cutSettings returns the settings without ours; nil if that is a file that we have made.
func cutSettings(raw []byte, ours []setting) ([]byte, error) {
	d, err := settingsOf(raw)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(ours) { // what was put in first is the last to go: it shows whose the brackets are
		if err := d.unsetAll(s); err != nil {
			return nil, err
		}
	}
	if d.root.Value == nil {
		return nil, nil
	}
	return d.pack(), nil
}

func (d *doc) unsetAll(s setting) (err error) {
	for gone := true; gone && err == nil; {
		gone, err = d.unset(s)
	}
	return err
}

// unset removes one of our values, and what we had made for it.
func (d *doc) unset(s setting) (gone bool, err error) {
	if d.root.Value == nil {
		return false, nil
	}
	in := d.root.Find(pointer(s.at...))
	if in == nil {
		return false, nil
	}
	name, at := s.name, -1
	for i, m := range members(in) {
		if s.name != "" && nameOf(m) == s.name && s.ours(&m.Value) {
			at = i
		}
	}
	for i, v := range elements(in) {
		if s.name == "" && s.ours(v) {
			name, at = fmt.Sprint(i), i
		}
	}
	if at < 0 {
		return false, nil
	}
	for path := s.at; ; path, name = path[:len(path)-1], path[len(path)-1] {
		in, at := d.root.Find(pointer(path...)), at
		for i, m := range members(in) {
			if nameOf(m) == name {
				at = i
			}
		}
		g := groupOf(in)
		made := len(g.items) == 1 && len(g.items[0].first.BeforeExtra) > 0 && commentsEnd(g.items[0].first.BeforeExtra) == 0 && commentsEnd(*g.after) == 0
		if err := d.cut(pointer(path...), name, at); err != nil || !made {
			return true, err
		}
		if len(path) == 0 { // the file is ours
			*d.root = hujson.Value{}
			return false, nil
		}
	}
}

// hostFile is one of our files beside the settings.
type hostFile struct {
	path string
	text []byte
}

// hostFiles are the commands of a host, and its rules.
func (o Options) hostFiles(h host.Host) (list []hostFile, err error) {
	files, err := renderedFor(&h, o.program(), o.OS)
	if err != nil {
		return nil, err
	}
	if o.Project && h.Files.Expands {
		files = nil
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Path, ".md")
		title, _, _ := strings.Cut(string(f.New), "\n")
		_, description, _ := strings.Cut(title, ": ")
		body := h.Renamed(strings.TrimRight(string(f.New), "\n")) + "\n\n" + hostMark("")
		text := h.Command(name, description, body)
		list = append(list, hostFile{fmt.Sprintf(h.Files.Command, name), []byte(strings.Replace(text, hostMark(""), hostMark(checksum([]byte(text))), 1))})
		if h.Files.Beside != "" {
			list = append(list, hostFile{fmt.Sprintf(h.Files.Beside, name), []byte(host.BesideFile)})
		}
	}
	if h.Files.Rules != "" {
		list = append(list, hostFile{h.Files.Rules, []byte(h.RulesFile(o.program()))})
	}
	return list, nil
}

func hostMark(sum string) string {
	return host.Mark + ", changes are lost at the next install (" + sum + ") -->"
}

// origin says who wrote a file in a host's folder.
func (f hostFile) origin(data []byte) origin {
	sum := regexp.MustCompile(regexp.QuoteMeta(host.Mark) + `[^\n]*\(([0-9a-f]+)\) -->`).FindSubmatch(data)
	switch {
	case data == nil:
		return nobodys
	case bytes.Equal(data, f.text):
		return pristine
	case sum == nil && bytes.HasPrefix(data, []byte("# cursor-ralph:")):
		return edited
	case sum == nil:
		return users
	case checksum(bytes.Replace(data, sum[0], []byte(hostMark("")), 1)) == string(sum[1]):
		return pristine
	}
	return edited
}

func (c *Change) addHostFiles(o Options, h host.Host) error {
	list, err := o.hostFiles(h)
	if err != nil {
		return err
	}
	for _, f := range list {
		now, err := o.read(filepath.Join(o.Folder, filepath.FromSlash(f.path)))
		if err != nil {
			return err
		}
		if f.origin(now.data) == users {
			return hint.New(now.path+" is a file of your own", "give it another name, or remove it: ours has this name (nothing was changed)")
		}
		c.put(now, f.text)
	}
	return nil
}

func (c *Change) removeHostFiles(o Options, h host.Host) error {
	list, err := o.hostFiles(h)
	if err != nil {
		return err
	}
	for _, f := range list {
		now, err := o.read(filepath.Join(o.Folder, filepath.FromSlash(f.path)))
		if err != nil {
			return err
		}
		switch f.origin(now.data) {
		case users, nobodys:
			continue
		case edited:
			if sum := bytes.Contains(now.data, []byte(host.Mark)); sum {
				c.note("%s was changed by you and stays", now.path)
				continue
			}
		}
		c.put(now, nil)
		for dir := filepath.Dir(now.path); len(dir) >= len(o.Folder); dir = filepath.Dir(dir) {
			if !slices.Contains(c.folders, dir) {
				c.folders = append(c.folders, dir)
			}
		}
	}
	slices.SortStableFunc(c.folders, func(a, b string) int { return len(b) - len(a) }) // what is inside first
	return nil
}
