package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// written is a file with settings.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAValueAndWhereItComesFrom(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		key, want  string
		from       string // FILE stands for the path
	}{
		{"nobody set it", "", "loop.max-iterations", "20", BuiltIn},
		{"the file", "# mine\n[loop]\nmax-iterations = 30\n", "loop.max-iterations", "30", "FILE:3"},
		{"a dotted key", "loop.gate-timeout = '5m'", "loop.gate-timeout", "5m", "FILE:1"},
		{"an inline table", "loop = {plan = true,\n max-iterations = 3}", "loop.max-iterations", "3", "FILE:2"},
		{"a quoted key", "[\"loop\"]\n\"max-iterations\" = 3", "loop.max-iterations", "3", "FILE:2"},
		{"a switch", "[loop]\nplan = true", "loop.plan", "true", "FILE:2"},
		{"channels of notices", "[notify]\nchannels = ['desktop', 'command:echo a, b']", "notify.channels", "desktop\ncommand:echo a, b", "FILE:2"},
		{"channels above the tables", "notify = ['desktop',\n 'ntfy://ntfy.sh/x']\n[loop]\nplan = true", "notify.channels", "desktop\nntfy://ntfy.sh/x", "FILE:1"},
		{"one channel", "notify = 'desktop'", "notify.channels", "desktop", "FILE:1"},
		{"no channel", "notify = []", "notify.channels", "", "FILE:1"},
		{"both names", "notify-details = true\nnotify.channels = []", "notify.details", "true", "FILE:1"},
		{"details in the table", "[notify]\ndetails = true\nchannels = []", "notify.details", "true", "FILE:2"},
		{"a limit that is a number", "[hook]\nsession-limit = 3", "hook.session-limit", "3", "FILE:2"},
		{"a limit that is a word", "hook.session-limit = 'none'", "hook.session-limit", "none", "FILE:1"},
		{"a byte-order mark", "\ufeff[run]\nagent = 'claude'", "run.agent", "claude", "FILE:2"},
		{"lines of Windows", "[run]\r\nagent = 'claude'\r\n", "run.agent", "claude", "FILE:2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, tt.file)
			c, err := Load(Source{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			v := c.Get(tt.key)
			if from := strings.ReplaceAll(v.From, path, "FILE"); v.Text != tt.want || from != tt.from {
				t.Errorf("got %q from %s, want %q from %s", v.Text, from, tt.want, tt.from)
			}
		})
	}
}

func TestAMistakeIsReportedWithItsPlace(t *testing.T) {
	for _, tt := range []struct {
		name, file, want string
	}{
		{"no TOML", "[loop]\nmax-iterations = = 3", "FILE:2:18: "},
		{"an open text", "[loop]\nverify = 'x", "FILE:2:"},
		{"twice", "[loop]\nplan = true\nplan = false", "FILE"},
		{"an unknown key", "[loop]\n  max-iteration = 3", "FILE:2:3: there is no setting loop.max-iteration"},
		{"an unknown table", "[loop]\n\n[lop]\nplan = true", "FILE:3:2: there is no setting lop"},
		{"an address as a key", "[notify]\n'slack://T0KEN@x' = 1", "FILE:2:1: there is no setting notify.slack://…"},
		{"a table too deep", "[loop.more]", "FILE:1:2: there is no setting loop.more"},
		{"an array of tables", "[[loop]]", "FILE:1:3: loop is not a table"},
		{"a key without a table", "plan = true", "FILE:1:1: there is no setting plan"},
		{"a table for a value", "[loop]\nplan = {x = 1}", "FILE:2:1: plan: give true or false"},
		{"a loop that is not a table", "loop = 3", "FILE:1:8: loop is not a table"},
		{"what may not be a default", "[loop]\nreplace = true", "FILE:2:1: there is no setting loop.replace"},
		{"a number in quotes", "[loop]\nmax-iterations = '3'", "FILE:2:1: max-iterations: give a whole number"},
		{"a fraction", "[loop]\nmax-iterations = 3.5", "FILE:2:1: max-iterations: give a whole number"},
		{"a number out of range", "[loop]\nmax-iterations = 0", `FILE:2:1: max-iterations: --max-iterations: "0" is not a whole number from 1 to 10000`},
		{"a wrong word", "[loop]\npromise-match = 'fuzzy'", "FILE:2:1: promise-match: "},
		{"a text that is no duration", "[loop]\nmax-duration = 'soon'", "FILE:2:1: max-duration: "},
		{"a limit of nothing", "[hook]\nsession-limit = 0", `FILE:2:1: session-limit: "0" is neither auto, none nor a whole number of at least 1`},
		{"a limit that is another word", "[hook]\nsession-limit = 'foo'", "FILE:2:1: session-limit: "},
		{"a limit that is true", "[hook]\nsession-limit = true", "FILE:2:1: session-limit: give a word in quotes, or a whole number without"},
		{"no wait", "[hook]\nstall-after = '0s'", "FILE:2:1: stall-after: "},
		{"permissions", "[run]\npermissions = 'root'", "FILE:2:1: permissions: "},
		{"a control character", "[run]\nagent = \"a\\u001b[2J\"", "FILE:2:1: agent: "},
		{"channels that are no texts", "notify = [1]", "FILE:1:1: channels: give a list of texts"},
		{"channels that are a number", "notify = 1", "FILE:1:10: notify is not a table"},
		{"channels that are tables", "[[notify]]\nx = 1", "FILE:"},
		{"channels below a table", "[loop]\nnotify = ['desktop']", "FILE:2:1: there is no setting loop.notify"},
		{"details that are a text", "notify-details = 'yes'", "FILE:1:1: details: give true or false"},
		{"by a check from outside", "[typing]\nsubmit-key = 'magic'", "FILE:2:1: submit-key: no magic"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, tt.file)
			noMagic := func(text string) error {
				if text == "magic" {
					return errors.New("no magic")
				}
				return nil
			}
			c, err := Load(Source{path, map[string]func(string) error{"typing.submit-key": noMagic}})
			if hint.Of(err) == "" || hint.Code(err) != 2 {
				t.Fatalf("got %v, want an error with a hint", err)
			}
			if got := strings.ReplaceAll(err.Error(), path, "FILE"); !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\x1b") {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if v := c.Get("loop.max-iterations"); v.Text != "20" || v.From != BuiltIn {
				t.Errorf("got %q from %s, want the built-in value", v.Text, v.From)
			}
		})
	}
}

