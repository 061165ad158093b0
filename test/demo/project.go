package main

import (
	"os"
	"runtime"
)

func tests() string {
	if runtime.GOOS == "windows" {
		return "./run-tests.cmd"
	}
	return "./run-tests"
}

// The tests run the parser; those for Windows only look whether it knows weeks.
const (
	testScript = `#!/bin/sh
failed=0
while read -r text want; do
  got=$(sh ./parse "$text")
  if [ "$got" = "$want" ]; then echo "ok $text"; else echo "not ok $text: got '$got', want $want"; failed=1; fi
done <<END
30s 30
5m 300
2h 7200
1d 86400
2w 1209600
END
exit $failed
`
	testScriptWindows = "@find \"*w)\" parse >nul\r\n@if errorlevel 1 goto failed\r\n@exit /b 0\r\n:failed\r\n@echo not ok 2w\r\n@exit /b 1\r\n"
)

// parser returns the parser of durations with so many units besides seconds.
func parser(units int) string {
	cases := []string{"*m) echo $((${1%m} * 60)) ;;\n", "*h) echo $((${1%h} * 3600)) ;;\n", "*d) echo $((${1%d} * 86400)) ;;\n", "*w) echo $((${1%w} * 604800)) ;;\n"}
	text := "# parse TEXT prints a duration in seconds.\ncase $1 in\n*s) echo ${1%s} ;;\n"
	for _, c := range cases[:min(units, len(cases))] {
		text += c
	}
	return text + "esac\n"
}

func (s *show) writeProject() error {
	script := testScript
	if runtime.GOOS == "windows" {
		script = testScriptWindows
	}
	if err := os.WriteFile(s.in("parser/parse"), []byte(parser(0)), 0o600); err != nil {
		return err
	}
	return os.WriteFile(s.in("parser/"+tests()), []byte(script), 0o700) // #nosec G306 -- a script, in a folder of our own
}
