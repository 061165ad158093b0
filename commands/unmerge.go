package commands

import (
	"bytes"
	"errors"

	"github.com/tailscale/hujson"
)

// unmerge returns hooks.json without our entries. original is the file as it was before our first install, nil if there was none
// or it is not known. If the user changed nothing since, the result is the original to the byte, nil included; else everything
// that the user changed stays.
func unmerge(raw, original []byte) ([]byte, error) {
	rest, err := strip(raw, outlineOf(original))
	if err != nil {
		return nil, err
	}
	if original == nil && nothing(rest) {
		return nil, nil
	}
	guarded := true
	for _, sample := range []Options{{}, {Minimal: true}, {PlanGuard: &guarded}} {
		sample.Hook = "/" + hookName
		if again, err := mergeAndStrip(original, sample.entries()); err == nil && bytes.Equal(again, rest) {
			return original, nil
		}
	}
	return rest, nil
}

func mergeAndStrip(original []byte, want []entry) ([]byte, error) {
	if original == nil {
		return nil, errors.New("no original")
	}
	had := outlineOf(original)
	merged, _, err := merge(original, want, had, true)
	if err != nil {
		return nil, err
	}
	return strip(merged, had)
}

func strip(raw []byte, had outline) ([]byte, error) {
	mark, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return nil, refuse(unparsable(err))
	}
	d.cutOurs(had, func(string, int) bool { return true })
	return append(bytes.Clone(mark), d.pack()...), nil
}

// nothing reports whether a file has no more in it than the one we make.
func nothing(raw []byte) bool {
	d, err := parse(raw)
	if err != nil || !d.root.IsStandard() {
		return false
	}
	list := members(d.root)
	_, isObject := d.root.Value.(*hujson.Object)
	return isObject && (len(list) == 0 || len(list) == 1 && nameOf(list[0]) == "version")
}
