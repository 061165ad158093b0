package suggest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/suggest"
)

func TestTheCommandThatFits(t *testing.T) {
	const script = `{"scripts":{"test":"jest"}}`
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing":                      {nil, nil},
		"npm":                          {map[string]string{"package.json": script}, []string{"npm test"}},
		"pnpm":                         {map[string]string{"package.json": script, "pnpm-lock.yaml": ""}, []string{"pnpm test"}},
		"yarn":                         {map[string]string{"package.json": script, "yarn.lock": ""}, []string{"yarn test"}},
		"bun":                          {map[string]string{"package.json": script, "bun.lock": ""}, []string{"bun run test"}},
		"what npm init writes":         {map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, nil},
		"no test script":               {map[string]string{"package.json": `{"scripts":{"build":"x"}}`}, nil},
		"an invalid package.json":      {map[string]string{"package.json": `{"scripts":{"test":1}}`}, nil},
		"a large one":                  {map[string]string{"package.json": script + strings.Repeat(" ", 1<<20)}, nil},
		"make test":                    {map[string]string{"Makefile": "all:\n\ncheck: all\n\ntest: all\n\tgo test\n"}, []string{"make test"}},
		"make check":                   {map[string]string{"makefile": "check :\n"}, []string{"make check"}},
		"several targets":              {map[string]string{"Makefile": "lint test:\n"}, []string{"make test"}},
		"two colons":                   {map[string]string{"Makefile": "test::\n"}, []string{"make test"}},
		"a variable is no target":      {map[string]string{"Makefile": "test := x\n\ttest: y\n# test: z\n.PHONY: test\n"}, nil},
		"only the file that make uses": {map[string]string{"Makefile": "test:\n", "GNUmakefile": "all:\n"}, nil},
		"Go":                           {map[string]string{"go.mod": ""}, []string{"go test ./..."}},
		"Rust":                         {map[string]string{"Cargo.toml": ""}, []string{"cargo test"}},
		"Python":                       {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]"}, []string{"pytest"}},
		"uv":                           {map[string]string{"pyproject.toml": "dev = [\"pytest\"]", "uv.lock": ""}, []string{"uv run pytest"}},
		"Python without pytest":        {map[string]string{"pyproject.toml": "[project]"}, nil},
		"several":                      {map[string]string{"go.mod": "", "Makefile": "test:\n", "package.json": script}, []string{"npm test", "make test", "go test ./..."}},
	} {
		folder := t.TempDir()
		for file, text := range tt.files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := suggest.Verify(folder); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
