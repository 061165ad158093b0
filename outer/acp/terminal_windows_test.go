package acp

import (
	"os"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// The quotes of a line reach cmd.exe as the agent wrote them.
func TestLinesForCmd(t *testing.T) {
	// No folder of its own: the tests under Wine cannot remove one.
	x := quiet(t, Config{Dir: os.TempDir(), Policy: outer.PolicyAll}, false, func(outer.Seen) {})
	for line, want := range map[string]string{
		`echo "a b"`: `"a b"`, `echo a&echo "b & c"`: "a\r\n" + `"b & c"`, `if exist "C:\Program Files" echo yes`: "yes", `"` + os.Getenv("ComSpec") + `" /c "echo x y"`: "x y",
	} {
		made, err := x.createTerminal(t.Context(), sdk.CreateTerminalRequest{Command: line})
		if err != nil {
			t.Fatal(err)
		}
		id := made.(sdk.CreateTerminalResponse).TerminalId
		if _, err := x.waitForTerminal(t.Context(), sdk.WaitForTerminalExitRequest{TerminalId: id}); err != nil {
			t.Fatal(err)
		}
		answer, err := x.terminalOutput(t.Context(), sdk.TerminalOutputRequest{TerminalId: id})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.(sdk.TerminalOutputResponse).Output; strings.TrimSpace(got) != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
