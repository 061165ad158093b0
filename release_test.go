package cursorralph_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func readYAML(t *testing.T, path string, into any) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(data)
}

// A draft or a pre-release never reaches Homebrew or Scoop: goreleaser makes the draft and pushes nothing, and the workflow that
// pushes starts with a release that is published and final.
func TestOnlyAPublishedReleaseReachesHomebrewAndScoop(t *testing.T) {
	type manifest struct {
		SkipUpload any `yaml:"skip_upload"`
	}
	var config struct {
		Casks  []manifest `yaml:"homebrew_casks"`
		Scoops []manifest
	}
	readYAML(t, ".goreleaser.yaml", &config)
	manifests := slices.Concat(config.Casks, config.Scoops)
	if len(manifests) != 2 {
		t.Fatalf("got %d manifests, want 2", len(manifests))
	}
	for _, m := range manifests {
		if m.SkipUpload != true {
			t.Errorf("skip_upload: got %v, want true", m.SkipUpload)
		}
	}
	var workflow struct {
		On map[string]struct{ Types []string }
	}
	text := readYAML(t, ".github/workflows/tap.yml", &workflow)
	if types := workflow.On["release"].Types; len(workflow.On) != 1 || !slices.Equal(types, []string{"released"}) {
		t.Errorf("tap.yml starts on %v", workflow.On)
	}
	if !strings.Contains(text, "!github.event.release.draft && !github.event.release.prerelease") {
		t.Error("tap.yml does not ask for drafts and pre-releases")
	}
	if text := readYAML(t, ".github/workflows/release.yml", &struct{}{}); strings.Contains(text, "TAP_GITHUB_TOKEN") {
		t.Error("release.yml, which makes a draft, has the token of the taps")
	}
}

// There is no PowerShell here: what keeps a piped script harmless is read.
func TestInstallPs1IsOneFunction(t *testing.T) {
	data, err := os.ReadFile("install.ps1")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	_, code, _ := strings.Cut(text, "#>\n")
	var outside []string
	for line := range strings.Lines(code) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "#") {
			outside = append(outside, line)
		}
	}
	if want := []string{"param(", ")", "function Install-CursorRalph {", "}", "Install-CursorRalph"}; !slices.Equal(outside, want) {
		t.Errorf("outside the function: got %q, want %q", outside, want)
	}
	for line := range strings.Lines(code) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range []string{"exit", "Get-Location", "Get-Command"} {
			if slices.Contains(strings.Fields(line), word) || strings.Contains(line, "("+word) {
				t.Errorf("%s in %q", word, line)
			}
		}
	}
}
