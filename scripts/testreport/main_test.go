package main

import (
	"strings"
	"testing"
)

func TestReportClosesWithWhatWasSkipped(t *testing.T) {
	const pass = `{"Action":"pass","Package":"p","Test":"T"}` + "\n"
	skip := func(reason string) string {
		return `{"Action":"output","Package":"p","Test":"S","Output":"    x_test.go:3: ` + reason + `\n"}` + "\n" +
			`{"Action":"skip","Package":"p","Test":"S"}` + "\n"
	}
	fail := `{"Action":"output","Package":"p","Test":"F","Output":"    x_test.go:4: got 1\n"}` + "\n" +
		`{"Action":"fail","Package":"p","Test":"F"}` + "\n"
	for _, tt := range []struct {
		name, args, in string
		ci             bool
		want           string
		code           int
	}{
		{"all well", "", pass, true, "1 passed, 0 failed, 0 skipped\n", 0},
		{"a skip", "", pass + skip("no pwsh"), false, "skipped: 1 test: no pwsh\n1 passed, 0 failed, 1 skipped\n", 0},
		{"a skip in CI", "", pass + skip("no pwsh"), true, "FAILED: in CI nothing may be skipped\n", 1},
		{"a skip made good elsewhere", "-elsewhere=ordinary", pass + skip("needs an ordinary user"), true,
			"left to another run: 1 test\n1 passed, 0 failed, 0 skipped\n", 0},
		{"a skip left to make test-all", "-left=test-all", pass + skip("short: test-all"), true,
			"left to make test-all: 1 test,", 0},
		{"a tool that is missing", "-missing=gcc", pass, false, "missing: gcc\n1 passed, 0 failed, 0 skipped\n", 0},
		{"a tool that is missing in CI", "-missing=gcc", pass, true, "FAILED: in CI", 1},
		{"a failure", "", pass + fail, false, "FAILED\n", 1},
		{"and its output", "", pass + fail, false, "    x_test.go:4: got 1\n", 1},
		{"a package that fails outside its tests", "", pass + `{"Action":"fail","Package":"p"}`, false, "FAILED\n", 1},
		{"a package that does not build", "", `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: oh\n"}` + "\n" +
			`{"ImportPath":"p","Action":"build-fail"}` + "\n" + pass, false, "x.go:1: oh\n", 1},
		{"go test's own closing line", "", pass + `{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}`, false,
			"ok  \tp\t0.1s\n", 0},
		{"the slowest packages", "", pass + `{"Action":"pass","Package":"p","Elapsed":1.5}` + "\n" + `{"Action":"pass","Package":"q","Elapsed":22}` + "\n", false,
			"slowest:   22.0 s  q\nslowest:    1.5 s  p\n", 0},
		{"no test at all", "", "", false, "FAILED: no test ran\n", 1},
		{"what is not JSON", "", "go: no such thing\n" + pass, false, "go: no such thing\n", 0},
	} {
		var out strings.Builder
		code := run(strings.Fields(tt.args), strings.NewReader(tt.in), &out, tt.ci)
		if code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: got code %d and:\n%s\nwant code %d and: %s", tt.name, code, out.String(), tt.code, tt.want)
		}
	}
}
