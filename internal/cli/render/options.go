package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// DescribeMode describes loop mode in a workspace.
func DescribeMode(m state.Mode) string {
	words := fmt.Sprintf("Loop mode is on in %s until %s", m.Workspace, m.Until.Local().Format("2006-01-02 15:04"))
	if options := OptionsOf(m.Loop); options != "" {
		words += ", with " + options
	}
	return words + "."
}

// OptionsOf returns the options of a loop that differ from the defaults.
func OptionsOf(l loop.State) string {
	given, byDefault := fieldsOf(l), fieldsOf(loop.New())
	var list []string
	for _, o := range loop.Options() {
		field := strings.ReplaceAll(o.Name, "-", "_")
		value := valueOf(o, given[field])
		switch {
		case value == valueOf(o, byDefault[field]):
		case o.Arg == "":
			list = append(list, "--"+o.Name)
		case strings.ContainsAny(value, " \t\n\"'"):
			list = append(list, fmt.Sprintf("--%s %q", o.Name, value))
		default:
			list = append(list, "--"+o.Name+" "+value)
		}
	}
	return strings.Join(list, " ")
}

// Value returns an option of a loop as it is given, empty if it is off.
func Value(l loop.State, name string) string {
	field := fieldsOf(l)[strings.ReplaceAll(name, "-", "_")]
	for _, o := range loop.Options() {
		switch {
		case o.Name != name || field == nil || field == false:
		case o.Arg == "":
			return "yes"
		default:
			return valueOf(o, field)
		}
	}
	return ""
}

// Differences returns the options in which a request differs from a loop, of those that the
// user gave: "--max-iterations 50 (the loop has 20)". limits are the options for a
// continue, empty if it does not take all of them.
func Differences(r loop.Request, other loop.State) (list []string, limits string) {
	asked, has := fieldsOf(r.State), fieldsOf(other)
	onlyLimits := true
	for _, o := range loop.Options() {
		field := strings.ReplaceAll(o.Name, "-", "_")
		if !r.Given(o.Name) || asked[field] == has[field] || o.Name == "replace" {
			continue
		}
		list = append(list, fmt.Sprintf("--%s %s (the loop has %s)", o.Name, valueOf(o, asked[field]), valueOf(o, has[field])))
		if asked[field] == nil {
			limits += " --no-" + o.Name
		} else {
			limits += " --" + o.Name + " " + valueOf(o, asked[field])
		}
		onlyLimits = onlyLimits && loop.IsLimit(o.Name)
	}
	if !onlyLimits {
		limits = ""
	}
	return list, limits
}

func valueOf(o loop.Option, field any) string {
	words := fmt.Sprint(field)
	if field == nil {
		words = "none"
	}
	if d, err := loop.ParseDuration(words); err == nil && o.Arg == "D" {
		return text.Exactly(d)
	}
	return words
}

// fieldsOf returns the fields of a state file, which are named like the options.
func fieldsOf(l loop.State) map[string]any {
	data, err := l.Encode()
	fields := map[string]any{}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()         // a large one stays as it is written
		_ = d.Decode(&fields) // it was encoded just now
	}
	return fields
}
