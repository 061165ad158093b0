package agents

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		goos, command string
		want          []string // nil: it is refused
	}{
		{"windows", `C:\tools\agent.exe --dir C:\new\`, []string{`C:\tools\agent.exe`, "--dir", `C:\new\`}},
		{"windows", `"C:\Program Files\agent.exe" 'a b' {prompt}`, []string{`C:\Program Files\agent.exe`, "a b", "{prompt}"}},
		{"windows", `& 'C:\it''s\agent.exe' \\server\share`, []string{`C:\it's\agent.exe`, `\\server\share`}},
		{"windows", "agent \"a `\" b\" ''", []string{"agent", `a " b`, ""}},
		{"windows", `agent "a`, nil},
		{"windows", `agent | other`, nil},
		{"linux", `/opt/my\ agent 'a b' "c \"d\"" \\`, []string{"/opt/my agent", "a b", `c "d"`, `\`}},
		{"darwin", `agent "a`, nil},
	} {
		got, err := Words(tt.command, tt.goos)
		if (err != nil) != (tt.want == nil) || err == nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s: got %q, %v; want %q", tt.goos, tt.command, got, err, tt.want)
		}
	}
}
