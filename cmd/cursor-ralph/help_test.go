package main

import (
	"runtime/debug"
	"testing"
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
