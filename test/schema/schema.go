// Package schema checks JSON against docs/schema. It is for tests only.
package schema

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Check fails the test if a JSON text does not have the form of a schema, such as
// loop for docs/schema/loop.schema.json. The text may be one value or a line each.
func Check(t testing.TB, name, text string) {
	t.Helper()
	schema := of(t, name)
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
			t.Errorf("%s: %v\n%s", name, err, v)
		}
	}
}

func of(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join(filepath.Dir(here), "..", "..", "docs", "schema", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
