package commands

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/tailscale/hujson"
)

func hostilePaths() []string {
	return []string{
		"/opt/cursor-ralph-hook", "/opt/with space/x", "/opt/it's/x", `/opt/"quoted"/x`, "/opt/$HOME/x", "/opt/$(id)/x", "/opt/`id`/x",
		`/opt/back\slash/x`, `/opt/ends in \`, `/opt/'\''/x`, "/opt/*?[a]/x", "/opt/a;b|c&d/x", "/opt/new\nline/x", "/opt/~/x", "/opt/#/x",
		"/opt/!x/x", "/opt/{a,b}/x", "/opt/é/日本/😀", "/opt/‘curly’/x", "/opt/%PATH%/x", "/opt/\ttab/x", "/opt/=x/x", "/opt/^x/x", "",
	}
}

func TestPOSIXShellsReadQuotedPathsBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "fish"} {
		program, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		for _, want := range hostilePaths() {
			out, err := exec.Command(program, "-c", "printf %s "+Quote(want, "linux")).Output()
			if err != nil || string(out) != want {
				t.Errorf("%s: got %q, error %v, want %q from %s", shell, out, err, want, Quote(want, "linux"))
			}
		}
	}
}

func TestPowerShellQuoting(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{`C:\Tools\cursor-ralph-hook.exe`, `C:\Tools\cursor-ralph-hook.exe`},
		{`C:\Program Files\x.exe`, `& 'C:\Program Files\x.exe'`},
		{`C:\O'Brien\x.exe`, `& 'C:\O''Brien\x.exe'`},
		{`C:\‘a’‚b‛\x.exe`, `& 'C:\‘‘a’’‚‚b‛‛\x.exe'`},
		{`C:\$env:X\x.exe`, `& 'C:\$env:X\x.exe'`},
		{"C:\\`n\\x.exe", "& 'C:\\`n\\x.exe'"},
		{`C:\RUNNER~1\x.exe`, `& 'C:\RUNNER~1\x.exe'`},
		{`C:\a(b);c\x.exe`, `& 'C:\a(b);c\x.exe'`},
		{`\\server\share\x.exe`, `\\server\share\x.exe`},
		{`C:\日本\x.exe`, `& 'C:\日本\x.exe'`},
	} {
		if got := Invocation(tt.path, "windows"); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestOursIsOurHookAndNothingElse(t *testing.T) {
	for command, want := range map[string]bool{
		"cursor-ralph-hook":                         true,
		`"/opt/with \"q\" space/cursor-ralph-hook"`: true,
		`/opt/with\ space/cursor-ralph-hook`:        true,
		"$HOME/bin/cursor-ralph-hook":               true,
		"~/bin/cursor-ralph-hook":                   true,
		`C:\x\cursor-ralph-hook.exe`:                true,
		`& "C:\with space\cursor-ralph-hook.exe"`:   true,
		"":                                   false,
		"cursor-ralph":                       false,
		"cursor-ralph-hook-2":                false,
		"/opt/cursor-ralph-hook/run.sh":      false,
		"env A=1 cursor-ralph-hook":          false,
		"A=1 cursor-ralph-hook":              false,
		"cursor-ralph-hook | tee log":        false,
		"cursor-ralph-hook; date":            false,
		"cursor-ralph-hook && date":          false,
		"cursor-ralph-hook > log":            false,
		"cursor-ralph-hook $(date)":          false,
		"cursor-ralph-hook\ndate":            false,
		"$(which cursor-ralph-hook)":         false,
		"'cursor-ralph-hook":                 false,
		`bash -c "cursor-ralph-hook"`:        false,
		"./wrap.sh /opt/cursor-ralph-hook":   false,
		"echo x; /usr/bin/cursor-ralph-hook": false,
		`\`:                                  false,
		"&":                                  false,
	} {
		if got := ours(command); got != want {
			t.Errorf("%q: got %v, want %v", command, got, want)
		}
	}
}

func TestAStringNeverHoldsACommentSign(t *testing.T) {
	for _, s := range []string{"a//b", "a///b", "/*", "*/", "a/b", `\\server\share`} {
		got := literal(s)
		if commentSign(got) != "" || hujson.Literal(got).String() != s {
			t.Errorf("got %s for %q", got, s)
		}
	}
}
