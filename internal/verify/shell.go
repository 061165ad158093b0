package verify

import (
	"path"
	"strings"
)

// Arguments returns the command line that runs a text in a shell.
func Arguments(goos, shell, text string) []string {
	switch {
	case shell == "" && goos == "windows":
		shell = "powershell.exe"
	case shell == "":
		shell = "/bin/sh"
	}
	if isPowerShell(shell) {
		return []string{shell, "-NoProfile", "-NonInteractive", "-Command", powerShell(text)}
	}
	return []string{shell, "-c", text}
}

func isPowerShell(shell string) bool {
	name := path.Base(strings.ToLower(strings.ReplaceAll(shell, `\`, "/")))
	name = strings.TrimSuffix(name, ".exe")
	return name == "powershell" || name == "pwsh"
}

// powerShell returns a script that ends with the exit code of the last program
// that the text ran: by itself PowerShell turns each into 1. An error that stops a
// statement, and one in the last statement, are failures too.
//
// The text is on lines of its own, so that a comment at its end does not hide ours. A
// text that continues into our lines always fails, because then $ok is not set.
func powerShell(text string) string {
	return `$global:LASTEXITCODE = 0
$ok = $false
try {
` + text + `
$ok = $?
} catch {
[Console]::Error.WriteLine(($_ | Out-String))
exit 1
}
if ($LASTEXITCODE) { exit $LASTEXITCODE }
if (-not $ok) { exit 1 }
exit 0`
}
