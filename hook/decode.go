package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Decode decodes the event into one of the event structs or your own. A field of
// the wrong type stays zero, and an int may be written 4.0. As always in
// encoding/json, names ignore letter case and the last of a repeated name counts.
// It fails only if event is not a non-nil pointer or in was never read.
func (in Input) Decode(event any) error {
	if err := decode(in.raw, event); err != nil {
		return fmt.Errorf("decode hook input: %w", err)
	}
	return nil
}

// decode fills v from raw. It relies on encoding/json to continue after a value
// of the wrong type and to report it at the end.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if wrongType(err) {
		if whole := wholeNumbers(raw); whole != nil {
			err = json.Unmarshal(whole, v)
		}
	}
	if err != nil && !wrongType(err) {
		return err
	}
	if c, ok := v.(interface{ tidy() }); ok {
		c.tidy()
	}
	return nil
}

func wrongType(err error) bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(err, &wrong)
}

// wholeNumbers returns raw, which must be valid JSON, with 4.0 and 4e0 at its top
// level written as 4: encoding/json accepts nothing else for an int. It returns
// nil if there is nothing to rewrite. Deeper values are not touched, since a
// json.RawMessage must stay as it came.
func wholeNumbers(raw []byte) []byte {
	var out []byte
	depth, done := 0, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = closingQuote(raw, i)
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case depth == 1 && (c == '-' || '0' <= c && c <= '9'):
			end := len(raw) - len(bytes.TrimLeft(raw[i:], "+-.0123456789eE"))
			if n, ok := wholeNumber(raw[i:end]); ok {
				out = strconv.AppendInt(append(out, raw[done:i]...), n, 10)
				done = end
			}
			i = end - 1
		}
	}
	if done == 0 {
		return nil
	}
	return append(out, raw[done:]...)
}

// closingQuote returns the index of the quote that closes the string opened at i.
func closingQuote(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// wholeNumber returns the value of a whole number written as a fraction or with an
// exponent. Beyond 2^53 a float64 is no longer exact.
func wholeNumber(token []byte) (int64, bool) {
	if !bytes.ContainsAny(token, ".eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || f <= -1<<53 || f >= 1<<53 || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// Text returns a value that Cursor sends either as a string or as an object: the
// content of a string, the JSON of anything else, and "" for null or nothing. So
// json.Unmarshal([]byte(Text(e.ToolInput)), &v) decodes both an object and an
// object written into a string (MCP tools, older versions).
func Text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
