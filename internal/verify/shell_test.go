package verify

import (
	"slices"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	const text = `go test "./..." # $x`
	for _, c := range []struct {
		name, goos, shell string
		want              []string
	}{
		{"the system's shell", "linux", "", []string{"/bin/sh", "-c", text}},
		{"the user's shell", "linux", "/usr/bin/fish", []string{"/usr/bin/fish", "-c", text}},
		{"a shell on Windows", "windows", `C:\Program Files\Git\bin\bash.exe`, []string{`C:\Program Files\Git\bin\bash.exe`, "-c", text}},
		{"PowerShell is Windows's", "windows", "", []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command", powerShell(text)}},
		{"the new PowerShell", "windows", `C:\Program Files\PowerShell\7\PWSH.EXE`,
			[]string{`C:\Program Files\PowerShell\7\PWSH.EXE`, "-NoProfile", "-NonInteractive", "-Command", powerShell(text)}},
		{"PowerShell elsewhere", "darwin", "/usr/local/bin/pwsh", []string{"/usr/local/bin/pwsh", "-NoProfile", "-NonInteractive", "-Command", powerShell(text)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Arguments(c.goos, c.shell, text); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// The text is unchanged on lines of its own, whatever its end, and the lines that set
// the exit code follow.
func TestPowerShell(t *testing.T) {
	for _, text := range []string{`go test ./...`, `echo "a" # b`, "a; b\nc", `'it''s' "$env:X"`, `C:\dir\`, "a `"} {
		before, after, found := strings.Cut(powerShell(text), "\n"+text+"\n")
		if !found {
			t.Fatalf("got %q, want %q on lines of its own", powerShell(text), text)
		}
		if want := "$global:LASTEXITCODE = 0\n$ok = $false\ntry {"; before != want {
			t.Errorf("before it: got %q, want %q", before, want)
		}
		// Our first line after it saves $?, which any other would change.
		if want := "$ok = $?\n} catch {"; !strings.HasPrefix(after, want) {
			t.Errorf("after it: got %q, want %q first", after, want)
		}
		for _, want := range []string{"exit 1\n}", "if ($LASTEXITCODE) { exit $LASTEXITCODE }\nif (-not $ok) { exit 1 }\nexit 0"} {
			if !strings.Contains(after, want) {
				t.Errorf("after it: got %q, want %q in it", after, want)
			}
		}
	}
}