// The built-in values that are shown are those that a loop has.
func TestBuiltInValuesAreThoseOfALoop(t *testing.T) {
	c, err := Load(Source{})
	if err != nil {
		t.Fatal(err)
	}
	r := loop.NewRequest()
	for _, v := range c.Values {
		if v.Section == "loop" && v.Text != "" {
			if r, err = r.Fill([]loop.Default{{Name: v.Name, Value: v.Text}}); err != nil {
				t.Error(err)
			}
		}
	}
	got, _ := r.State.Encode()
	l := loop.New()
	l.GateTimeout = loop.Duration(10 * time.Minute) // a zero value means the same
	want, _ := l.Encode()
	if g, w := string(got), string(want); g != w {
		t.Errorf("got %s\nwant %s", g, w)
	}
	if len(c.Loop()) > 0 {
		t.Errorf("got the defaults %v, want none", c.Loop())
	}
}

// A sample sets nothing, and each of its lines can be taken as it is.
func TestTheSample(t *testing.T) {
	for name, text := range map[string]string{
		"as written": Sample(),
		"every line": strings.NewReplacer("\n# ", "\n").Replace(onlySettings(Sample())),
	} {
		c, err := Load(Source{Path: written(t, text)})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		for _, v := range c.Values {
			if set := v.From != BuiltIn; set != (name == "every line") {
				t.Errorf("%s: %s is from %s", name, v.Key(), v.From)
			}
			if v.Default != "" && v.Text != v.Default {
				t.Errorf("%s: %s: got %q, want the default %q", name, v.Key(), v.Text, v.Default)
			}
		}
	}
}

func onlySettings(sample string) string {
	var b strings.Builder
	for line := range strings.Lines(sample) {
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "# ") && strings.Contains(line, " = ") {
			b.WriteString(line)
		}
	}
	return "\n" + b.String()
}

func TestEverySettingHasAUsage(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Settings() {
		if s.Usage == "" || seen[s.Key()] {
			t.Errorf("%s: usage %q: it is missing, or the setting is there twice", s.Key(), s.Usage)
		}
		seen[s.Key()] = true
	}
}

// What may be a password is not shown, wherever it is in the text.
func TestASecretIsNotShown(t *testing.T) {
	for text, want := range map[string]string{
		"desktop": "desktop", "command:curl -H 'Authorization: hunter2'": "command:…", "slack://hunter2@hunter2/hunter2": "slack://…",
		"generic+https://example.com/?hunter2": "generic+https://…", "hunter2": "…", "hunter2://x": "…", "hunter2:x": "…", "https://x/hunter2": "https://…",
		strings.Repeat("a", 40) + "://x": "…", "desktop\nntfy://:hunter2@ntfy.sh/x\n": "desktop, ntfy://…", "": "",
	} {
		c, err := Load(Source{Path: written(t, "notify = ["+strings.ReplaceAll(strings.Trim(fmt.Sprintf("%q", Lines(text)), "[]"), `" "`, `", "`)+"]")})
		if got := c.Get("notify.channels").Shown(); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, file := range []string{"notify = [\"slack://hunter2\"", "notify = [hunter2://x]", "notify = 'slack://hunter2\n'", "notify = { url = 'slack://hunter2' }", "notify.url = 'hunter2'", "[[notify]]\nurl = 'hunter2'"} {
		if _, err := Load(Source{Path: written(t, file)}); err == nil || strings.Contains(err.Error()+hint.Of(err), "hunter2") {
			t.Errorf("%s: got %v", file, err)
		}
	}
}
