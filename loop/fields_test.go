package loop

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The list of known fields is written by hand, for speed; this is what keeps
// it right. A field that is missing would be written twice, one too many lost.
func TestTheKnownFieldsAreThoseOfState(t *testing.T) {
	var want []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[State]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			want = append(want, name)
		}
	}
	got := fields()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
