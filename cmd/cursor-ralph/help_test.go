package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"

	"github.com/spf13/pflag"
)

func TestTheVersionIsTheBestThatIsKnown(t *testing.T) {
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	for name, tt := range map[string]struct {
		release string
		info    *debug.BuildInfo
		want    string
	}{
		"a release":             {"v1.2.3", built("v1.2.2", commit), "v1.2.3"},
		"go install":            {"", built("v1.2.2"), "v1.2.2"},
		"a clone":               {"", built("v0.0.0-20261121165200-0ed8f1a0b1c2+dirty", commit), "v0.0.0-20261121165200-0ed8f1a0b1c2+dirty"},
		"a clone with older Go": {"", built("(devel)", commit), "at commit abc"},
		"neither":               {"", built("(devel)"), "(devel)"},
		"a version that is not": {"", built(""), "(devel)"},
		"no build information":  {"", nil, "of unknown origin"},
	} {
		if got := versionOf(tt.release, tt.info); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestTheManualPageHasEveryCommandAndOption(t *testing.T) {
	var b strings.Builder
	if err := man(t.Context(), &env{&cli.Env{Stdout: &b}}, nil); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, v := range cli.Variables() {
		if !strings.Contains(page, "\n**"+strings.ReplaceAll(v.Name, "_", `\_`)+"**\n") {
			t.Errorf("%s is missing", v.Name)
		}
	}
	for _, c := range visible() {
		if !strings.Contains(page, "\n## "+c.name+"\n") {
			t.Errorf("%s is missing", c.name)
		}
		flagSet(c).VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, "\n**--"+f.Name+"**") {
				t.Errorf("%s: --%s is missing", c.name, f.Name)
			}
		})
	}
	if strings.Contains(page, "\n## slash\n") {
		t.Error("a command for agents is in the manual page")
	}
}

// Help says what an option takes by a word of its own, not by its type in Go.
func TestHelpNamesWhatAnOptionTakes(t *testing.T) {
	for _, c := range table() {
		flagSet(c).VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			if name != strings.ToUpper(name) {
				t.Errorf("%s --%s: got %q, want a word in capitals", c.name, f.Name, name)
			}
		})
	}
}
