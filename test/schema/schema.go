// Package schema checks JSON against docs/schema. It is for tests only.
package schema

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Check fails the test if a JSON text does not have the form of a schema, such as
// loop for docs/schema/loop.schema.json. The text may be one value or a line each.
func Check(t testing.TB, name, text string) {
	t.Helper()
	if err := Problem(name, text); err != nil {
		t.Error(err)
	}
}

// Problem is Check where there is no testing.TB.
func Problem(name, text string) error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(folder{})
	schema, err := compiler.Compile(name + ".schema.json")
	if err != nil {
		return err
	}
	values := []string{text}
	if strings.HasPrefix(text, "{\"") { // compact, as in a stream
		values = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	for _, v := range values {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(v))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, v)
		}
	}
	return nil
}

// folder loads the schemas by their names, also where one refers to another by its
// address.
type folder struct{}

// Load reads a schema. Tests run in the folders of their packages, two below the
// project's, also where a package is tried without its sources.
func (folder) Load(url string) (any, error) {
	f, err := os.Open(filepath.Join("..", "..", "docs", "schema", path.Base(url)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return jsonschema.UnmarshalJSON(f)
}
